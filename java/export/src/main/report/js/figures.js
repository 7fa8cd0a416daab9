// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

// Figures in words: rows for tooltips and the panel of details, from any way to get at an estimate.
hs.figures = (() => {
  const { state, estimate, units, model } = hs;

  /** A getter of estimates: (kind, unit, side) => estimate. */
  const ofSite = (site) => (kind, unit, side) => model.at(model.columns('bySite', kind, unit, side), site);
  const ofThread = (thread) => (kind, unit, side) => model.at(model.columns('byThread', kind, unit, side), thread);
  const ofSites = (marks) => (kind, unit, side) =>
    state.total(marks, model.columns('bySite', kind, unit, side));

  const withError = (e, unit, side) => {
    const value = side === 'change' ? units.signed(unit, e.value) : units.of(unit, e.value);
    return e.variance > 0 ? `${value} ${estimate.error(e, unit)}` : value;
  };

  /** The chosen metric with its error, what it is a share of, and the rest in short. */
  const tipRows = (get, whole) => {
    const { metric, side } = state.chosen;
    const main = get(metric.kind, metric.unit, side);
    const rows = [[sideTitle(metric, side), withError(main, metric.unit, side), estimate.sentence(main, metric.unit)]];
    if (side === 'change') {
      for (const each of ['earlier', 'later']) {
        rows.push([each, withError(get(metric.kind, metric.unit, each), metric.unit, each)]);
      }
      rows.push(['verdict', verdict(main)]);
      return rows;
    }
    if (whole) rows.push(['of all', units.percent(main.value / whole)]);
    for (const other of state.METRICS) {
      if (other !== metric) rows.push([other.title.toLowerCase(), withError(get(other.kind, other.unit, side), other.unit, side)]);
    }
    rows.push(['live share', units.percent(liveShare(get, side))]);
    return rows;
  };

  const sideTitle = (metric, side) => (side === 'change' ? `change, ${metric.title.toLowerCase()}` : metric.title.toLowerCase());

  const verdict = (e) => {
    if (e.value === 0) return 'the same';
    const way = e.value > 0 ? 'grew' : 'shrank';
    if (estimate.isSure(e)) return `${way}; its own 95\u00a0% bounds do not hold 0`;
    return `${way}; its own 95\u00a0% bounds hold 0`;
  };

  const liveShare = (get, side) => {
    const allocated = get('allocated', 'bytes', side).value;
    return allocated > 0 ? Math.min(get('live', 'bytes', side).value / allocated, 1) : NaN;
  };

  return { ofSite, ofThread, ofSites, withError, tipRows, verdict, liveShare };
})();
