// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

// The three tables: sites, classes, threads.
hs.lists = (() => {
  const { model, state, units, estimate, figures } = hs;

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

  const siteRows = () => {
    const includes = state.includes();
    const found = state.search()?.siteMarks;
    const rows = [];
    for (let site = 0; site < model.siteCount; site++) {
      if (!includes[site] || (found && !found[site])) continue;
      const objects = model.aged.objects[site];
      rows.push({
        site, of: model.classes[model.sites.class[site]], name: model.classes[model.sites.class[site]].name,
        text: model.siteText(site),
        get: figures.ofSite(site), age: objects > 0 ? model.later.meanAge[site] : NaN,
      });
    }
    return rows;
  };

  /** Sums figures by site into figures by class. */
  const byClass = (columns, marks) => {
    const sums = {};
    for (const [name, column] of Object.entries(columns)) {
      sums[name] = new Float64Array(model.classes.length);
      for (let site = 0; site < model.siteCount; site++) {
        if (marks[site]) sums[name][model.sites.class[site]] += column[site];
      }
    }
    return sums;
  };

  const classRows = () => {
    const includes = state.includes();
    const found = state.search();
    const kept = new Map();
    const columns = (kind, unit, side) => {
      const key = kind + unit + side;
      if (!kept.has(key)) kept.set(key, byClass(model.columns('bySite', kind, unit, side), includes));
      return kept.get(key);
    };
    const aged = byClass(model.aged, includes);
    const sites = byClass({ sites: new Float64Array(model.siteCount).fill(1) }, includes).sites;
    return model.classes.map((each, i) => ({
      class: i, of: each, name: each.name, sites: sites[i], age: aged.objects[i] > 0 ? aged.millis[i] / aged.objects[i] : NaN,
      get: (kind, unit, side) => model.at(columns(kind, unit, side), i),
    })).filter((row) => row.sites > 0 && (!found || found.classMarks[row.class]));
  };

  const threadRows = () => {
    const wanted = state.chosen.search.trim().toLowerCase();
    const { name, id } = model.data.threads;
    return name.map((threadName, i) => ({
      thread: i, name: threadName, id: id[i], get: figures.ofThread(i),
    })).filter((row) => !wanted || row.name.toLowerCase().includes(wanted));
  };

  const siteCount = () => number('sites', 'Sites', 'Allocation sites of this class', (row) => row.sites, units.whole);
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
