// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

// Labels of samples: which value of a key each site of the data has. Without labels in the data there are no keys.
hs.labels = (() => {
  const { model } = hs;
  const NONE = '(none)';
  const OTHER = '(other)';

  const sets = (model.data.labels ?? []).map(({ pairs, other }) => {
    const values = new Map();
    for (let i = 0; i < pairs.length; i += 2) values.set(pairs[i], pairs[i + 1]);
    return { values, other: Boolean(other) };
  });
  const keys = [...new Set(sets.flatMap(({ values }) => [...values.keys()]))].sort();

  const known = new Map();

  /**
   * The values of a key: their names, and the number of the value of each site.
   *
   * @param {string} key one of keys
   */
  const valuesOf = (key) => {
    if (!known.has(key)) {
      const names = [];
      // A value may read like "(none)" and is another one still.
      const numbers = new Map();
      const number = (id, name) => {
        if (!numbers.has(id)) {
          numbers.set(id, names.length);
          names.push(name);
        }
        return numbers.get(id);
      };
      const ofSet = sets.map(({ values, other }) => {
        if (other) return number('other', OTHER);
        return values.has(key) ? number(`=${values.get(key)}`, values.get(key)) : number('none', NONE);
      });
      known.set(key, { names, of: Int32Array.from(model.sites.labels, (set) => ofSet[set]) });
    }
    return known.get(key);
  };

  /** Marks the sites that have a value, a number of valuesOf(key); all sites without a filter. */
  const marks = (filter) => {
    if (!filter) return new Uint8Array(model.siteCount).fill(1);
    return Uint8Array.from(valuesOf(filter.key).of, (value) => Number(value === filter.value));
  };

  const textOf = ({ key, value }) => `${key} = ${valuesOf(key).names[value]}`;

  return { keys, valuesOf, marks, textOf };
})();
