// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

// Files made from the data inside this page. Nothing is fetched.
hs.download = (() => {
  const { model, state, save } = hs;

  const stem = (snapshot) => `heap-${new Date(snapshot.takenAt).toISOString().slice(0, 19).replace(/[:T]/g, '-')}`;

  /** A frame must not hold what separates frames and figures. */
  const clean = (name) => name.replace(/[;\s]+/g, '_');

  /** One line per site: frames from the entry point on, the class, the figure. */
  const collapsed = (metric, side) => {
    const { value } = state.figures(metric, side);
    const includes = state.includes();
    const sums = new Map();
    for (let site = 0; site < model.siteCount; site++) {
      const figure = value[site];
      if (!includes[site] || figure === 0) continue;
      const frames = model.stackOf(site).reverse().map((frame) => clean(model.methods[model.methodOf[frame]].name));
      const line = [...frames, clean(model.classes[model.sites.class[site]].name)].join(';');
      sums.set(line, (sums.get(line) ?? 0) + figure);
    }
    return [...sums].map(([line, figure]) => [line, Math.round(figure)]).filter(([, figure]) => figure !== 0)
      .sort(([a], [b]) => (a < b ? -1 : 1)).map(([line, figure]) => `${line} ${figure}\n`).join('');
  };

  const FILES = {
    json: async () => save(`${stem(model.later)}.json`, 'application/json', await hs.unpacked('export-later').blob()),
    earlier: async () => save(`${stem(model.earlier)}.json`, 'application/json', await hs.unpacked('export-earlier').blob()),
    collapsed: () => {
      const { metric, side } = state.chosen;
      save(`${stem(side === 'earlier' ? model.earlier : model.later)}-${metric.id}${side === 'later' ? '' : `-${side}`}.collapsed`, 'text/plain', collapsed(metric, side));
    },
  };

  document.querySelectorAll('[data-download]').forEach((button) => {
    button.addEventListener('click', () => FILES[button.dataset.download]?.());
  });

  return { collapsed };
})();
