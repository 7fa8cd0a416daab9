// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

// How old the living are and how old the dead became: bars that stand on the same buckets.
hs.histogram = (() => {
  const { units } = hs;

  const lowerBound = (bucket, byCollections) => (byCollections ? bucket : (bucket === 0 ? 0 : 2 ** (bucket - 1)));

  const nameOf = (bucket, byCollections, buckets) => {
    const last = bucket === buckets - 1;
    if (byCollections) return last ? `${bucket} or more collections` : `${bucket} ${bucket === 1 ? 'collection' : 'collections'}`;
    const from = lowerBound(bucket, false);
    if (bucket === 0) return 'less than 1 ms';
    return last ? `${units.span(from)} or more` : `${units.span(from)} to ${units.span(lowerBound(bucket + 1, false))}`;
  };

  const shortName = (bucket, byCollections, buckets) => {
    if (byCollections) return bucket === buckets - 1 ? `${bucket}+` : String(bucket);
    return bucket === 0 ? '0' : units.span(lowerBound(bucket, false)).replace('\u00a0', '');
  };

  /** Half of the objects are in the buckets up to this one; -1 if there are none. */
  const median = (values) => {
    const total = values.reduce((sum, value) => sum + value, 0);
    let sum = 0;
    return total > 0 ? values.findIndex((value) => (sum += value) >= total / 2) : -1;
  };

  /**
   * Makes the chart.
   *
   * @param {Float64Array} alive estimated living objects by age
   * @param {Float64Array} dead estimated dead objects by age at death
   */
  const chart = (alive, dead, byCollections) => {
    const buckets = alive.length;
    const used = [...alive.keys()].filter((i) => alive[i] > 0 || dead[i] > 0);
    if (!used.length) return hs.el('p.muted', { text: 'No age is known: nothing here was tracked.' });
    const from = Math.max(0, used[0] - 1);
    const to = Math.min(buckets - 1, used[used.length - 1] + 1);
    const most = Math.max(...alive, ...dead);
    const figure = hs.el('div.bars', { role: 'list' });
    const every = Math.ceil((to - from + 1) / 5);
    for (let i = from; i <= to; i++) {
      const name = nameOf(i, byCollections, buckets);
      const spoken = `${name}: ${units.count(dead[i])} dead, ${units.count(alive[i])} alive`;
      const column = hs.el('div.bucket', { role: 'listitem', 'aria-label': spoken, title: spoken });
      for (const [kind, value] of [['dead', dead[i]], ['alive', alive[i]]]) {
        const bar = hs.el(`span.${kind}`);
        bar.style.height = value > 0 ? `max(2px, ${value / most * 100}%)` : '0';
        column.append(bar);
      }
      column.append(hs.el('span.tick', { text: (i - from) % every === 0 && (i < to - 1 || byCollections) ? shortName(i, byCollections, buckets) : '' }));
      figure.append(column);
    }
    return figure;
  };

  const sentence = (values, byCollections, what) => {
    const bucket = median(values);
    if (bucket < 0) return undefined;
    const upper = lowerBound(bucket + 1, byCollections);
    if (bucket === values.length - 1) return `Half of the ${what} are beyond the last bucket.`;
    return byCollections
      ? `Half of the ${what}: ${bucket} ${bucket === 1 ? 'collection' : 'collections'} or fewer.`
      : `Half of the ${what}: less than ${units.span(upper)}.`;
  };

  return { chart, sentence };
})();
