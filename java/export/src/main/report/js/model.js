// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

// The data of the page: what ReportData.java has written, and what is derived from it. A "side" is one of
// "later" (the snapshot of the report), "earlier" (what it is compared with) and "change".
hs.model = (() => {
  const JDK = /^(java|javax|jdk|sun|com\.sun)\./;
  const KINDS = ['allocated', 'live', 'unconfirmed'];
  const TIME_BUCKETS = 32;

  const { data } = hs;
  const { names, frames, nodes, sites } = data;
  const later = data.snapshots[data.snapshots.length - 1];
  const earlier = data.snapshots.length > 1 ? data.snapshots[0] : undefined;
  const siteCount = sites.node.length;

  const squares = (errors) => Float64Array.from(errors, (error) => error * error);

  /** Columns of figures: value, variance, what was really seen, samples. */
  const columnsOf = (amount, unit) => ({
    value: Float64Array.from(amount[unit]),
    variance: squares(amount[`${unit}Error`]),
    seen: Float64Array.from(unit === 'bytes' ? amount.sampledBytes : amount.samples),
    samples: Float64Array.from(amount.samples),
  });

  const difference = (to, from) => ({
    value: to.value.map((value, i) => value - from.value[i]),
    variance: to.variance.map((value, i) => value + from.variance[i]),
    seen: to.seen.map(() => -Infinity),
    samples: to.samples.map((value, i) => value + from.samples[i]),
  });

  const cache = new Map();

  /** table: "bySite" or "byThread"; kind: one of KINDS; unit: "bytes" or "objects". */
  const columns = (table, kind, unit, side) => {
    const key = `${table} ${kind} ${unit} ${side}`;
    if (!cache.has(key)) {
      cache.set(key, side === 'change'
        ? difference(columns(table, kind, unit, 'later'), columns(table, kind, unit, 'earlier'))
        : columnsOf((side === 'later' ? later : earlier)[table][kind], unit));
    }
    return cache.get(key);
  };

  const at = (figures, i) => ({
    value: figures.value[i], variance: figures.variance[i], seen: figures.seen[i], samples: figures.samples[i],
  });

  // --- Names ------------------------------------------------------------------------------------------

  const packageOf = (className) => {
    const element = className.replace(/(\[\])+$/, '');
    const dot = element.lastIndexOf('.');
    return dot < 0 ? '' : element.slice(0, dot);
  };

  const simpleName = (className) => className.slice(packageOf(className).length).replace(/^\./, '');

  // A method is a class and a name: lines and overloads of it are one frame of the flame graph.
  const methods = [];
  const methodOf = new Int32Array(frames.class.length);
  const known = new Map();
  for (let i = 0; i < methodOf.length; i++) {
    const key = frames.class[i] * names.length + frames.method[i];
    let method = known.get(key);
    if (method === undefined) {
      method = methods.length;
      known.set(key, method);
      const className = names[frames.class[i]];
      methods.push({
        className,
        name: `${className}.${names[frames.method[i]]}`,
        label: `${simpleName(className)}.${names[frames.method[i]]}`,
        package: packageOf(className),
        isJdk: JDK.test(className),
      });
    }
    methodOf[i] = method;
  }

  const classes = data.classes.map((name) => {
    const className = names[name];
    return { className, name: className, label: simpleName(className), package: packageOf(className), isJdk: JDK.test(className) };
  });

  const frameText = (frame) => {
    const file = frames.file[frame] < 0 ? 'unknown source' : names[frames.file[frame]];
    const line = frames.line[frame] > 0 ? `:${frames.line[frame]}` : '';
    return `${methods[methodOf[frame]].name}(${file}${line})`;
  };

  const shortFrameText = (frame) => {
    const line = frames.line[frame] > 0 ? `:${frames.line[frame]}` : '';
    return methods[methodOf[frame]].label + line;
  };

  /** The frames of a site, leaf first. */
  const stackOf = (site) => {
    const stack = [];
    for (let node = sites.node[site]; node >= 0; node = nodes.parent[node]) stack.push(nodes.frame[node]);
    return stack;
  };

  /** The frame that a reader looks for: the first that is not of the JDK, or the leaf. */
  const siteFrame = Int32Array.from(sites.node, (leaf) => {
    for (let node = leaf; node >= 0; node = nodes.parent[node]) {
      if (!methods[methodOf[nodes.frame[node]]].isJdk) return nodes.frame[node];
    }
    return leaf < 0 ? -1 : nodes.frame[leaf];
  });

  const siteText = (site) => {
    if (siteFrame[site] >= 0) return shortFrameText(siteFrame[site]);
    return sites.flags[site] & 1 ? '(no room in a table)' : '(no stack)';
  };

  // --- Whole sites ------------------------------------------------------------------------------------

  // A site of the data has one set of labels. Those with the same stack and class are parts of one whole site.
  const wholeOf = new Int32Array(siteCount);
  const firstOfWhole = [];
  {
    const wholes = new Map();
    for (let site = 0; site < siteCount; site++) {
      const key = `${sites.node[site]},${sites.class[site]},${sites.flags[site]}`;
      if (!wholes.has(key)) {
        wholes.set(key, firstOfWhole.length);
        firstOfWhole.push(site);
      }
      wholeOf[site] = wholes.get(key);
    }
  }

  /** Marks the first marked part of each whole site. */
  const firstMarked = (marks) => {
    const seen = new Uint8Array(firstOfWhole.length);
    return Uint8Array.from(marks, (mark, site) => {
      if (!mark || seen[wholeOf[site]]) return 0;
      seen[wholeOf[site]] = 1;
      return 1;
    });
  };

  const countWholes = (marks) => firstMarked(marks).reduce((sum, mark) => sum + mark, 0);

  // --- Which sites ------------------------------------------------------------------------------------

  /** Marks the sites of which the class, or a method on the stack, is marked. */
  const sitesWith = (classMarks, methodMarks) => {
    const nodeMarks = new Uint8Array(nodes.frame.length);
    for (let i = 0; i < nodeMarks.length; i++) {
      nodeMarks[i] = methodMarks[methodOf[nodes.frame[i]]] || (nodes.parent[i] >= 0 ? nodeMarks[nodes.parent[i]] : 0);
    }
    return Uint8Array.from(sites.node, (node, site) =>
      classMarks[sites.class[site]] || (node >= 0 ? nodeMarks[node] : 0));
  };

  const marksOf = (list, accepts) => Uint8Array.from(list, (each) => (accepts(each) ? 1 : 0));

  /** Marks what a search finds; undefined if there is nothing to search for. */
  const search = (text) => {
    const wanted = text.trim().toLowerCase();
    if (!wanted) return undefined;
    const finds = (each) => each.name.toLowerCase().includes(wanted);
    const classMarks = marksOf(classes, finds);
    const methodMarks = marksOf(methods, finds);
    return { text: wanted, classMarks, methodMarks, siteMarks: sitesWith(classMarks, methodMarks) };
  };

  const isIn = (packageName, prefix) => packageName === prefix || packageName.startsWith(`${prefix}.`);

  /** Marks the sites that a list of packages lets through; one with "-" before it is left out. */
  const packageFilter = (text) => {
    const words = text.split(/[\s,]+/).map((word) => word.replace(/\.?\*$/, '')).filter((word) => word && word !== '-');
    const without = words.filter((word) => word.startsWith('-')).map((word) => word.slice(1));
    const only = words.filter((word) => !word.startsWith('-'));
    const among = (prefixes) => {
      const accepts = (each) => prefixes.some((prefix) => isIn(each.package, prefix) || each.className === prefix);
      return sitesWith(marksOf(classes, accepts), marksOf(methods, accepts));
    };
    const marks = only.length ? among(only) : new Uint8Array(siteCount).fill(1);
    if (without.length) among(without).forEach((mark, site) => { if (mark) marks[site] = 0; });
    return marks;
  };

  const packages = () => [...new Set(methods.map((method) => method.package))].filter(Boolean).sort();

  // --- Ages -------------------------------------------------------------------------------------------

  /** Sums a histogram ("ages" of the living or "lifetimes" of the dead) over sites. */
  const histogram = (which, includes, snapshot = later) => {
    const { site, bucket, objects } = snapshot[which];
    const byTime = new Float64Array(TIME_BUCKETS);
    const byCollections = new Float64Array(16);
    for (let i = 0; i < site.length; i++) {
      if (!includes(site[i])) continue;
      if (bucket[i] < TIME_BUCKETS) byTime[bucket[i]] += objects[i];
      else byCollections[bucket[i] - TIME_BUCKETS] += objects[i];
    }
    return { byTime, byCollections };
  };

  /** Objects that are not known to be dead, by site, and the sum of their ages. */
  const aged = (() => {
    const objects = new Float64Array(siteCount);
    for (const kind of ['live', 'unconfirmed']) {
      later.bySite[kind].objects.forEach((value, site) => { objects[site] += value; });
    }
    return { objects, millis: objects.map((value, site) => value * later.meanAge[site]) };
  })();

  return { data, names, frames, nodes, sites, siteCount, wholeOf, firstOfWhole, wholeCount: firstOfWhole.length,
    firstMarked, countWholes, later, earlier, hasDiff: earlier !== undefined, KINDS,
    columns, at, methods, classes, methodOf, stackOf, frameText, siteText, siteFrame, search, packageFilter,
    packages, histogram, aged, sitesWith, marksOf };
})();
