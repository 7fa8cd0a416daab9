// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

// The colours of frames. A colour is either a class of the style sheet with a hue, or a colour of a scale with
// a text colour that can be read on it.
hs.colours = (() => {
  const { model, tree, state } = hs;
  const AGE = ['#fdf0b5', '#f9c86a', '#ee8f55', '#c8556b', '#86377f', '#452a75'];
  const ALIVE = ['#8d99a8', '#b8b39b', '#e0b25c', '#f0952f', '#e0650c'];
  const CHANGE = ['#2f6bc9', '#8db4ee', '#d5dae1', '#f2a59d', '#d6453b'];
  const DECADES = 3;

  const channels = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));

  const onScale = (scale, position) => {
    const at = Math.min(Math.max(position, 0), 1) * (scale.length - 1);
    const i = Math.min(Math.floor(at), scale.length - 2);
    const [from, to] = [channels(scale[i]), channels(scale[i + 1])];
    const rgb = from.map((value, k) => Math.round(value + (to[k] - value) * (at - i)));
    const isBright = rgb[0] * 0.299 + rgb[1] * 0.587 + rgb[2] * 0.114 > 140;
    return { background: `rgb(${rgb.join(' ')})`, text: isBright ? '#14181f' : '#ffffff' };
  };

  const hueOf = (packageName) => {
    const group = packageName.split('.').slice(0, 3).join('.');
    let hash = 7;
    for (let i = 0; i < group.length; i++) hash = (hash * 31 + group.charCodeAt(i)) % 9973;
    return Math.round(hash * 137.508) % 360;
  };

  const byPackage = (node) => {
    const label = state.tree().label[node];
    if (label < 0) return { style: 'root' };
    if (tree.isValue(label)) return { style: 'label' };
    const named = tree.labelOf(label);
    if (tree.isClass(label)) return { style: 'class' };
    return named.isJdk ? { style: 'jdk' } : { style: 'own', hue: hueOf(named.package) };
  };

  const oldest = () => Math.max(1, model.later.takenAt - model.later.startedAt);

  const byAge = (node) => {
    const objects = state.treeSums('aged objects', () => model.aged.objects)[node];
    const millis = state.treeSums('aged millis', () => model.aged.millis)[node];
    if (objects <= 0) return { style: 'none' };
    return onScale(AGE, 1 + Math.log10(Math.max(millis / objects, 1e-3) / oldest()) / DECADES);
  };

  const byLife = (node) => {
    const [allocated, live] = [0, 1].map((i) => state.treeFigures(state.METRICS[i], sideOfLife()).value[node]);
    return allocated > 0 ? onScale(ALIVE, live / allocated) : { style: 'none' };
  };

  const sideOfLife = () => (state.chosen.side === 'earlier' ? 'earlier' : 'later');

  /** From -1 (gone) over 0 (the same) to 1 (new). */
  const growth = (node) => {
    const [before, after] = ['earlier', 'later'].map((side) => state.treeFigures(state.chosen.metric, side).value[node]);
    return (after - before) / Math.max(after, before, 1e-9);
  };

  const byChange = (node) => {
    const change = state.treeFigures(state.chosen.metric, 'change');
    const sure = hs.estimate.isSure(model.at(change, node));
    const share = growth(node);
    const shown = Math.sign(share) * Math.sqrt(Math.abs(share));
    return { ...onScale(CHANGE, 0.5 + shown / 2), unsure: !sure };
  };

  const MODES = {
    package: {
      title: 'Package', paint: byPackage,
      legend: () => [...(state.chosen.groupBy ? [['label', `label ${state.chosen.groupBy}`]] : []),
        ['own', 'application, a colour per package'], ['jdk', 'JDK'], ['class', 'allocated class']],
    },
    age: {
      title: 'Age of the living', paint: byAge, scale: AGE,
      ends: () => [hs.units.span(oldest() / 10 ** DECADES), `${hs.units.span(oldest())}, the whole recording`],
      legend: () => [['none', 'nothing alive']],
    },
    life: {
      title: 'Live against dead', paint: byLife, scale: ALIVE, ends: () => ['all dead', 'all alive'], legend: () => [],
    },
    change: {
      title: 'Change', paint: byChange, scale: CHANGE, ends: () => ['gone', 'new'], isDiff: true,
      legend: () => [['unsure', 'its 95\u00a0% bounds hold 0']],
    },
  };

  const mode = () => (state.chosen.side === 'change' ? MODES.change : MODES[state.chosen.colours]);

  return { MODES, mode, hueOf };
})();
