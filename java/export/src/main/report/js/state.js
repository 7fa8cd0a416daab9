// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

// What the reader has chosen, and what follows from it. Derived things are made once and kept until what
// they were made from changes.
hs.state = (() => {
  const { model, tree, labels } = hs;
  const METRICS = [
    { id: 'allocated-bytes', kind: 'allocated', unit: 'bytes', title: 'Allocated' },
    { id: 'live-bytes', kind: 'live', unit: 'bytes', title: 'Live' },
    { id: 'allocated-objects', kind: 'allocated', unit: 'objects', title: 'Allocated objects' },
    { id: 'live-objects', kind: 'live', unit: 'objects', title: 'Live objects' },
  ];

  const chosen = {
    metric: METRICS.find(({ kind, unit }) => `${kind}_${unit}`.toUpperCase() === model.data.metric),
    side: model.hasDiff ? 'change' : 'later',
    view: 'flame',
    isIcicle: false,
    reversed: false,
    hidesJdk: false,
    colours: 'package',
    packages: '',
    label: undefined, // a filter {key, value}
    groupBy: '', // a key of labels
    labelKey: labels.keys[0], // whose values are in the table
    search: '',
    zoom: 0,
    selected: undefined,
    byCollections: false,
  };

  const kept = new Map();

  /** Returns what make() made for this name and key. */
  const once = (name, key, make) => {
    const old = kept.get(name);
    if (old && old.key === key) return old.value;
    const value = make();
    kept.set(name, { key, value });
    return value;
  };

  const filterKey = () => `${chosen.packages}|${chosen.label ? labels.textOf(chosen.label) : ''}|${chosen.label?.value}`;
  const includes = () => once('includes', filterKey(), () => {
    const marks = labels.marks(chosen.label);
    return model.packageFilter(chosen.packages).map((mark, site) => mark & marks[site]);
  });
  const search = () => once('search', chosen.search, () => model.search(chosen.search));
  const groups = () => (chosen.groupBy ? labels.valuesOf(chosen.groupBy) : undefined);
  const treeKey = () => `${filterKey()}|${chosen.hidesJdk}|${chosen.reversed}|${chosen.groupBy}`;
  const currentTree = () => once('tree', treeKey(), () => tree.build({
    includes: includes(), hidesJdk: chosen.hidesJdk, reversed: chosen.reversed, groups: groups(),
  }));

  const figures = (metric = chosen.metric, side = chosen.side) =>
    model.columns('bySite', metric.kind, metric.unit, side);

  /** Figures of the tree: each metric and side is summed on first use. */
  const treeFigures = (metric = chosen.metric, side = chosen.side) =>
    once(`tree ${metric.id} ${side}`, treeKey(), () => tree.sumFigures(currentTree(), figures(metric, side)));

  const treeSums = (name, column) => once(`sums ${name}`, treeKey(), () => tree.sums(currentTree(), column()));

  /** How wide the nodes are: their figure, or how much has changed below them. */
  const widths = () => (chosen.side === 'change'
    ? treeSums(`width ${chosen.metric.id}`, () => figures().value.map(Math.abs))
    : treeFigures().value);

  /** Sums the figures of the sites that are marked. */
  const total = (marks, columns = figures()) => {
    const sum = { value: 0, variance: 0, seen: 0, samples: 0 };
    for (let site = 0; site < model.siteCount; site++) {
      if (!marks[site]) continue;
      sum.value += columns.value[site];
      sum.variance += columns.variance[site];
      sum.seen += columns.seen[site];
      sum.samples += columns.samples[site];
    }
    if (chosen.side === 'change' && sum.seen === 0) sum.seen = -Infinity;
    return sum;
  };

  const ofUnit = (value) => (chosen.side === 'change'
    ? hs.units.signed(chosen.metric.unit, value) : hs.units.of(chosen.metric.unit, value));

  return { chosen, METRICS, includes, search, groups, tree: currentTree, figures, treeFigures, treeSums, widths, total, ofUnit };
})();
