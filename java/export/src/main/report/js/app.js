// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

// Puts the parts together: one function changes what is chosen and draws what depends on it.
hs.app = (() => {
  const { model, state, units } = hs;
  const { chosen } = state;
  const VIEWS = ['flame', 'sites', 'classes', 'threads', ...(hs.held ? ['holders'] : [])];
  const OF_TREE = ['packages', 'hidesJdk', 'reversed'];

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
    hs.byId('colours').value = chosen.colours;
    hs.byId('colours').disabled = chosen.side === 'change';
    document.body.classList.toggle('is-change', chosen.side === 'change');
  };

  /** What search and filter leave of the whole, in words that screen readers hear. */
  const drawStatus = () => {
    const includes = state.includes();
    const found = state.search();
    const texts = [];
    const count = (marks) => marks.reduce((sum, mark) => sum + mark, 0);
    const columns = state.figures();
    if (chosen.packages.trim()) texts.push(`${units.whole(count(includes))} of ${units.whole(model.siteCount)} sites pass the filter`);
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

  const fill = () => {
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
