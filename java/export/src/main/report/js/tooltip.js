// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

// One tooltip for the page: it follows the pointer, or stands beside what has the focus. What it says, screen
// readers get from labels.
hs.tooltip = (() => {
  const box = hs.byId('tooltip');
  const GAP = 14;

  const place = (x, y) => {
    const { offsetWidth: width, offsetHeight: height } = box;
    const left = x + GAP + width > innerWidth ? Math.max(4, x - GAP - width) : x + GAP;
    const top = y + GAP + height > innerHeight ? Math.max(4, y - GAP - height) : y + GAP;
    box.style.left = `${left}px`;
    box.style.top = `${top}px`;
  };

  let shownFor;

  const show = (owner, content) => {
    if (owner === shownFor) return;
    box.replaceChildren(content());
    box.hidden = false;
    shownFor = owner;
  };

  const placeBeside = (owner) => {
    const { left, bottom } = owner.getBoundingClientRect();
    place(left, bottom - GAP / 2);
  };

  const hide = () => {
    box.hidden = true;
    shownFor = undefined;
  };

  /**
   * Gives tooltips to what is inside a container.
   *
   * @param {Element} container
   * @param {string} selector of the elements that have one
   * @param {function(Element): (Node|undefined)} content
   */
  const attach = (container, selector, content) => {
    const under = (event) => event.target.closest?.(selector);
    container.addEventListener('pointermove', (event) => {
      const owner = under(event);
      if (!owner) {
        hide();
        return;
      }
      show(owner, () => content(owner));
      place(event.clientX, event.clientY);
    });
    container.addEventListener('pointerleave', hide);
    container.addEventListener('focusin', (event) => {
      const owner = under(event);
      if (!owner || !owner.matches(':focus-visible')) return;
      show(owner, () => content(owner));
      placeBeside(owner);
    });
    container.addEventListener('focusout', hide);
  };

  /** The usual content: a title, a line in small print, and rows of a name and a figure. */
  const card = (title, below, rows) => {
    const fragment = document.createDocumentFragment();
    fragment.append(hs.el('div.tip-title', { text: title }));
    if (below) fragment.append(hs.el('div.tip-below', { text: below }));
    const list = hs.el('dl.tip-rows');
    for (const [name, value, note] of rows) {
      const figure = hs.el('dd', { text: value });
      if (note) figure.append(hs.el('small', { text: note }));
      list.append(hs.el('dt', { text: name }), figure);
    }
    fragment.append(list);
    return fragment;
  };

  // What has moved away from under the pointer has no tooltip any more; that of the focus moves along.
  document.addEventListener('scroll', () => {
    if (!shownFor) return;
    if (shownFor === document.activeElement) placeBeside(shownFor);
    else if (!shownFor.matches(':hover')) hide();
  }, true);
  return { attach, card, hide };
})();
