// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

// The tables: sites, classes, threads, values of a label.
hs.lists = (() => {
  const { model, state, units, estimate, figures, labels } = hs;

  const select = (selected) => hs.app.update({ selected });

  const tables = {
    sites: new hs.Table(hs.byId('sites'), {
      label: 'Allocation sites',
      onSelect: (row) => select({ type: 'site', site: row.site, name: row.name }),
      tip: (row) => tip(row, row.text),
    }),
    classes: new hs.Table(hs.byId('classes'), {
      label: 'Classes',
      onSelect: (row) => select({ type: 'class', class: row.class, name: row.name }),
      tip: (row) => tip(row, `${units.whole(row.sites)} sites`),
    }),
    threads: new hs.Table(hs.byId('threads'), {
      label: 'Threads',
      onSelect: (row) => select({ type: 'thread', thread: row.thread, name: row.name }),
      tip: (row) => tip(row, row.id < 0 ? 'threads that had no room of their own' : `thread ${row.id}`),
    }),
    labels: new hs.Table(hs.byId('labels'), {
      label: 'Values of a label',
      onSelect: (row) => select({ type: 'label', key: row.key, value: row.value, name: row.name }),
      tip: (row) => tip(row, `label ${row.key}, ${units.whole(row.sites)} ${row.sites === 1 ? 'site' : 'sites'}`),
    }),
  };

  const tip = (row, below) => hs.tooltip.card(row.name || '(no name)', below, figures.tipRows(row.get, row.whole));

  // --- Columns ----------------------------------------------------------------------------------------

  const text = (id, title, of) => ({
    id, title, key: of, fill: (cell, row) => { cell.textContent = of(row) || '(no name)'; },
  });

  /** A class: its simple name, then its package in grey, which is the first to be cut off. */
  const className = () => ({
    id: 'class', title: 'Class', key: (row) => row.of.label,
    fill: (cell, row) => {
      cell.textContent = row.of.label;
      if (row.of.package) cell.append(' ', hs.el('small', { text: row.of.package }));
    },
  });

  const NARROW = new Set(['share', 'age', 'sites', 'samples', 'id']);

  const number = (id, title, hint, key, print) => ({
    id, title, hint, numeric: true, css: NARROW.has(id) ? 'narrow' : 'figure', key, fill: (cell, row) => { cell.textContent = print(key(row)); },
  });

  /** Without the unit, which the figures tell. */
  const titleOf = (metric) => (metric.kind === 'live' ? 'Live' : 'Allocated');

  /** The chosen metric: a bar behind the figure. */
  const main = (largest) => {
    const { metric, side } = state.chosen;
    const of = (row) => row.get(metric.kind, metric.unit, side).value;
    return {
      id: 'main', numeric: true, key: of,
      title: side === 'change' ? 'Change' : titleOf(metric),
      hint: 'The metric chosen above. Sort by it.',
      fill: (cell, row) => {
        const value = of(row);
        const bar = hs.el(`span.bar${value < 0 ? '.less' : ''}`, { 'aria-hidden': 'true' });
        bar.style.width = `${largest > 0 ? Math.abs(value) / largest * 100 : 0}%`;
        if (side === 'change') bar.classList.add('change');
        cell.append(bar, hs.el('span.value', { text: state.ofUnit(value) }));
      },
    };
  };

  const error = () => {
    const { metric, side } = state.chosen;
    const of = (row) => row.get(metric.kind, metric.unit, side);
    return {
      id: 'error', title: '\u00b1 95\u00a0%', numeric: true, hint: 'Half the width of the 95 % interval; italic where samples are too few for it.',
      key: (row) => estimate.margin(of(row)),
      fill: (cell, row) => {
        const e = of(row);
        cell.textContent = e.variance > 0 ? units.of(metric.unit, estimate.margin(e)) : (e.samples > 0 ? 'exact' : '');
        cell.classList.toggle('few', estimate.hasTooFewSamples(e));
      },
    };
  };

  const samples = () => {
    const { metric, side } = state.chosen;
    return number('samples', 'Samples', 'Samples that the figure rests on', (row) => row.get(metric.kind, metric.unit, side).samples, units.whole);
  };

  const others = () => {
    const { metric, side } = state.chosen;
    if (side === 'change') {
      const of = (each) => (row) => row.get(metric.kind, metric.unit, each).value;
      const sure = {
        id: 'sure', title: 'Not 0', hint: 'Do the 95\u00a0% bounds of the change not hold 0? Of many rows that do not change, one in 20 is so by chance. Samples that both snapshots share are not recognised here, so the bounds are too wide where there are some; HeapDiff.growing() recognises them',
        key: (row) => Number(estimate.isSure(row.get(metric.kind, metric.unit, side))), numeric: true,
        fill: (cell, row) => { cell.textContent = estimate.isSure(row.get(metric.kind, metric.unit, side)) ? 'yes' : ''; },
      };
      return [sure, ...['earlier', 'later'].map((each) =>
        number(each, each === 'earlier' ? 'Earlier' : 'Later', `In the ${each} snapshot`, of(each), (value) => units.of(metric.unit, value)))];
    }
    const columns = state.METRICS.filter((other) => other.unit === metric.unit && other !== metric).map((other) =>
      number(other.id, titleOf(other), `${other.title}, estimated`, (row) => row.get(other.kind, other.unit, side).value,
        (value) => units.of(other.unit, value)));
    columns.push(number('share', 'Live\u00a0%', 'Live bytes of the allocated', (row) => figures.liveShare(row.get, side), units.percent));
    return columns;
  };

  const age = () => number('age', 'Age', 'Mean age of the objects that are not known to be dead', (row) => row.age, units.span);

  // --- Rows -------------------------------------------------------------------------------------------

  const isShown = (row) => {
    const { side, metric } = state.chosen;
    return side === 'later' || row.get(metric.kind, metric.unit, side).samples > 0;
  };

  /** Sums columns of figures by site into groups: groupOf is the group of each site. */
  const grouped = (columns, marks, groupOf, count) => Object.fromEntries(Object.entries(columns).map(([name, column]) => {
    const sums = new Float64Array(count);
    for (let site = 0; site < model.siteCount; site++) {
      if (marks[site]) sums[groupOf[site]] += column[site];
    }
    return [name, sums];
  }));

  /** Counts the whole sites of each group. */
  const countWholes = (marks, groupOf, count) => {
    const seen = new Set();
    const counts = new Int32Array(count);
    for (let site = 0; site < model.siteCount; site++) {
      const key = groupOf[site] * model.wholeCount + model.wholeOf[site];
      if (!marks[site] || seen.has(key)) continue;
      seen.add(key);
      counts[groupOf[site]]++;
    }
    return counts;
  };

  /** What is known of groups of the marked sites: a getter of estimates, the mean age, whole sites. */
  const groupsOf = (marks, groupOf, count) => {
    const kept = new Map();
    const columns = (kind, unit, side) => {
      const key = kind + unit + side;
      if (!kept.has(key)) kept.set(key, grouped(model.columns('bySite', kind, unit, side), marks, groupOf, count));
      return kept.get(key);
    };
    const { objects, millis } = grouped(model.aged, marks, groupOf, count);
    const sites = countWholes(marks, groupOf, count);
    return (i) => ({
      sites: sites[i], age: objects[i] > 0 ? millis[i] / objects[i] : NaN,
      get: (kind, unit, side) => model.at(columns(kind, unit, side), i),
    });
  };

  const siteRows = () => {
    const found = state.search()?.siteMarks;
    const marks = state.includes().map((mark, site) => mark & (found ? found[site] : 1));
    const group = groupsOf(marks, model.wholeOf, model.wholeCount);
    const rows = [];
    model.firstMarked(marks).forEach((mark, marked) => {
      if (!mark) return;
      const whole = model.wholeOf[marked];
      const site = model.firstOfWhole[whole];
      const of = model.classes[model.sites.class[site]];
      rows.push({ site, of, name: of.name, text: model.siteText(site), ...group(whole) });
    });
    return rows;
  };

  const classRows = () => {
    const found = state.search();
    const group = groupsOf(state.includes(), model.sites.class, model.classes.length);
    return model.classes.map((each, i) => ({ class: i, of: each, name: each.name, ...group(i) }))
      .filter((row) => row.sites > 0 && (!found || found.classMarks[row.class]));
  };

  const labelRows = () => {
    const wanted = state.chosen.search.trim().toLowerCase();
    const key = state.chosen.labelKey;
    const { names, of } = labels.valuesOf(key);
    const group = groupsOf(state.includes(), of, names.length);
    return names.map((name, value) => ({ key, value, name, ...group(value) }))
      .filter((row) => row.sites > 0 && (!wanted || row.name.toLowerCase().includes(wanted)));
  };

  const threadRows = () => {
    const wanted = state.chosen.search.trim().toLowerCase();
    const { name, id } = model.data.threads;
    return name.map((threadName, i) => ({
      thread: i, name: threadName, id: id[i], get: figures.ofThread(i),
    })).filter((row) => !wanted || row.name.toLowerCase().includes(wanted));
  };

  const siteCount = () => number('sites', 'Sites', 'Allocation sites', (row) => row.sites, units.whole);
  const threadId = () => number('id', 'Id', 'As Thread.threadId() gives it', (row) => row.id, (id) => (id < 0 ? '' : String(id)));

  const VIEWS = {
    sites: {
      rows: siteRows,
      columns: () => [className(), text('site', 'Allocated at', (row) => row.text)],
      more: () => [age(), samples()],
      isSelected: (row) => state.chosen.selected?.site === row.site,
    },
    classes: {
      rows: classRows,
      columns: () => [className()],
      more: () => [age(), siteCount(), samples()],
      isSelected: (row) => state.chosen.selected?.class === row.class,
    },
    threads: {
      rows: threadRows,
      columns: () => [text('class', 'Thread', (row) => row.name), threadId()],
      more: () => [samples()],
      isSelected: (row) => state.chosen.selected?.thread === row.thread,
    },
    labels: {
      rows: labelRows,
      columns: () => [text('class', state.chosen.labelKey, (row) => row.name)],
      more: () => [age(), siteCount(), samples()],
      isSelected: ({ key, value }) => {
        const { selected } = state.chosen;
        return selected?.type === 'label' && selected.key === key && selected.value === value;
      },
    },
  };

  const draw = (name) => {
    const view = VIEWS[name];
    const { metric, side } = state.chosen;
    const rows = view.rows().filter(isShown);
    const values = rows.map((row) => row.get(metric.kind, metric.unit, side).value);
    const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    const whole = values.reduce((sum, value) => sum + value, 0);
    rows.forEach((row) => { row.whole = whole; });
    const more = side === 'change' ? view.more().filter((column) => column.id !== 'age') : view.more();
    tables[name].show(rows, [...view.columns(), main(largest), error(), ...others(), ...more], {
      sortBy: 'main', isSelected: view.isSelected,
    });
    hs.byId(`${name}-empty`).hidden = rows.length > 0;
    return rows.length;
  };

  return { draw, VIEWS };
})();
