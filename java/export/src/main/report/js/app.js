// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

// Puts the parts together: one function changes what is chosen and draws what depends on it.
hs.app = (() => {
  const { model, state, units, labels } = hs;
  const { chosen } = state;
  const VIEWS = ['flame', 'sites', 'classes', 'threads', ...(labels.keys.length ? ['labels'] : []), ...(hs.held ? ['holders'] : [])];
  const OF_TREE = ['packages', 'label', 'groupBy', 'hidesJdk', 'reversed'];
  const MOST_VALUES = 200; // of a key in the list of the filter

  const update = (changes) => {
    if (OF_TREE.some((name) => name in changes && changes[name] !== chosen[name])) {
      chosen.zoom = 0;
      if (chosen.selected?.type === 'frame') chosen.selected = undefined;
    }
    Object.assign(chosen, changes);
    hs.tooltip.hide();
    hs.summary.drawTiles();
    drawControls();
    drawView();
    hs.details.draw();
    drawStatus();
  };

  const drawView = () => {
    for (const view of VIEWS) {
      hs.byId(`view-${view}`).hidden = chosen.view !== view;
      const tab = hs.byId(`tab-${view}`);
      tab.setAttribute('aria-selected', chosen.view === view);
      tab.tabIndex = chosen.view === view ? 0 : -1;
    }
    if (chosen.view === 'flame') {
      hs.flame.draw();
      drawPath();
    } else if (chosen.view === 'holders') {
      hs.holders.draw();
    } else {
      hs.lists.draw(chosen.view);
    }
  };

  const drawPath = () => {
    const path = hs.flame.pathTo(chosen.zoom);
    const button = hs.byId('zoom-out');
    button.hidden = path.length === 0;
    button.textContent = path.length ? `Zoom out of ${hs.flame.nameOf(chosen.zoom)}` : '';
  };

  const press = (name, value) => document.querySelectorAll(`[data-${name}]`).forEach((button) => {
    button.setAttribute('aria-pressed', String(button.dataset[name] === value));
  });

  const drawControls = () => {
    press('side', chosen.side);
    press('shape', chosen.isIcicle ? 'icicle' : 'flame');
    press('from', chosen.reversed ? 'classes' : 'entries');
    hs.byId('jdk').checked = !chosen.hidesJdk;
    drawLabelControls();
    hs.byId('colours').value = chosen.colours;
    hs.byId('colours').disabled = chosen.side === 'change';
    document.body.classList.toggle('is-change', chosen.side === 'change');
  };

  const drawLabelControls = () => {
    const filter = hs.byId('label-filter');
    const value = chosen.label ? `${labels.keys.indexOf(chosen.label.key)} ${chosen.label.value}` : '';
    // A value beyond the list can be chosen in the table.
    if (![...filter.options].some((option) => option.value === value)) {
      filter.append(hs.el('option', { value, text: labels.textOf(chosen.label) }));
    }
    filter.value = value;
    hs.byId('group-by').value = chosen.groupBy;
    hs.byId('label-key').value = chosen.labelKey ?? '';
  };

  /** What search and filter leave of the whole, in words that screen readers hear. */
  const drawStatus = () => {
    const includes = state.includes();
    const found = state.search();
    const texts = [];
    const count = model.countWholes;
    const columns = state.figures();
    if (chosen.label) texts.push(`only ${labels.textOf(chosen.label)}`);
    if (chosen.packages.trim() || chosen.label) texts.push(`${units.whole(count(includes))} of ${units.whole(model.wholeCount)} sites pass the filter`);
    if (found) {
      const marks = found.siteMarks.map((mark, site) => mark & includes[site]);
      const share = chosen.side === 'change' ? '' : `, ${units.percent(state.total(marks, columns).value / state.total(includes, columns).value)}`;
      texts.push(`found at ${units.whole(count(marks))} sites: ${state.ofUnit(state.total(marks, columns).value)}${share}`);
    }
    hs.byId('status').textContent = texts.join(' \u00b7 ');
  };

  // --- Controls ---------------------------------------------------------------------------------------

  const onPress = (name, apply) => document.querySelectorAll(`[data-${name}]`).forEach((button) => {
    button.addEventListener('click', () => update(apply(button.dataset[name])));
  });

  const PAUSE = 120;
  const whenTyped = (id, name) => {
    let waiting; // Of this field alone: to type into another must not undo it.
    hs.byId(id).addEventListener('input', (event) => {
      clearTimeout(waiting);
      waiting = setTimeout(() => update({ [name]: event.target.value }), PAUSE);
    });
  };

  const show = (view) => update({ view });

  const listen = () => {
    onPress('side', (side) => ({ side }));
    onPress('shape', (shape) => ({ isIcicle: shape === 'icicle' }));
    onPress('from', (from) => ({ reversed: from === 'classes' }));
    hs.byId('jdk').addEventListener('change', (event) => update({ hidesJdk: !event.target.checked }));
    hs.byId('colours').addEventListener('change', (event) => update({ colours: event.target.value }));
    hs.byId('label-filter').addEventListener('change', (event) => {
      const [key, value] = event.target.value.split(' ').map(Number);
      update({ label: event.target.value ? { key: labels.keys[key], value } : undefined });
    });
    hs.byId('group-by').addEventListener('change', (event) => update({ groupBy: event.target.value }));
    hs.byId('label-key').addEventListener('change', (event) => update({ labelKey: event.target.value }));
    hs.byId('zoom-out').addEventListener('click', () => hs.flame.zoom(0));
    whenTyped('search', 'search');
    whenTyped('packages', 'packages');
    VIEWS.forEach((view) => hs.byId(`tab-${view}`).addEventListener('click', () => show(view)));
    hs.byId('tabs').addEventListener('keydown', (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const next = VIEWS[(VIEWS.indexOf(chosen.view) + step + VIEWS.length) % VIEWS.length];
      show(next);
      hs.byId(`tab-${next}`).focus();
    });
  };

  /** The values of each key, the most allocated first. */
  const fillLabels = () => {
    document.querySelectorAll('.only-labels').forEach((element) => { element.hidden = !labels.keys.length; });
    labels.keys.forEach((key, k) => {
      for (const id of ['group-by', 'label-key']) hs.byId(id).append(hs.el('option', { value: key, text: key }));
      const { names, of } = labels.valuesOf(key);
      const sums = new Float64Array(names.length);
      model.columns('bySite', 'allocated', 'bytes', 'later').value.forEach((bytes, site) => { sums[of[site]] += bytes; });
      const largest = [...names.keys()].sort((a, b) => sums[b] - sums[a]).slice(0, MOST_VALUES);
      hs.byId('label-filter').append(hs.el('optgroup', { label: key },
        ...largest.map((value) => hs.el('option', { value: `${k} ${value}`, text: names[value] }))));
    });
  };

  const fill = () => {
    fillLabels();
    document.querySelectorAll('.only-diff').forEach((element) => { element.hidden = !model.hasDiff; });
    hs.byId('package-names').append(...model.packages().map((name) => hs.el('option', { value: name })));
    for (const [id, mode] of Object.entries(hs.colours.MODES)) {
      if (!mode.isDiff) hs.byId('colours').append(hs.el('option', { value: id, text: mode.title }));
    }
    hs.summary.drawFacts();
    hs.summary.drawNotes();
  };

  const start = () => {
    fill();
    listen();
    hs.keys.listen();
    update({});
  };

  return { update, start, show };
})();
