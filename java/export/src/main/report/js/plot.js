// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

// Plots of series over one time: lines, bars, a limit, shaded times and marks. Lines and bars are SVG that is
// stretched to the width of the page; all text is outside of it and keeps its size.
hs.plot = (() => {
  const NAMESPACE = 'http://www.w3.org/2000/svg';
  const WIDTH = 1000;
  const HEIGHT = 100;

  const shape = (tag, css, attributes) => {
    const element = document.createElementNS(NAMESPACE, tag);
    element.setAttribute('class', css);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  };

  const clock = (millis) => new Date(millis).toISOString().slice(11, 19);
  const known = (value) => value !== null && value !== undefined;

  /** Unknown values leave no gap: ticks may be further apart than points. */
  const line = (values, x, y) => {
    const points = values.map((value, i) => (known(value) ? `${x(i).toFixed(1)} ${y(value).toFixed(1)}` : '')).filter(Boolean);
    return points.length ? `M${points.join('L')}` : '';
  };

  const bars = (values, x, y) => values.map((value, i) => (value > 0 ? `M${x(i).toFixed(1)} ${HEIGHT}V${y(value).toFixed(1)}` : '')).join('');

  /**
   * Draws one plot.
   *
   * @param {Object} plot title, unit(value) to print, lines: [{name, css, values, isBar}], limit,
   *     shades: [{from, to}] and marks in milliseconds, from and to of the time
   * @returns {Element|string} '' if no line has a value above 0
   */
  const draw = ({ title, unit, lines, limit, shades, marks, from, to }) => {
    const most = lines.reduce((max, { values }) => values.reduce((a, b) => Math.max(a, b ?? 0), max), 0);
    const count = lines[0].values.length;
    if (!(most > 0) || count < 2) return '';
    const x = (i) => i / (count - 1) * WIDTH;
    const xOf = (millis) => Math.min(Math.max((millis - from) / (to - from), 0), 1) * WIDTH;
    const y = (value) => HEIGHT * (1 - value / most);
    const svg = shape('svg', '', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': `${title}, at most ${unit(most)}` });
    for (const shade of shades) {
      const left = xOf(shade.from);
      svg.append(shape('rect', 'shade', { x: left, y: 0, width: Math.max(xOf(shade.to) - left, 3), height: HEIGHT }));
    }
    if (marks.length) svg.append(shape('path', 'mark', { d: marks.map((at) => `M${xOf(at).toFixed(1)} 0v6`).join('') }));
    for (const { css, values, isBar } of lines) {
      svg.append(shape('path', `${isBar ? 'stick' : 'line'} ${css}`, { d: (isBar ? bars : line)(values, x, y) }));
    }
    if (limit <= most) svg.append(shape('path', 'limit', { d: `M0 ${y(limit).toFixed(1)}H${WIDTH}` }));

    const keys = lines.map(({ name, css, values }) => ({ name, values, figure: hs.el('b'), css }));
    const time = hs.el('span.at');
    const head = hs.el('figcaption', {}, hs.el('span.plot-title', { text: title }),
      ...keys.filter(({ name }) => name).map(({ name, css, figure }) => hs.el('span.plot-key', {}, hs.el(`i.${css}`), name, figure)), time);
    const cursor = shape('path', 'cursor', { d: '' });
    svg.append(cursor);
    const show = (i) => {
      keys.forEach(({ values, figure }) => { figure.textContent = i === undefined || !known(values[i]) ? '' : ` ${unit(values[i])}`; });
      if (i !== undefined && !keys[0].name && known(keys[0].values[i])) time.textContent = `${unit(keys[0].values[i])} \u00b7 `;
      else time.textContent = '';
      time.append(i === undefined ? '' : clock(from + i / (count - 1) * (to - from)));
      cursor.setAttribute('d', i === undefined ? '' : `M${x(i)} 0V${HEIGHT}`);
    };
    svg.addEventListener('pointermove', (event) => {
      const { left, width } = svg.getBoundingClientRect();
      show(Math.round(Math.min(Math.max((event.clientX - left) / width, 0), 1) * (count - 1)));
    });
    svg.addEventListener('pointerleave', () => show(undefined));
    return hs.el('figure.plot', {}, head,
      hs.el('div.plot-body', {}, hs.el('div.plot-scale', {}, hs.el('span', { text: unit(most) }), hs.el('span', { text: '0' })), svg),
      hs.el('div.plot-axis', {}, hs.el('span', { text: clock(from) }), hs.el('span', { text: hs.units.span(to - from) }), hs.el('span', { text: `${clock(to)} UTC` })));
  };

  return { draw };
})();
