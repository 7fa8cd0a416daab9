// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

// The tree of calls, from entry points to allocated classes or the other way round, in columns. The parent of
// a node always comes before it, so that sums need one pass from the end.
hs.tree = (() => {
  const { model } = hs;
  const CLASSES_FROM = model.methods.length;
  const VALUES_FROM = CLASSES_FROM + model.classes.length;
  // All values of all keys are far fewer than a number can hold.
  const MOST_LABELS = VALUES_FROM + 2 ** 20;

  /** A label is a method, CLASSES_FROM + a class, or VALUES_FROM + a value of the key that groups the stacks. */
  const labelOf = (label, groups) => {
    if (label >= VALUES_FROM) return { name: groups.names[label - VALUES_FROM], label: groups.names[label - VALUES_FROM], package: '' };
    return label < CLASSES_FROM ? model.methods[label] : model.classes[label - CLASSES_FROM];
  };
  const isClass = (label) => label >= CLASSES_FROM && label < VALUES_FROM;
  const isValue = (label) => label >= VALUES_FROM;

  class Builder {
    constructor() {
      this.parent = [-1];
      this.label = [-1];
      this.known = new Map();
    }

    child(parent, label) {
      const key = parent * MOST_LABELS + label;
      let node = this.known.get(key);
      if (node === undefined) {
        node = this.parent.length;
        this.known.set(key, node);
        this.parent.push(parent);
        this.label.push(label);
      }
      return node;
    }
  }

  const isShown = (method, options) => !options.hidesJdk || !model.methods[method].isJdk;

  const fromEntries = (builder, options, leaf) => {
    const { nodes, sites } = model;
    const needed = new Uint8Array(nodes.frame.length);
    for (let site = 0; site < model.siteCount; site++) {
      if (options.includes[site] && sites.node[site] >= 0) needed[sites.node[site]] = 1;
    }
    for (let i = needed.length - 1; i >= 0; i--) {
      if (needed[i] && nodes.parent[i] >= 0) needed[nodes.parent[i]] = 1;
    }
    const treeNode = new Int32Array(needed.length);
    for (let i = 0; i < needed.length; i++) {
      if (!needed[i]) continue;
      const parent = nodes.parent[i] < 0 ? 0 : treeNode[nodes.parent[i]];
      const method = model.methodOf[nodes.frame[i]];
      treeNode[i] = isShown(method, options) ? builder.child(parent, method) : parent;
    }
    for (let site = 0; site < model.siteCount; site++) {
      if (!options.includes[site]) continue;
      const parent = sites.node[site] < 0 ? 0 : treeNode[sites.node[site]];
      leaf[site] = builder.child(parent, CLASSES_FROM + sites.class[site]);
    }
  };

  /** The same below a node for each value of a label, where equal stacks of two values are apart. */
  const fromValues = (builder, options, leaf) => {
    const { nodes, sites } = model;
    for (let site = 0; site < model.siteCount; site++) {
      if (!options.includes[site]) continue;
      const path = [];
      for (let i = sites.node[site]; i >= 0; i = nodes.parent[i]) {
        const method = model.methodOf[nodes.frame[i]];
        if (isShown(method, options)) path.push(method);
      }
      let node = rootOf(builder, options, site);
      while (path.length) node = builder.child(node, path.pop());
      leaf[site] = builder.child(node, CLASSES_FROM + sites.class[site]);
    }
  };

  const rootOf = (builder, { groups }, site) => (groups ? builder.child(0, VALUES_FROM + groups.of[site]) : 0);

  const fromClasses = (builder, options, leaf) => {
    const { nodes, sites } = model;
    for (let site = 0; site < model.siteCount; site++) {
      if (!options.includes[site]) continue;
      let node = builder.child(rootOf(builder, options, site), CLASSES_FROM + sites.class[site]);
      for (let i = sites.node[site]; i >= 0; i = nodes.parent[i]) {
        const method = model.methodOf[nodes.frame[i]];
        if (isShown(method, options)) node = builder.child(node, method);
      }
      leaf[site] = node;
    }
  };

  /**
   * Builds a tree.
   *
   * @param {{includes: Uint8Array, hidesJdk: boolean, reversed: boolean, groups: Object}} options which sites and
   *     frames; reversed begins with the allocated classes; groups are the values of a label, or undefined
   */
  const build = (options) => {
    const builder = new Builder();
    const leaf = new Int32Array(model.siteCount).fill(-1);
    const fill = options.groups ? fromValues : fromEntries;
    (options.reversed ? fromClasses : fill)(builder, options, leaf);
    const parent = Int32Array.from(builder.parent);
    const first = new Int32Array(parent.length).fill(-1);
    const next = new Int32Array(parent.length).fill(-1);
    for (let i = parent.length - 1; i > 0; i--) {
      next[i] = first[parent[i]];
      first[parent[i]] = i;
    }
    return { parent, label: Int32Array.from(builder.label), first, next, leaf };
  };

  /** Sums a column of figures by site over the nodes. */
  const sums = (tree, column) => {
    const out = new Float64Array(tree.parent.length);
    for (let site = 0; site < tree.leaf.length; site++) {
      if (tree.leaf[site] >= 0) out[tree.leaf[site]] += column[site];
    }
    for (let i = out.length - 1; i > 0; i--) out[tree.parent[i]] += out[i];
    return out;
  };

  /** Sums all columns of figures. */
  const sumFigures = (tree, figures) => Object.fromEntries(
    Object.entries(figures).map(([name, column]) => [name, sums(tree, column)]));

  /** Marks the sites at or below a node. */
  const sitesBelow = (tree, node) => {
    const below = new Uint8Array(tree.parent.length);
    below[node] = 1;
    for (let i = node + 1; i < below.length; i++) below[i] |= below[tree.parent[i]];
    return Uint8Array.from(tree.leaf, (leaf) => (leaf >= 0 ? below[leaf] : 0));
  };

  return { build, sums, sumFigures, sitesBelow, labelOf, isClass, isValue, CLASSES_FROM };
})();
