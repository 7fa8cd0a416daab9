// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

// The head of the page: what was recorded, the four metrics, what limits the figures.
hs.summary = (() => {
  const { model, state, units, estimate, figures } = hs;

  const DROPS = {
    STACKS_FULL: 'counted with a shorter stack, or none: no room for all of it (maxStacks)',
    NAMES_FULL: 'counted with a shorter stack or the class "(unknown)": no room for a name (maxNames)',
    SITES_FULL: 'counted with the class alone, or at the site "(other)": no room for the site (maxSites)',
    LABELS_FULL: 'counted with the labels "(other)": no room for the set of labels',
    THREADS_FULL: 'counted at the thread "(other)" (maxThreads)',
    NO_STACK: 'counted without a stack: the JVM gave none',
    NO_REFERENCE: 'counted as allocated, not as live: the JVM gave no weak reference',
    THINNED: 'not tracked; others weigh more instead (maxTracked)',
    PHANTOM: 'rightly not counted: the sample point was passed before sampling began, or set by another agent',
    OWN: 'rightly not counted: allocations of HeapSampler itself',
    NATIVE_MEMORY: 'lost: no native memory was left',
    TRUNCATED: 'counted, with a stack cut at maxDepth',
    DEAD_FORGOTTEN: 'dead samples that left the ring; their lifetimes are kept',
    CAPPED: 'rightly not counted: too many at a time; what was kept stands for them',
    BURST: 'not counted: too many at a time, and perhaps nothing that was kept stands for them',
    VALUE_OBJECT: 'counted as allocated, not as live: value objects have no weak references',
  };

  // By what samples were chosen. An interval of 0 counts everything only where no other strategy is named.
  const interval = ({ interval: bytes, strategy }) => {
    const parts = bytes > 0 ? [units.bytes(bytes)] : [];
    if (strategy) parts.push(strategy);
    return parts.join(', ') || 'every allocation';
  };

  const facts = (snapshot) => [
    ['Taken', units.time(snapshot.takenAt)],
    ['Sampled for', units.span(snapshot.durationMillis)],
    ['Interval', interval(snapshot)],
    ['Collector', `${snapshot.collector}, ${units.whole(snapshot.collections)} collections`],
    ['Liveness', snapshot.afterGc ? 'as of a forced collection' : 'as of the last collection'],
  ];

  const drawFacts = () => {
    hs.byId('title').textContent = model.data.title;
    document.title = model.data.title;
    const list = facts(model.later);
    if (model.hasDiff) list[0] = ['Compared', `${units.time(model.earlier.takenAt)} \u2192 ${units.time(model.later.takenAt)}`];
    hs.byId('facts').replaceChildren(...list.map(([name, value]) =>
      hs.el('div', {}, hs.el('dt', { text: name }), hs.el('dd', { text: value }))));
  };

  const tile = (metric, i) => {
    const { side } = state.chosen;
    const e = figures.ofSites(state.includes())(metric.kind, metric.unit, side);
    const value = side === 'change' ? units.signed(metric.unit, e.value) : units.of(metric.unit, e.value);
    const input = hs.el('input', { type: 'radio', name: 'metric', value: metric.id, checked: metric === state.chosen.metric && 'checked' });
    input.addEventListener('change', () => hs.app.update({ metric }));
    return hs.el('label.tile', { title: estimate.sentence(e, metric.unit) }, input,
      hs.el('span.name', {}, metric.title, hs.el('kbd', { text: String(i + 1), 'aria-hidden': 'true' })),
      hs.el('span.value', { text: value }),
      hs.el('span.error', {}, e.samples > 0 ? estimate.error(e, metric.unit) : 'no sample',
        e.samples > 0 ? hs.el('span', { text: `${units.whole(e.samples)} samples` }) : ''));
  };

  const drawTiles = () => {
    const box = hs.byId('metrics');
    const hadFocus = box.contains(document.activeElement);
    box.replaceChildren(...state.METRICS.map(tile));
    if (hadFocus) box.querySelector('input:checked').focus();
  };

  const notesOf = (snapshot, title) => {
    const dropped = Object.entries(snapshot.dropped).filter(([, count]) => count > 0);
    const list = hs.el('ul', {}, ...snapshot.notes.map(({ text }) => hs.el('li', { text })));
    const rows = dropped.map(([cause, count]) => hs.el('tr', {},
      hs.el('td.numeric', { text: units.whole(count) }), hs.el('th', { scope: 'row', text: cause }), hs.el('td', { text: DROPS[cause] ?? '' })));
    return hs.el('section', {}, title ? hs.el('h3', { text: title }) : '',
      snapshot.notes.length ? list : hs.el('p.muted', { text: 'Nothing to note.' }),
      rows.length ? hs.el('table.drops', {}, hs.el('caption', { text: 'Samples dropped, folded or shortened' }), hs.el('tbody', {}, ...rows))
        : hs.el('p.muted', { text: 'No sample was dropped, folded or shortened.' }));
  };

  /** PHANTOM, OWN and CAPPED are rightly not counted and no reason to worry. */
  const worrying = (snapshot) => Object.entries(snapshot.dropped)
    .filter(([cause]) => !['PHANTOM', 'OWN', 'DEAD_FORGOTTEN', 'CAPPED'].includes(cause)).reduce((sum, [, count]) => sum + count, 0);

  const drawNotes = () => {
    const { later, earlier } = model;
    const drops = worrying(later);
    const notes = later.notes.length;
    const texts = [notes ? `${notes} ${notes === 1 ? 'note' : 'notes'} on these figures` : 'No notes on these figures',
      drops ? `${units.whole(drops)} samples dropped, folded or shortened` : 'no drops'];
    hs.byId('notes-summary').textContent = texts.join(' \u00b7 ');
    hs.byId('notes').classList.toggle('calm', notes === 0 && drops === 0);
    hs.byId('notes-body').replaceChildren(
      ...(earlier ? [notesOf(later, 'Later snapshot'), notesOf(earlier, 'Earlier snapshot')] : [notesOf(later)]));
  };

  return { drawFacts, drawTiles, drawNotes };
})();
