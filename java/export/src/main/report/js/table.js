// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

// A table of any length: it has elements only for the rows that can be seen. A column is {id, title, hint,
// numeric, key(row) to sort by, fill(cell, row), first: "ascending" or "descending"}.
hs.Table = class {
  static ROW = 28;
  static MARGIN = 8;

  constructor(box, { label, onSelect, tip }) {
    this.box = box;
    this.rows = [];
    this.focused = 0;
    this.onSelect = onSelect;
    this.head = hs.el('tr');
    this.body = hs.el('tbody');
    this.table = hs.el('table', { role: 'grid', 'aria-label': label }, hs.el('thead', {}, this.head), this.body);
    box.replaceChildren(this.table);
    box.addEventListener('scroll', () => this.draw());
    this.body.addEventListener('click', (event) => this.select(event.target.closest('tr[role=row]')));
    this.body.addEventListener('keydown', (event) => this.onKey(event));
    hs.tooltip.attach(box, 'tbody tr[role=row]', (element) => tip(d3.select(element).datum()));
    new ResizeObserver(() => this.draw()).observe(box);
  }

  /** Shows rows; sorts by the column chosen before, or by the one given. */
  show(rows, columns, { sortBy, isSelected }) {
    const ids = columns.map((column) => column.id).join();
    if (this.ids !== ids) {
      this.ids = ids;
      this.sort = undefined;
      this.box.scrollTop = 0;
    }
    Object.assign(this, { columns, isSelected });
    this.sort ??= { id: sortBy, way: 'descending' };
    this.rows = this.sorted(rows);
    this.focused = Math.min(this.focused, Math.max(rows.length - 1, 0));
    this.table.setAttribute('aria-rowcount', rows.length + 1);
    this.drawHead();
    this.draw();
  }

  sorted(rows) {
    const column = this.columns.find((each) => each.id === this.sort.id) ?? this.columns[0];
    const keyed = rows.map((row) => ({ row, key: column.key(row) }));
    const sign = this.sort.way === 'descending' ? -1 : 1;
    // What has no figure comes last, either way.
    const missing = (key) => typeof key === 'number' && Number.isNaN(key);
    const compare = (a, b) => (typeof a === 'string' ? a.localeCompare(b) : a - b);
    keyed.sort((a, b) => missing(a.key) - missing(b.key) || (missing(a.key) ? 0 : sign * compare(a.key, b.key)));
    return keyed.map(({ row }) => row);
  }

  sortBy(column) {
    const first = column.numeric ? 'descending' : 'ascending';
    const other = first === 'descending' ? 'ascending' : 'descending';
    this.sort = { id: column.id, way: this.sort.id === column.id && this.sort.way === first ? other : first };
    this.rows = this.sorted(this.rows);
    this.box.scrollTop = 0;
    this.focused = 0;
    this.drawHead();
    this.draw();
    this.head.querySelector(`[data-column="${column.id}"] button`).focus();
  }

  drawHead() {
    this.head.replaceChildren(...this.columns.map((column) => {
      const button = hs.el('button', { type: 'button', text: column.title, title: column.hint });
      button.addEventListener('click', () => this.sortBy(column));
      const isSorted = this.sort.id === column.id;
      return hs.el(`th.${column.css ?? column.id}${column.numeric ? '.numeric' : ''}`,
        { scope: 'col', 'data-column': column.id, 'aria-sort': isSorted ? this.sort.way : 'none' }, button);
    }));
  }

  draw() {
    if (!this.columns || !this.box.clientHeight) return;
    const { ROW, MARGIN } = hs.Table;
    const from = Math.max(0, Math.floor(this.box.scrollTop / ROW) - MARGIN);
    const to = Math.min(this.rows.length, from + Math.ceil(this.box.clientHeight / ROW) + 2 * MARGIN);
    const slice = this.rows.slice(from, to);
    const space = (rows) => {
      const row = hs.el('tr.space', { 'aria-hidden': 'true' });
      row.style.height = `${rows * ROW}px`;
      return row;
    };
    const focusedRow = this.body.contains(document.activeElement);
    const elements = slice.map((row, i) => this.element(row, from + i));
    this.body.replaceChildren(space(from), ...elements, space(this.rows.length - to));
    if (focusedRow) elements[this.focused - from]?.focus({ preventScroll: true });
  }

  element(row, index) {
    const element = hs.el('tr', {
      role: 'row', tabindex: index === this.focused ? '0' : '-1', 'aria-rowindex': index + 2,
      'aria-selected': this.isSelected(row) ? 'true' : 'false',
    });
    d3.select(element).datum(row);
    for (const column of this.columns) {
      const cell = hs.el(`td.${column.css ?? column.id}${column.numeric ? '.numeric' : ''}`);
      column.fill(cell, row);
      element.append(cell);
    }
    return element;
  }

  select(element) {
    if (!element) return;
    this.focused = Number(element.getAttribute('aria-rowindex')) - 2;
    element.focus({ preventScroll: true });
    this.onSelect(d3.select(element).datum());
  }

  onKey(event) {
    const page = Math.max(1, Math.floor(this.box.clientHeight / hs.Table.ROW) - 2);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    if (event.key === 'Enter' || event.key === ' ') {
      this.select(event.target.closest('tr[role=row]'));
    } else if (event.key in steps && !event.ctrlKey && !event.metaKey) {
      this.focused = Math.min(Math.max(this.focused + steps[event.key], 0), this.rows.length - 1);
      this.reveal();
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }

  reveal() {
    const { ROW } = hs.Table;
    const head = this.head.offsetHeight;
    const top = this.focused * ROW;
    if (top < this.box.scrollTop) this.box.scrollTop = top;
    const bottom = top + ROW + head - this.box.clientHeight;
    if (bottom > this.box.scrollTop) this.box.scrollTop = bottom;
    this.draw();
    this.body.querySelector('tr[tabindex="0"]')?.focus({ preventScroll: true });
  }
};
