// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

// Estimates with their errors: the same arithmetic as io.heapsampler.Estimate, for sums made here.
hs.estimate = (() => {
  const Z95 = 1.96;
  const ENOUGH = 10;
  const ENOUGH_UNSEEN = 5;

  const bound = ({ value, variance, seen }, side) => {
    if (value <= 0 || seen === -Infinity) return value + side * Z95 * Math.sqrt(variance);
    const shift = Z95 * Z95 / 2 * (variance / value);
    return value + shift + side * Math.sqrt(Z95 * Z95 * variance + shift * shift);
  };

  const low = (e) => Math.max(bound(e, -1), e.seen);
  const high = (e) => bound(e, 1);
  const margin = (e) => Z95 * Math.sqrt(e.variance);

  const hasTooFewSamples = (e) => {
    if (e.variance <= 0) return false;
    if (e.seen === -Infinity) return e.samples < ENOUGH;
    const unseen = e.value - e.seen;
    return e.samples < ENOUGH || unseen * unseen < ENOUGH_UNSEEN * e.variance;
  };

  /**
   * Do the 95 % bounds of a difference not hold 0? Of many that are 0 in truth, those of one in 20 do not. Samples of both sides are not
   * recognised here, so the bounds are too wide where snapshots share samples. HeapDiff.growing() recognises them.
   */
  const isSure = (e) => Math.abs(e.value) > margin(e) && !hasTooFewSamples(e);

  /** "± 1.2 MiB", or "exact". */
  const error = (e, unit) => (e.variance > 0 ? `\u00b1\u00a0${hs.units.of(unit, margin(e))}` : 'exact');

  /** "between 10.1 MiB and 12.4 MiB (95 %), 212 samples". */
  const sentence = (e, unit) => {
    const samples = `${hs.units.whole(e.samples)} ${e.samples === 1 ? 'sample' : 'samples'}`;
    if (e.variance <= 0) return e.samples > 0 ? `nothing left to chance, ${samples}` : 'no sample';
    const range = `between ${hs.units.of(unit, low(e))} and ${hs.units.of(unit, high(e))} (95\u00a0%), ${samples}`;
    return hasTooFewSamples(e) ? `${range}: too few, only a hint` : range;
  };

  return { low, high, margin, hasTooFewSamples, isSure, error, sentence };
})();
