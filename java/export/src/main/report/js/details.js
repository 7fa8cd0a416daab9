// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

// The panel beside the views: all that is known of one frame, site, class, thread or label, or of the whole.
hs.details = (() => {
  const { model, tree, state, units, estimate, figures, labels } = hs;
  const box = hs.byId('details');
  const MOST_SITES = 8;
  const MOST_VALUES = 6;

  // --- What is selected -------------------------------------------------------------------------------

  const both = (marks, includes) => marks.map((mark, site) => mark & includes[site]);

  const subject = () => {
    const { selected } = state.chosen;
    const all = state.includes();
    if (!selected) return { kind: 'Everything', name: '', sites: all, get: figures.ofSites(all) };
    if (selected.type === 'thread') {
      return { kind: 'Thread', name: selected.name || '(no name)', get: figures.ofThread(selected.thread) };
    }
    const sites = {
      site: () => both(Uint8Array.from(model.wholeOf, (whole) => Number(whole === model.wholeOf[selected.site])), all),
      label: () => both(labels.marks(selected), all),
      class: () => both(Uint8Array.from(model.sites.class, (each) => Number(each === selected.class)), all),
      frame: () => tree.sitesBelow(state.tree(), selected.node),
    }[selected.type]();
    const kind = { site: 'Site', class: 'Class', label: `Label ${selected.key}`, frame: selected.node === 0 ? 'Everything' : 'Frame' }[selected.type];
    return { kind, name: selected.node === 0 ? '' : selected.name, site: selected.site, sites, get: figures.ofSites(sites) };
  };

  // --- Its parts --------------------------------------------------------------------------------------

  const cell = (e, unit, side) => {
    const value = side === 'change' ? units.signed(unit, e.value) : units.of(unit, e.value);
    const few = estimate.hasTooFewSamples(e) ? '.few' : '';
    return hs.el('td', { title: estimate.sentence(e, unit) }, value,
      hs.el(`small${few}`, { text: e.variance > 0 ? estimate.error(e, unit) : (e.samples > 0 ? 'exact' : '') }));
  };

  const table = (rows) => {
    const body = hs.el('tbody');
    for (const [name, css, get] of rows) {
      body.append(hs.el('tr', {}, hs.el('th', { scope: 'row' }, hs.el(`i.dot${css}`), name), ...get));
    }
    return hs.el('table.figures', {}, hs.el('thead', {}, hs.el('tr', {},
      hs.el('td'), hs.el('th', { scope: 'col', text: 'Bytes' }), hs.el('th', { scope: 'col', text: 'Objects' }))), body);
  };

  const pair = (get, kind, side) => ['bytes', 'objects'].map((unit) => cell(get(kind, unit, side), unit, side));

  const dead = (get, unit, side) => {
    const [allocated, live, unconfirmed] = model.KINDS.map((kind) => get(kind, unit, side).value);
    return Math.max(allocated - live - unconfirmed, 0);
  };

  const figureTable = (get) => {
    const { side } = state.chosen;
    if (side === 'change') return changeTable(get);
    const deadCells = ['bytes', 'objects'].map((unit) => hs.el('td', { text: units.of(unit, dead(get, unit, side)) }));
    return table([
      ['Allocated', '', pair(get, 'allocated', side)],
      ['Live', '.live', pair(get, 'live', side)],
      ['Unconfirmed', '.unconfirmed', pair(get, 'unconfirmed', side)],
      ['Dead', '.dead', deadCells],
    ]);
  };

  const changeTable = (get) => table([
    ['Live, change', '.live', pair(get, 'live', 'change')],
    ['Live, earlier', '', pair(get, 'live', 'earlier')],
    ['Live, later', '', pair(get, 'live', 'later')],
    ['Allocated between', '.dead', pair(get, 'allocated', 'change')],
  ]);

  /** Live, unconfirmed and dead as parts of the allocated amount. */
  const lifeBar = (get) => {
    const side = state.chosen.side === 'change' ? 'later' : state.chosen.side;
    const parts = [['live', get('live', 'bytes', side).value], ['unconfirmed', get('unconfirmed', 'bytes', side).value],
      ['dead', dead(get, 'bytes', side)]];
    const whole = parts.reduce((sum, [, value]) => sum + value, 0);
    if (!(whole > 0)) return '';
    const spoken = parts.map(([name, value]) => `${units.percent(value / whole)} ${name}`).join(', ');
    const bar = hs.el('div.life', { role: 'img', 'aria-label': spoken, title: spoken });
    for (const [name, value] of parts) {
      const part = hs.el(`span.${name}`);
      part.style.flexGrow = value / whole;
      bar.append(part);
    }
    return bar;
  };

  const ages = (sites) => {
    const { byCollections, side } = state.chosen;
    const snapshot = side === 'earlier' ? model.earlier : model.later;
    const pick = byCollections ? 'byCollections' : 'byTime';
    const [alive, gone] = ['ages', 'lifetimes'].map((which) => model.histogram(which, (site) => sites[site], snapshot)[pick]);
    const choice = hs.el('div.segments.small', { role: 'group', 'aria-label': 'Ages in' });
    for (const [value, name] of [[false, 'Time'], [true, 'Collections']]) {
      const button = hs.el('button', { type: 'button', text: name, 'aria-pressed': String(byCollections === value), 'data-ages': pick });
      button.addEventListener('click', () => {
        hs.app.update({ byCollections: value });
        box.querySelector('[data-ages][aria-pressed=true]').focus();
      });
      choice.append(button);
    }
    const sentences = [hs.histogram.sentence(gone, byCollections, 'dead'), hs.histogram.sentence(alive, byCollections, 'living')];
    return hs.el('section', {},
      hs.el('header', {}, hs.el('h3', { text: 'Lifetimes' }), choice),
      hs.histogram.chart(alive, gone, byCollections),
      hs.el('p.muted', {}, hs.el('i.dot.dead'), 'age at death ', hs.el('i.dot.live'), 'age of the living'),
      ...sentences.filter(Boolean).map((text) => hs.el('p.muted', { text })));
  };

  const stack = (site) => {
    const list = hs.el('ol.stack');
    for (const frame of model.stackOf(site)) {
      const method = model.methods[model.methodOf[frame]];
      list.append(hs.el(`li${method.isJdk ? '.jdk' : ''}`, { text: model.frameText(frame) }));
    }
    if (model.sites.flags[site] & 2) list.append(hs.el('li.muted', { text: '\u2026 cut here: deeper than maxDepth' }));
    const title = hs.el('h3', { text: 'Stack' });
    return hs.el('section', {}, title, list.children.length ? list : hs.el('p.muted', { text: model.siteText(site) }));
  };

  const topSites = (sites) => {
    const { metric } = state.chosen;
    const columns = state.figures();
    const sums = new Float64Array(model.wholeCount);
    sites.forEach((mark, site) => { if (mark) sums[model.wholeOf[site]] += columns.value[site]; });
    const marked = [...sums.keys()].filter((whole) => sums[whole] !== 0);
    marked.sort((a, b) => Math.abs(sums[b]) - Math.abs(sums[a]));
    const list = hs.el('ul.top');
    for (const whole of marked.slice(0, MOST_SITES)) {
      const site = model.firstOfWhole[whole];
      const name = model.classes[model.sites.class[site]];
      const button = hs.el('button', { type: 'button', title: name.name },
        hs.el('span', { text: name.label }), hs.el('small', { text: model.siteText(site) }), hs.el('b', { text: state.ofUnit(sums[whole]) }));
      button.addEventListener('click', () => hs.app.update({ selected: { type: 'site', site, name: name.name } }));
      list.append(hs.el('li', {}, button));
    }
    const title = `Top of ${units.whole(marked.length)} ${marked.length === 1 ? 'site' : 'sites'} by ${metric.title.toLowerCase()}`;
    return hs.el('section', {}, hs.el('h3', { text: title }), list);
  };

  /** The values of the chosen key among these sites, the largest first. */
  const topLabels = (sites) => {
    const key = state.chosen.labelKey;
    const { names, of } = labels.valuesOf(key);
    const { value } = state.figures();
    const sums = new Float64Array(names.length);
    sites.forEach((mark, site) => { if (mark) sums[of[site]] += value[site]; });
    const order = [...sums.keys()].filter((i) => sums[i] !== 0).sort((a, b) => Math.abs(sums[b]) - Math.abs(sums[a]));
    const list = hs.el('ul.top.single');
    for (const i of order.slice(0, MOST_VALUES)) {
      const button = hs.el('button', { type: 'button', title: `Select ${key} = ${names[i]}` },
        hs.el('span', { text: names[i] }), hs.el('b', { text: state.ofUnit(sums[i]) }));
      button.addEventListener('click', () => hs.app.update({ selected: { type: 'label', key, value: i, name: names[i] } }));
      list.append(hs.el('li', {}, button));
    }
    const more = order.length - MOST_VALUES;
    return hs.el('section', {}, hs.el('h3', { text: `By ${key}` }), list,
      more > 0 ? hs.el('p.muted', { text: `${units.whole(more)} more` }) : '');
  };

  /** Leaves only what has the selected label, in all views. */
  const filterButton = ({ key, value }) => {
    const button = hs.el('button.button', { type: 'button', text: 'Show only this' });
    button.addEventListener('click', () => hs.app.update({ label: { key, value }, selected: undefined }));
    return button;
  };

  const draw = () => {
    const { kind, name, site, sites, get } = subject();
    const clear = hs.el('button.quiet', { type: 'button', text: 'Clear', 'aria-label': 'Clear the selection' });
    clear.addEventListener('click', () => hs.app.update({ selected: undefined }));
    const head = hs.el('header', {}, hs.el('span.eyebrow', { text: kind }), state.chosen.selected ? clear : '');
    const parts = [head, name ? hs.el('h2', { text: name }) : '', figureTable(get), lifeBar(get)];
    if (state.chosen.selected?.type === 'label') parts.push(filterButton(state.chosen.selected));
    if (sites && labels.keys.length && state.chosen.selected?.type !== 'label') parts.push(topLabels(sites));
    if (sites) parts.push(ages(sites));
    if (site !== undefined) parts.push(stack(site));
    else if (sites) parts.push(topSites(sites));
    else parts.push(hs.el('p.muted', { text: 'What a thread allocated is known in total, not by site.' }));
    box.replaceChildren(...parts);
  };

  return { draw };
})();
