// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

// Which references keep live objects alive: a flame graph whose stacks are holders, roots on top, and below it the
// same as a tree that can be opened. The data is the JSON of HeldBy (HeldByJson.java).
hs.holders = (() => {
  const { units, estimate, state } = hs;
  const ROW = 20;
  const NARROWEST = 3;
  const LABEL_FROM = 28;
  const MOST_CHILDREN = 50;
  const OPEN_FROM = 0.1;
  const JDK = /^(java|javax|jdk|sun|com\.sun)\./;
  const WAYS = {
    ONE_STOP: 'The heap was walked in one stop.', CHILD: 'The heap was walked in a child process.', PASSES: 'The heap was walked in short passes.',
  };
  const CAUSES = {
    PAUSE: 'the allowed pause was too short',
    TIME: 'the allowed time was too short',
    MEMORY: 'the allowed memory was too small',
    LARGE_ARRAY: 'behind an array that is too large',
    DIED: 'died before the search',
    ONLY_WEAK: 'only weak references',
    NOT_POSSIBLE: 'cannot be reached in this JVM',
  };

  const box = hs.byId('holders-flame');
  const stage = hs.byId('holders-stage');
  const list = hs.byId('holders-tree');

  // --- The data ---------------------------------------------------------------------------------------

  const kindOf = ({ root, class: site }) => {
    if (site !== undefined) return 'allocation site';
    return root ? `root: ${root.toLowerCase().replaceAll('_', ' ')}` : '';
  };

  const node = (parent, holder) => {
    const { text, held, steps = [], children = [], suspect, soft, stack } = holder;
    const made = { parent, text, held, exclusive: holder.exclusive, steps, suspect, soft, stack, kind: kindOf(holder) };
    made.children = children.map((child) => node(made, child));
    return made;
  };

  const missing = (parent, [cause, held]) =>
    ({ parent, text: `no holder: ${CAUSES[cause] ?? cause}`, held, steps: [], children: [], kind: '', isMissing: true });

  const wholeOf = ({ total, holders, unresolved }) => {
    const all = { text: 'all', held: total, steps: [], kind: '' };
    all.children = [...holders.map((each) => node(all, each)), ...Object.entries(unresolved).map((each) => missing(all, each))];
    return all;
  };

  const whole = hs.held ? wholeOf(hs.held) : undefined;
  let zoomed = whole;
  let focused = whole;
  let layout = [];
  let drawn = '';

  const unit = () => state.chosen.metric.unit;
  const of = (each, amount = each.held) => amount[unit()];
  const width = (each) => of(each).value;
  const share = (each) => (width(whole) > 0 ? width(each) / width(whole) : 0);
  const error = (each) => { const { value, error: standard } = of(each); return estimate.error({ value, variance: standard * standard }, unit()); };
  const figure = (each) => units.of(unit(), width(each));

  // --- The flame graph --------------------------------------------------------------------------------

  const isMatched = (each) => {
    const wanted = state.chosen.search.trim().toLowerCase();
    return wanted !== '' && each.text.toLowerCase().includes(wanted);
  };

  const styleOf = (each) => {
    if (each === whole) return 'root';
    if (each.isMissing) return 'none';
    if (each.kind === 'allocation site') return 'class';
    return JDK.test(each.steps[0] ?? 'java.') ? 'jdk' : 'own';
  };

  const above = (each) => (each.parent ? [...above(each.parent), each.parent] : []);

  const visible = (each, least) => {
    const wide = each.children.filter((child) => width(child) >= least);
    return { each, width: width(each), children: wide.map((child) => visible(child, least)) };
  };

  const lay = () => {
    if (!(width(zoomed) > 0)) return [];
    const pixels = Math.max(box.clientWidth, 200);
    const path = above(zoomed);
    const root = d3.hierarchy(visible(zoomed, width(zoomed) * NARROWEST / pixels));
    root.each((item) => { item.value = item.data.width; });
    d3.partition().size([pixels, root.height + 1])(root);
    const shown = root.descendants().map(({ data, depth, x0, x1 }) => ({ each: data.each, depth: depth + path.length, x0, x1 }));
    return [...path.map((each, depth) => ({ each, depth, x0: 0, x1: pixels, isAbove: true })), ...shown];
  };

  const place = (element, { each, depth, x0, x1, isAbove }) => {
    const style = styleOf(each);
    element.className = ['frame', style, isAbove && 'above', each.suspect && 'suspect',
      state.chosen.search.trim() && (isMatched(each) ? 'matched' : 'dimmed')].filter(Boolean).join(' ');
    element.style.left = `${x0}px`;
    element.style.width = `${Math.max(x1 - x0 - 1, 1)}px`;
    element.style.top = `${depth * ROW}px`;
    if (style === 'own') element.style.setProperty('--hue', hs.colours.hueOf(each.steps[0]));
    element.textContent = x1 - x0 >= LABEL_FROM ? each.text : '';
    element.setAttribute('role', 'treeitem');
    element.setAttribute('aria-level', depth + 1);
    element.setAttribute('aria-selected', each === zoomed);
    element.setAttribute('aria-label', `${each.text}, ${figure(each)} ${error(each)}, ${units.percent(share(each))} of all`);
    element.tabIndex = each === focused ? 0 : -1;
  };

  const drawFlame = () => {
    layout = lay();
    if (!layout.some((item) => item.each === focused)) focused = zoomed;
    stage.style.height = `${layout.reduce((most, item) => Math.max(most, item.depth + 1), 1) * ROW}px`;
    d3.select(stage).selectAll('div.frame').data(layout).join('div').each(function each(item) { place(this, item); });
    hs.byId('holders-empty').hidden = layout.length > 0;
  };

  const itemOf = (target) => { const element = target.closest('.frame'); return element ? d3.select(element).datum() : undefined; };

  const focus = (item) => {
    if (!item) return;
    focused = item.each;
    drawFlame();
    const element = stage.children[layout.findIndex((other) => other.each === focused)];
    element?.focus({ preventScroll: true });
    element?.scrollIntoView({ block: 'nearest' });
  };

  const zoom = (each) => {
    zoomed = each;
    hs.tooltip.hide();
    focus({ each });
  };

  const neighbour = ({ each, depth, x0, x1 }, key) => {
    if (key === 'ArrowUp') return layout.find((item) => item.each === each.parent);
    if (key === 'ArrowDown') return layout.find((item) => item.depth === depth + 1 && item.x0 >= x0 - 0.5 && item.x0 < x1);
    const row = layout.filter((item) => item.depth === depth).sort((a, b) => a.x0 - b.x0);
    return row[row.findIndex((item) => item.each === each) + (key === 'ArrowRight' ? 1 : -1)];
  };

  const onKey = (event) => {
    const item = itemOf(event.target);
    if (!item || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key.startsWith('Arrow')) focus(neighbour(item, event.key));
    else if (event.key === 'Enter' || event.key === ' ') zoom(item.each);
    else if (event.key === 'Home') zoom(whole);
    else if (event.key === 'Escape' || event.key === 'Backspace') zoom(zoomed.parent ?? whole);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const tip = (element) => {
    const { each } = itemOf(element);
    const rows = [['Holds', `${figure(each)} ${error(each)}`, `${units.whole(each.held.samples)} samples`], ['Of all', units.percent(share(each))]];
    if (each.exclusive) rows.push(['Freed without it', units.of(unit(), of(each, each.exclusive).value)]);
    const notes = [each.kind, each.soft && 'soft: freed before an OutOfMemoryError', each.suspect && 'look here first'].filter(Boolean);
    return hs.tooltip.card(each.text, notes.join(', '), rows);
  };

  // --- The tree ---------------------------------------------------------------------------------------

  const line = (each) => {
    const bar = hs.el('i.bar', { 'aria-hidden': 'true' });
    bar.style.width = `${100 * share(each)}%`;
    return [bar, hs.el(`span.holder${each.suspect ? '.suspect' : ''}`, { text: each.text, title: each.steps.join('\n') || undefined }),
      each.suspect ? hs.el('span.chip', { text: 'suspect' }) : '', each.soft && !each.parent.soft ? hs.el('span.chip', { text: 'soft' }) : '',
      hs.el('span.held', {}, hs.el('b', { text: figure(each) }), hs.el('small', { text: ` ${error(each)}` })),
      hs.el('span.share', { text: units.percent(share(each)) })];
  };

  const items = (each) => {
    const shown = each.children.slice(0, MOST_CHILDREN).map(item);
    const more = each.children.length - shown.length;
    return [...shown, ...(more > 0 ? [hs.el('li.muted', { text: `\u2026 ${units.whole(more)} more` })] : [])];
  };

  /** Children are made when their holder is opened: a tree may have thousands. */
  const item = (each) => {
    if (!each.children.length) return hs.el('li', {}, hs.el('div.row', {}, ...line(each)));
    const children = hs.el('ul');
    const details = hs.el('details', {}, hs.el('summary.row', {}, ...line(each)), children);
    const fill = () => { if (details.open && !children.children.length) children.append(...items(each)); };
    details.open = share(each) >= OPEN_FROM;
    fill();
    details.addEventListener('toggle', fill);
    return hs.el('li', {}, details);
  };

  // --- The view ---------------------------------------------------------------------------------------

  const drawHead = () => {
    const { way, longestPauseMicros: pause, notes } = hs.held;
    hs.byId('holders-head').replaceChildren(
      hs.el('p', { text: `${figure(whole)} ${error(whole)} of live objects, by the references that keep them alive. `
        + `${WAYS[way] ?? ''} The longest pause was ${units.span(pause / 1000)}.` }),
      ...notes.map(({ text }) => hs.el('p', { text })));
  };

  const draw = () => {
    drawFlame();
    if (drawn === unit()) return;
    drawn = unit();
    drawHead();
    list.replaceChildren(...items(whole));
  };

  if (whole) {
    hs.byId('tab-holders').hidden = false;
    box.addEventListener('click', (event) => { const found = itemOf(event.target); if (found) zoom(found.each); });
    box.addEventListener('keydown', onKey);
    hs.tooltip.attach(box, '.frame', tip);
    new ResizeObserver(() => { if (state.chosen.view === 'holders') drawFlame(); }).observe(box);
  }
  return { draw };
})();
