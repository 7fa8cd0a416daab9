// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

// Numbers as a reader wants them. Binary prefixes for bytes; one decimal.
hs.units = (() => {
  const MINUS = '\u2212';
  const BYTE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  const COUNT_UNITS = ['', 'k', 'M', 'G', 'T'];
  const SPANS = [[1000, 'ms', 1], [60_000, 's', 1000], [3_600_000, 'min', 60_000],
    [86_400_000, 'h', 3_600_000], [Infinity, 'd', 86_400_000]];

  const scaled = (value, base, units) => {
    let size = Math.abs(value);
    let unit = 0;
    // 1,023.96 KiB would be printed as 1024.0 KiB
    while (unit < units.length - 1 && size >= base - 0.05) {
      size /= base;
      unit++;
    }
    const digits = unit === 0 ? (size < 10 && size % 1 >= 0.05 ? 1 : 0) : 1;
    const number = size.toFixed(digits);
    return [(value < 0 && Number(number) > 0 ? MINUS : '') + number, units[unit]];
  };

  const join = ([number, unit]) => (unit ? `${number}\u00a0${unit}` : number);
  const bytes = (value) => join(scaled(value, 1024, BYTE_UNITS));
  const count = (value) => join(scaled(value, 1000, COUNT_UNITS));
  const of = (unit, value) => (unit === 'bytes' ? bytes(value) : count(value));

  /** With a sign, for differences. */
  const signed = (unit, value) => (value > 0 ? '+' : '') + of(unit, value);

  /** All digits, in groups of three. */
  const whole = (value) => {
    const digits = String(Math.round(Math.abs(value))).replace(/\B(?=(\d{3})+$)/g, ',');
    return (value <= -0.5 ? MINUS : '') + digits;
  };

  const percent = (share) => {
    if (!Number.isFinite(share)) return '\u2013';
    const value = Math.abs(share) * 100;
    if (value > 0 && value < 0.1) return '<\u00a00.1\u00a0%';
    return `${share < 0 && value >= 0.05 ? MINUS : ''}${value.toFixed(value >= 99.95 ? 0 : 1)}\u00a0%`;
  };

  const span = (millis) => {
    if (!Number.isFinite(millis)) return '\u2013';
    if (millis < 1) return '<\u00a01\u00a0ms';
    const [, unit, size] = SPANS.find(([below]) => millis < below);
    const value = millis / size;
    return `${value.toFixed(value < 10 && unit !== 'ms' ? 1 : 0)}\u00a0${unit}`;
  };

  const time = (millis) => `${new Date(millis).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

  return { bytes, count, of, signed, whole, percent, span, time, MINUS };
})();
