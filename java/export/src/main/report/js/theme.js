// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

// Light or dark, as the system has it until a reader chooses.
hs.theme = (() => {
  const buttons = document.querySelectorAll('[data-theme-choice]');
  const { dataset } = document.documentElement;

  const set = (theme) => {
    if (theme === 'system') delete dataset.theme;
    else dataset.theme = theme;
    buttons.forEach((button) => button.setAttribute('aria-pressed', String(button.dataset.themeChoice === theme)));
  };

  const isDark = () => dataset.theme === 'dark' || (!dataset.theme && matchMedia('(prefers-color-scheme: dark)').matches);

  buttons.forEach((button) => button.addEventListener('click', () => set(button.dataset.themeChoice)));
  set('system');

  return { set, isDark };
})();
