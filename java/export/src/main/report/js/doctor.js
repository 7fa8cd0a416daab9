// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

// The section of the GC doctor, drawn from the JSON of a diagnosis (doctor.schema.json of heapsampler-doctor):
// one answer first, then each finding with its consequences, and all that the answer rests on.
hs.doctor = (() => {
  const { units } = hs;
  const MOST_FRAMES = 24;
  const CLASS = { INFO: 'info', WARNING: 'warning', CRITICAL: 'critical' };

  const millis = (time) => Date.parse(time);
  const clock = (time) => units.time(millis(time));
  const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);
  const times = (count) => `${units.whole(count)} ${count === 1 ? 'time' : 'times'}`;
  const list = (items) => hs.el('ul', {}, ...items.map((text) => hs.el('li', { text })));
  const muted = (text) => hs.el('span.muted', { text });
  const folded = (css, summary, ...content) => hs.el(`details.${css}`, {}, hs.el('summary', {}, ...summary), ...content);

  // --- The answer -------------------------------------------------------------------------------------

  const advice = ({ advice: change }) => (change
    ? hs.el('p.advice', {}, hs.el('b', { text: 'Try' }), ` ${change.text} `, hs.el('span.chip', { text: change.kind.toLowerCase() })) : '');

  /** The one place: the first frame of the application, or the caller. */
  const place = ({ sites, callers }) => {
    if (sites.length) {
      const [{ at, class: name, metric, text }] = sites;
      return hs.el('p.place', {}, hs.el('code', { text: at || name }), muted(`${at ? `${name}, ` : ''}${metric} ${text}`));
    }
    if (callers.length) {
      const [{ call, count, stack }] = callers;
      return hs.el('p.place', {}, hs.el('code', { text: stack[0] ?? call }), muted(`${call} called ${times(count)}`));
    }
    return '';
  };

  const explained = ({ evidence }) => {
    const share = evidence.find(({ name }) => name === 'sites.explained');
    return share ? hs.el('p', { text: share.text }) : '';
  };

  const isBad = (finding) => finding !== undefined && finding.severity !== 'INFO';

  const answer = ({ verdict, slo, findings: [worst] }) => {
    const css = isBad(worst) ? CLASS[worst.severity] : (slo.met ? 'calm' : 'warning');
    return hs.el(`div.panel.answer.${css}`, {},
      hs.el('span.eyebrow', { text: isBad(worst) ? `GC doctor: ${verdict}` : 'GC doctor' }),
      hs.el('h2', { id: 'doctor-title', text: isBad(worst) ? worst.title : `${capital(verdict)}.` }),
      ...(isBad(worst) ? [place(worst), explained(worst), advice(worst)] : []));
  };

  const tile = (name, value, limit, isMet) => hs.el(`div.${isMet ? 'met' : 'missed'}`, {},
    hs.el('dt', { text: name }), hs.el('dd', { text: value }), hs.el('dd.muted', { text: limit }));

  const exactly = (share) => `${(100 * share).toPrecision(4)}\u00a0%`;
  const size = (bytes) => (bytes < 0 ? 'unknown' : units.bytes(bytes));

  const objectives = ({ slo }) => hs.el('dl.slo', {},
    tile('Longest pause', units.span(slo.longestPauseMillis), `of ${units.span(slo.pauseMaxMillis)} allowed`, slo.longestPauseMillis <= slo.pauseMaxMillis),
    tile('Throughput', exactly(slo.throughput), `of ${exactly(slo.throughputMin)} required`, slo.throughput >= slo.throughputMin),
    tile('Minutes with too long pauses', `${units.whole(slo.minutesOver)} of ${units.whole(slo.minutes)}`, `worst: ${units.span(slo.worstMinuteMillis)} of pauses`, slo.minutesOver === 0),
    tile('Process', size(slo.residentMax), `heap ${size(slo.heapCommittedMax)} committed`, true));

  // --- Findings ---------------------------------------------------------------------------------------

  const frames = (stack, at) => {
    const shown = stack.slice(0, MOST_FRAMES);
    const more = stack.length - shown.length;
    return hs.el('ol.stack', {}, ...shown.map((frame) => hs.el(frame === at ? 'li.at' : 'li.jdk', { text: frame })),
      more > 0 ? hs.el('li.jdk', { text: `\u2026 ${more} more` }) : '');
  };

  const site = ({ at, class: name, metric, text, stack }) =>
    folded('site', [hs.el('code', { text: at || '(no stack)' }), muted(`${name}, ${metric} ${text}`)], frames(stack, at));

  const caller = ({ call, count, stack }) =>
    folded('site', [hs.el('code', { text: stack[0] ?? '(no stack)' }), muted(`${call} called ${times(count)}`)], frames(stack, stack[0]));

  const against = ({ refuters, notFired }) => folded('against', ['Evidence against it'],
    list([...refuters.map((text) => `Wrong if: ${text}`), ...notFired.map(({ id, why }) => `Ruled out: ${id}. ${why}`)]));

  const when = ({ from, to, id }) =>
    hs.el('p.muted', {}, hs.el('code', { text: id }), `, ${clock(from)}, for ${units.span(millis(to) - millis(from))}`);

  /** The answer has the advice of its finding already. */
  const body = (finding, isAnswer) => [when(finding), list(finding.evidence.map(({ text }) => text)),
    ...finding.sites.map(site), ...finding.callers.map(caller), isAnswer ? '' : advice(finding), against(finding)];

  const badge = ({ severity }) => hs.el('span.badge', { text: severity });

  const article = (finding, consequences, isAnswer) => {
    const nested = consequences.map((each) => folded('consequence', [hs.el('code', { text: each.id }), ` ${each.title}`], ...body(each)));
    return hs.el(`article.panel.finding.${CLASS[finding.severity] ?? 'info'}`, {},
      hs.el('h3', {}, badge(finding), ` ${finding.title}`), ...body(finding, isAnswer),
      ...(nested.length ? [hs.el('p.consequences', { text: 'Consequences' }), ...nested] : []));
  };

  /** Causes, each with its consequences. */
  const articles = ({ findings }) => {
    const ids = new Set(findings.map(({ id }) => id));
    const isConsequence = ({ explainedBy }) => ids.has(explainedBy);
    return findings.filter((each) => !isConsequence(each))
      .map((cause) => article(cause, findings.filter(({ explainedBy }) => explainedBy === cause.id), cause === findings[0] && isBad(cause)));
  };

  // --- What it rests on -------------------------------------------------------------------------------

  const plots = ({ timeline, slo, findings }) => {
    const { series } = timeline;
    const [from, to] = [millis(timeline.from), millis(timeline.to)];
    const count = series.heapUsed.length;
    const at = (i) => from + i / (count - 1) * (to - from);
    const shades = findings.filter(({ severity }) => severity !== 'INFO').map((each) => ({ from: millis(each.from), to: millis(each.to) }));
    const marks = series.oldCollections.flatMap((number, i) => (number > 0 ? [at(i)] : []));
    const plot = (title, unit, lines, limit) => hs.plot.draw({ title, unit, limit, shades, marks, from, to,
      lines: lines.map(([name, css, values, isBar]) => ({ name, css, values, isBar })) });
    const drawn = count < 2 ? [] : [
      plot('Heap', units.bytes, [['committed', 'room', series.heapCommitted], ['used', 'main', series.heapUsed], ['old generation', 'old', series.oldUsed]]),
      plot('Pauses', units.span, [['young', 'main', series.pauseMillis, true], ['full', 'bad', series.oldPauseMillis, true]], slo.pauseMaxMillis),
      plot('Allocation per second', units.bytes, [['', 'main', series.allocationRate]]),
      plot('Process', units.bytes, [['resident', 'main', series.resident], ['accounted for by the JVM', 'room', series.accounted]]),
      plot('Metaspace', units.bytes, [['committed', 'room', series.metaspaceCommitted], ['used', 'main', series.metaspaceUsed]]),
      plot('Direct buffers', units.bytes, [['', 'main', series.directUsed]]),
    ].filter(Boolean);
    const legend = hs.el('p.muted', {}, shades.length ? 'Shaded: the time of findings. ' : '', marks.length ? 'Marks at the top: collections of the old generation.' : '');
    return [hs.el('h3', { text: 'Timeline' }), ...(drawn.length ? [hs.el('div.panel.plots', {}, ...drawn), legend]
      : [hs.el('p.muted', { text: 'The timeline is too short for plots.' })])];
  };

  const causes = ({ causes: rows }) => {
    if (!rows.length) return [];
    const heads = ['Cause', 'Pauses', 'Total', 'Longest', 'Cycles', 'Total'];
    const cells = (row) => [units.whole(row.pauses), row.pauses ? units.span(row.pauseMillis) : '', row.pauses ? units.span(row.longestPauseMillis) : '',
      units.whole(row.cycles), row.cycles ? units.span(row.cycleMillis) : ''];
    const numeric = (tag) => (text) => hs.el(`${tag}.numeric`, { text });
    return [hs.el('h3', { text: 'Causes of collections' }), hs.el('div.panel.causes', {}, hs.el('table', {},
      hs.el('thead', {}, hs.el('tr', {}, hs.el('th', { text: heads[0] }), ...heads.slice(1).map(numeric('th')))),
      hs.el('tbody', {}, ...rows.map((row) => hs.el('tr', {}, hs.el('td', {}, row.cause, row.meaning ? muted(row.meaning) : ''), ...cells(row).map(numeric('td')))))))];
  };

  const more = (title, items, isOpen) => (items.length
    ? hs.el('details.panel.more', { open: isOpen && '' }, hs.el('summary', { text: `${title} (${items.length})` }), list(items)) : '');

  const checks = ({ checks: rules }, observable) => rules.filter((each) => each.observable === observable).map(({ id, why }) => `${id}: ${why}`);

  const rest = (d) => [objectives(d), ...articles(d), ...plots(d), ...causes(d),
    more('Looked for and not found', checks(d, true)), more('Cannot be seen here', checks(d, false)),
    more('Notes', d.notes, true)];

  // --- The page ---------------------------------------------------------------------------------------

  /** Of a page without samples. */
  const drawHead = ({ jvm, from, to }) => {
    hs.byId('title').textContent = 'GC doctor';
    document.title = 'GC doctor';
    const facts = [['From', clock(from)], ['Watched for', units.span(millis(to) - millis(from))],
      ['Collector', `${jvm.collector}, JDK ${jvm.jdk}`], ['Heap', `up to ${units.bytes(jvm.maxHeap)}`]];
    hs.byId('facts').replaceChildren(...facts.map(([name, value]) => hs.el('div', {}, hs.el('dt', { text: name }), hs.el('dd', { text: value }))));
  };

  const draw = (diagnosis) => {
    const box = hs.byId('doctor');
    box.hidden = false;
    try {
      const [first, others] = [answer(diagnosis), rest(diagnosis)];
      if (!hs.data) drawHead(diagnosis);
      box.append(first, ...(hs.data ? [hs.el('details.rest', {}, hs.el('summary', { text: 'The whole diagnosis' }), ...others)] : others));
    } catch { // It is none, or not one that this page knows. The rest of the page is drawn without it.
      box.append(hs.el('p.panel.answer', { text: 'The diagnosis in this file cannot be read.' }));
      return;
    }
    const download = document.querySelector('[data-download=diagnosis]');
    download.hidden = false;
    download.addEventListener('click', () => hs.save('diagnosis.json', 'application/json', JSON.stringify(diagnosis)));
  };

  if (hs.diagnosis !== undefined) draw(hs.diagnosis);
  return { draw };
})();
