// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

// Keys that work anywhere on the page, except while something is being typed.
hs.keys = (() => {
  const { state } = hs;
  const { chosen } = state;

  /** Presses the next of a group of buttons. */
  const press = (name) => () => {
    const buttons = [...document.querySelectorAll(`[data-${name}]`)].filter((button) => button.offsetParent);
    const i = buttons.findIndex((button) => button.getAttribute('aria-pressed') === 'true');
    buttons[(i + 1) % buttons.length]?.click();
  };

  const help = () => hs.byId('help').showModal();

  const KEYS = {
    1: () => hs.app.update({ metric: state.METRICS[0] }),
    2: () => hs.app.update({ metric: state.METRICS[1] }),
    3: () => hs.app.update({ metric: state.METRICS[2] }),
    4: () => hs.app.update({ metric: state.METRICS[3] }),
    f: () => hs.app.show('flame'),
    s: () => hs.app.show('sites'),
    c: () => hs.app.show('classes'),
    t: () => hs.app.show('threads'),
    l: () => { if (hs.labels.keys.length) hs.app.show('labels'); },
    h: () => { if (hs.held) hs.app.show('holders'); },
    i: () => hs.app.update({ isIcicle: !chosen.isIcicle }),
    r: () => hs.app.update({ reversed: !chosen.reversed }),
    x: press('side'),
    d: () => hs.theme.set(hs.theme.isDark() ? 'light' : 'dark'),
    '/': () => hs.byId('search').focus(),
    p: () => hs.byId('packages').focus(),
    '?': help,
    Escape: () => hs.app.update(chosen.selected ? { selected: undefined } : { zoom: 0 }),
  };

  const isTyping = (target) => target.matches('input:not([type=radio]):not([type=checkbox]), select, textarea, dialog *');

  const onKey = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (isTyping(event.target)) {
      if (event.key === 'Escape' && event.target.matches('input')) event.target.blur();
      return;
    }
    const act = KEYS[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  };

  const listen = () => {
    document.addEventListener('keydown', onKey);
    hs.byId('help-open').addEventListener('click', help);
    hs.byId('help-close').addEventListener('click', () => hs.byId('help').close());
  };

  return { listen };
})();
