// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

// The flame graph, and the same upside down (icicle). Only frames that are wide enough to be seen become
// elements; d3-hierarchy lays them out, d3-selection keeps the elements in step.
hs.flame = (() => {
  const { model, tree, state, units, estimate, figures } = hs;
  const ROW = 20;
  const NARROWEST = 3;
  const LABEL_FROM = 28;
  const box = hs.byId('flame');
  let focused = 0;
  let layout = [];
  let drawnShape = '';

  const childrenOf = (node) => {
    const { first, next } = state.tree();
    const children = [];
    for (let child = first[node]; child >= 0; child = next[child]) children.push(child);
    return children;
  };

  /** The part of the tree that can be seen; what is too narrow becomes one item without frames of its own. */
  const visible = (node, widths, least) => {
    const children = childrenOf(node);
    const wide = children.filter((child) => widths[child] >= least).sort((a, b) => widths[b] - widths[a]);
    const item = { node, width: widths[node], children: wide.map((child) => visible(child, widths, least)) };
    const rest = children.filter((child) => widths[child] > 0 && widths[child] < least);
    const restWidth = rest.reduce((sum, child) => sum + widths[child], 0);
    if (restWidth >= least) item.children.push({ node: -1, parent: node, hidden: rest.length, width: restWidth, children: [] });
    return item;
  };

  const pathTo = (node) => {
    const path = [];
    for (let i = state.tree().parent[node]; i >= 0; i = state.tree().parent[i]) path.unshift(i);
    return path;
  };

  const lay = () => {
    const { zoom } = state.chosen;
    const widths = state.widths();
    const pixels = Math.max(box.clientWidth, 200);
    if (!(widths[zoom] > 0)) return [];
    const above = pathTo(zoom);
    const root = d3.hierarchy(visible(zoom, widths, widths[zoom] * NARROWEST / pixels));
    root.each((item) => { item.value = item.data.width; });
    d3.partition().size([pixels, root.height + 1])(root);
    const shown = root.descendants().map(({ data, depth, x0, x1 }) => ({ ...data, depth: depth + above.length, x0, x1 }));
    return [...above.map((node, depth) => ({ node, depth, x0: 0, x1: pixels, isAbove: true })), ...shown];
  };

  const nameOf = (node) => {
    const label = state.tree().label[node];
    return label < 0 ? 'all' : tree.labelOf(label, state.groups()).name;
  };

  const labelOf = (item) => {
    if (item.node < 0) return `${item.hidden} more`;
    const label = state.tree().label[item.node];
    return label < 0 ? 'all' : tree.labelOf(label, state.groups()).label;
  };

  const figureOf = (node) => (kind, unit, side) =>
    model.at(state.treeFigures(state.METRICS.find((m) => m.kind === kind && m.unit === unit), side), node);

  const describe = (item) => {
    if (item.node < 0) return `${item.hidden} frames too narrow to be drawn`;
    const { metric, side } = state.chosen;
    const e = figureOf(item.node)(metric.kind, metric.unit, side);
    const share = side === 'change' ? figures.verdict(e) : `${units.percent(e.value / state.treeFigures().value[0])} of all`;
    return `${nameOf(item.node)}, ${figures.withError(e, metric.unit, side)}, ${share}`;
  };

  const isMatched = (node) => {
    const found = state.search();
    const label = state.tree().label[node];
    if (!found || label < 0 || tree.isValue(label)) return false;
    return tree.isClass(label) ? found.classMarks[label - tree.CLASSES_FROM] : found.methodMarks[label];
  };

  const paint = (element, item) => {
    const colour = item.node < 0 ? { style: 'rest' } : hs.colours.mode().paint(item.node);
    const searching = state.search() !== undefined;
    const matched = item.node >= 0 && isMatched(item.node);
    element.className = ['frame', colour.style ?? 'scale', colour.unsure && 'unsure', item.isAbove && 'above',
      searching && (matched ? 'matched' : 'dimmed')].filter(Boolean).join(' ');
    element.style.backgroundColor = colour.background ?? '';
    element.style.color = colour.text ?? '';
    element.style.setProperty('--hue', colour.hue ?? 0);
  };

  const place = (element, item, rows) => {
    const row = state.chosen.isIcicle ? item.depth : rows - 1 - item.depth;
    element.style.left = `${item.x0}px`;
    element.style.width = `${Math.max(item.x1 - item.x0 - 1, 1)}px`;
    element.style.top = `${row * ROW}px`;
    element.textContent = item.x1 - item.x0 >= LABEL_FROM ? labelOf(item) : '';
    element.setAttribute('aria-label', describe(item));
    element.setAttribute('aria-level', item.depth + 1);
    element.setAttribute('aria-selected', item.node === state.chosen.selected?.node);
    element.tabIndex = item.node === focused ? 0 : -1;
    paint(element, item);
  };

  const keyOf = (item) => (item.node < 0 ? `rest ${item.parent}` : `node ${item.node}`);

  const draw = () => {
    layout = lay();
    if (!layout.some((item) => item.node === focused)) focused = state.chosen.zoom;
    const rows = layout.reduce((most, item) => Math.max(most, item.depth + 1), 1);
    const stage = hs.byId('flame-stage');
    const atEnd = box.scrollTop + box.clientHeight >= box.scrollHeight - ROW;
    const shape = `${state.chosen.isIcicle} ${state.chosen.reversed}`;
    stage.style.height = `${rows * ROW}px`;
    d3.select(stage).selectAll('div.frame').data(layout, keyOf)
      .join((enter) => enter.append('div').attr('role', 'treeitem'))
      .each(function each(item) { place(this, item, rows); });
    hs.byId('flame-empty').hidden = layout.length > 0;
    // The root stays in sight until the reader scrolls away from it.
    if (!state.chosen.isIcicle && (atEnd || shape !== drawnShape)) box.scrollTop = box.scrollHeight;
    else if (shape !== drawnShape) box.scrollTop = 0;
    drawnShape = shape;
    drawLegend();
  };

  const drawLegend = () => {
    const mode = hs.colours.mode();
    const legend = hs.byId('legend');
    legend.replaceChildren(hs.el('b', { text: mode.title }));
    if (mode.scale) {
      const bar = hs.el('span.scale-bar', { 'aria-hidden': 'true' });
      bar.style.backgroundImage = `linear-gradient(90deg, ${mode.scale.join(', ')})`;
      const [from, to] = mode.ends();
      legend.append(hs.el('span', { text: from }), bar, hs.el('span', { text: to }));
    }
    for (const [style, text] of mode.legend()) {
      legend.append(hs.el('span.key', {}, hs.el(`i.swatch.frame.${style}`), text));
    }
    if (mode.isDiff) legend.append(hs.el('span', { text: 'width: how much has changed, either way' }));
  };

  const itemOf = (element) => (element ? d3.select(element).datum() : undefined);
  const elementOf = (item) => [...hs.byId('flame-stage').children].find((each) => itemOf(each) === item);

  const zoom = (node) => {
    focused = node;
    hs.app.update({ zoom: node });
    focus(layout.find((item) => item.node === node));
  };

  const focus = (item) => {
    if (!item) return;
    const old = layout.find((each) => each.node === focused);
    if (old) elementOf(old)?.setAttribute('tabindex', '-1');
    focused = item.node;
    const element = elementOf(item);
    element.tabIndex = 0;
    element.focus({ preventScroll: true });
    element.scrollIntoView({ block: 'nearest' });
  };

  const select = (item) => {
    if (item.node >= 0) hs.app.update({ selected: { type: 'frame', node: item.node, name: nameOf(item.node) } });
  };

  const click = (item) => {
    if (item.node < 0) return;
    select(item);
    zoom(item.node);
  };

  /** Finds the frame to which an arrow leads. */
  const neighbour = (item, key) => {
    const towardsLeaf = state.chosen.isIcicle ? 'ArrowDown' : 'ArrowUp';
    const frames = layout.filter((each) => each.node >= 0);
    if (key === 'ArrowLeft' || key === 'ArrowRight') {
      const row = frames.filter((each) => each.depth === item.depth).sort((a, b) => a.x0 - b.x0);
      return row[row.indexOf(item) + (key === 'ArrowRight' ? 1 : -1)];
    }
    const depth = item.depth + (key === towardsLeaf ? 1 : -1);
    return frames.find((each) => each.depth === depth && each.x0 <= item.x0 + 0.5 && each.x1 > item.x0)
      ?? frames.find((each) => each.depth === depth && each.x0 >= item.x0 && each.x1 <= item.x1);
  };

  const onKey = (event) => {
    const item = itemOf(event.target.closest('.frame'));
    if (!item || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key.startsWith('Arrow')) focus(neighbour(item, event.key));
    else if (event.key === 'Enter' || event.key === ' ') click(item);
    else if (event.key === 'Home') zoom(0);
    else if (event.key === 'Escape' || event.key === 'Backspace') zoom(Math.max(state.tree().parent[state.chosen.zoom], 0));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const tip = (element) => {
    const item = itemOf(element);
    if (item.node < 0) {
      return hs.tooltip.card(`${item.hidden} more`, 'Too narrow to be drawn. Zoom into the frame next to them.', []);
    }
    const label = state.tree().label[item.node];
    let kind = '';
    if (tree.isValue(label)) kind = `label ${state.chosen.groupBy}`;
    else if (label >= 0) kind = tree.isClass(label) ? 'allocated class' : tree.labelOf(label).package;
    return hs.tooltip.card(nameOf(item.node), kind, figures.tipRows(figureOf(item.node), state.treeFigures().value[0]));
  };

  box.addEventListener('click', (event) => {
    const item = itemOf(event.target.closest('.frame'));
    if (item) click(item);
  });
  box.addEventListener('keydown', onKey);
  hs.tooltip.attach(box, '.frame', tip);
  new ResizeObserver(() => { if (state.chosen.view === 'flame') draw(); }).observe(box);

  return { draw, zoom, nameOf, pathTo, estimate };
})();
