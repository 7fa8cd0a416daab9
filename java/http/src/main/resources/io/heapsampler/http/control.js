// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

// The page of a running application: requests status.json and top.json every five seconds while it is visible.
// Whatever comes from the application is set as text, never as markup.
(() => {
  'use strict';

  const EVERY_MILLIS = 5000;
  const DOCTOR_EVERY_MILLIS = 30000;
  const HISTORY = 120;
  const SEPARATOR = ' \u00b7 ';
  const INTERVALS = [0, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096].map((kib) => kib * 1024);
  const JDK = /^(java|javax|jdk|sun|com\.sun)\./;
  const SVG = 'http://www.w3.org/2000/svg';
  const STATES = { NEW: 'Never started', RUNNING: 'Running', STOPPED: 'Stopped' };
  const DROPS = {
    STACKS_FULL: 'counted with a shorter stack, or none: no room for all of it',
    NAMES_FULL: 'counted with a shorter stack or the class "(unknown)": no room for a name',
    SITES_FULL: 'counted with the class alone, or at "(other)": no room for the site',
    LABELS_FULL: 'counted at the labels "(other)": no room for the set of labels',
    THREADS_FULL: 'counted at the thread "(other)": no room for the thread',
    NO_STACK: 'counted with an empty stack: the JVM gave none',
    NO_REFERENCE: 'counted as allocated, not as live: the JVM gave no weak reference',
    THINNED: 'not tracked for liveness; the others weigh more instead',
    PHANTOM: 'rightly not counted: the sample point was passed before sampling began, or set by another agent',
    OWN: 'rightly not counted: allocations of HeapSampler itself',
    NATIVE_MEMORY: 'lost: no native memory was left',
    TRUNCATED: 'counted, with the far end of the stack cut',
    DEAD_FORGOTTEN: 'dead samples that left the ring; their lifetimes stay',
    CAPPED: 'rightly not counted: too many at a time; what was kept stands for them',
    BURST: 'not counted: too many at a time, and perhaps nothing that was kept stands for them',
    VALUE_OBJECT: 'counted as allocated, not as live: value objects have no weak references',
  };
  const HARMLESS = ['PHANTOM', 'OWN', 'DEAD_FORGOTTEN', 'CAPPED'];

  /** This page without a name and password that may have stood in its address: with them nothing is fetched. */
  const HERE = location.origin + location.pathname;

  const byId = (id) => document.getElementById(id);

  /** An element with properties and children; strings are text. */
  const el = (tag, properties = {}, ...children) => {
    const made = Object.assign(document.createElement(tag), properties);
    made.append(...children);
    return made;
  };

  // --- Figures as text --------------------------------------------------------------------------------

  const scaled = (value, base, units) => {
    let scale = 0;
    let rest = Math.abs(value);
    while (rest >= base && scale < units.length - 1) {
      rest /= base;
      scale++;
    }
    const digits = scale === 0 ? 0 : 1;
    return `${value < 0 ? '\u2212' : ''}${rest.toFixed(digits)}\u00a0${units[scale]}`.trim();
  };
  const bytes = (value) => scaled(value, 1024, ['B', 'KiB', 'MiB', 'GiB', 'TiB']);
  const whole = (value) => Math.round(value).toLocaleString('en-US');
  const plusMinus = (e) => (e.error > 0 ? `\u00b1\u00a0${bytes(1.96 * e.error)}` : e.samples > 0 ? 'exact' : '');
  const samples = (count) => `${whole(count)}\u00a0${count === 1 ? 'sample' : 'samples'}`;
  const errorOf = (e) => [plusMinus(e), e.tooFewSamples ? `only ${samples(e.samples)}` : samples(e.samples)].filter(Boolean).join(SEPARATOR);
  const time = (seconds) => {
    if (seconds < 120) return `${Math.round(seconds)} s`;
    if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
    return seconds < 172800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86400)} d`;
  };

  // --- Requests ---------------------------------------------------------------------------------------

  let rank = 'live';
  let labelKey;
  let only; // the label whose samples alone are shown: {key, value}, an empty value for those without the key
  let paused = false;
  let asking = false;
  let again = false;
  let last;
  let doctorAsked;
  const history = [];

  /** What went wrong last. The reason of a refused control stays until the next control; a successful refresh leaves it. */
  const troubles = { control: '', refresh: '' };
  const tell = (of, text = '') => {
    troubles[of] = text;
    byId('trouble').textContent = troubles.control || troubles.refresh;
    byId('trouble').hidden = !byId('trouble').textContent;
  };

  const ask = async (target, options) => {
    let answer;
    try {
      answer = await fetch(new URL(target, HERE), options);
    } catch (error) {
      throw new Error(`The application does not answer: ${error.message}.`);
    }
    const type = answer.headers.get('Content-Type') ?? '';
    if (answer.ok && type.includes('json')) return answer.json();
    const text = type.startsWith('text/plain') ? (await answer.text()).trim() : '';
    throw new Error(text || refusedBeforeUs(answer));
  };

  /** The endpoint always gives a reason as plain text: something in front of it has answered, perhaps with a page. */
  const refusedBeforeUs = ({ ok, status, statusText }) =>
    `The application ${ok ? 'answered with something else' : 'refused the request'} (${`${status} ${statusText}`.trim()}), and gave no reason.`
    + ' A filter in front of HeapSampler may have answered, such as a login or a CSRF check.'
    + ' Log in again, or exempt the POST requests of this page from the CSRF check.';

  const onlyText = () => `${only.key}=${only.value}`;

  /** An address of figures, for the chosen samples. */
  const chosen = (target) =>
    only ? `${target}${target.includes('?') ? '&' : '?'}only=${encodeURIComponent(onlyText())}` : target;

  /** Refreshes the page. A call while an answer is awaited refreshes it once more afterwards. */
  const refresh = async () => {
    again = asking;
    if (asking) return;
    asking = true;
    try {
      const status = await ask('status.json');
      drawStatus(status);
      if (status.state === 'NEW') {
        drawSites(undefined, 'Nothing has been sampled yet. Start the sampler.');
      } else {
        const asked = only;
        const answer = await ask(chosen('top.json'));
        if (asked === only) { // else it is of samples that are no longer chosen
          last = answer;
          history.push(last.totals.live.bytes.value);
          if (history.length > HISTORY) history.shift();
        }
        draw();
      }
      await refreshDoctor(status);
      tell('refresh');
    } catch (error) {
      tell('refresh', error.message);
    } finally {
      asking = false;
    }
    if (again) await refresh();
  };

  /** A diagnosis costs more than the status, and changes slowly. */
  const refreshDoctor = async ({ doctor }) => {
    byId('doctor').hidden = !doctor;
    if (!doctor) {
      doctorAsked = undefined;
    } else if (doctorAsked === undefined || performance.now() - doctorAsked >= DOCTOR_EVERY_MILLIS) {
      doctorAsked = performance.now();
      drawFindings(await ask('doctor?format=json'));
    }
  };

  /** A header that a filter in front of HeapSampler wants to see: the token of a CSRF check. */
  const { header, headerValue } = document.body.dataset;
  const pageHeaders = header ? { [header]: headerValue } : {};

  const post = async (name, parameters = {}) => {
    try {
      drawStatus(await ask(name, { method: 'POST', headers: pageHeaders, body: new URLSearchParams(parameters) }));
      tell('control');
      await refresh();
    } catch (error) {
      tell('control', error.message);
    }
  };

  // --- Drawing ----------------------------------------------------------------------------------------

  const setTile = (id, value, error) => {
    byId(id).querySelector('.value').textContent = value;
    byId(id).querySelector('.error').textContent = error;
  };

  /** Left alone while nothing changes: the user may be choosing. */
  const drawIntervals = ({ interval, strategy, minInterval }) => {
    const choices = [...INTERVALS.filter((each) => each >= minInterval && each !== interval), interval].sort((a, b) => a - b);
    const select = byId('interval');
    select.disabled = !strategy.startsWith('every '); // the sampler refuses intervals under other strategies
    const drawn = `${interval} ${strategy} ${choices}`;
    if (select.dataset.drawn === drawn) return;
    select.dataset.drawn = drawn;
    select.replaceChildren(...choices.map((each) =>
      el('option', { value: each, selected: each === interval, textContent: each ? bytes(each) : interval ? 'every allocation' : strategy })));
  };

  /** How samples are chosen: an interval of 0 bytes alone would mean that all allocations become samples. */
  const chosenBy = ({ interval, strategy }) =>
    !interval ? strategy : bytes(interval) + (strategy.startsWith('every ') ? '' : `, ${strategy}`);

  const drawStatus = (status) => {
    byId('state').textContent = STATES[status.state] ?? status.state;
    byId('state').className = `state ${status.state.toLowerCase()}`;
    byId('start').disabled = status.recording || status.state === 'RUNNING';
    byId('reset').disabled = status.recording;
    byId('stop').disabled = status.state !== 'RUNNING';
    byId('gc').checked = status.gcAllowed;
    drawIntervals(status);
    setTile('tile-samples', whole(status.samples), status.samples ? `${(status.meanSampleCostNanos / 1000).toFixed(1)} \u00b5s each` : '');
    setTile('tile-memory', bytes(status.memoryUsed), `${bytes(status.memoryPeak)} at most${SEPARATOR}${whole(status.tracked)} of ${whole(status.trackedBudget)} tracked`);
    drawFacts([['JVM', status.vm], ['Collector', `${status.collector}, ${whole(status.collections)} collections`],
      ['HeapSampler', status.library], ['Interval', chosenBy(status)],
      ['Held by', status.holders.join(', ') || 'no holder']]);
    byId('status').replaceChildren(...Object.entries(status).map(([name, value]) => el('tr', {},
      el('th', { scope: 'row', textContent: name }),
      el('td', { textContent: typeof value === 'object' ? JSON.stringify(value) : String(value) }))));
  };

  const drawFacts = (facts) => byId('facts').replaceChildren(...facts.map(([name, value]) =>
    el('div', {}, el('dt', { textContent: name }), el('dd', { textContent: value }))));

  const drawHistory = () => {
    const most = Math.max(...history, 1);
    const line = document.createElementNS(SVG, 'polyline');
    const step = 100 / Math.max(history.length - 1, 1);
    line.setAttribute('points', history.map((value, i) => `${(i * step).toFixed(1)},${(23 - 22 * value / most).toFixed(1)}`).join(' '));
    byId('history').replaceChildren(...(history.length > 1 ? [line] : []));
  };

  const drawNotes = ({ notes, dropped }) => {
    const drops = Object.entries(dropped).filter(([, count]) => count > 0);
    const worrying = drops.filter(([cause]) => !HARMLESS.includes(cause)).reduce((sum, [, count]) => sum + count, 0);
    byId('notes-summary').textContent = [
      notes.length ? `${notes.length} ${notes.length === 1 ? 'note' : 'notes'} on these figures` : 'No notes on these figures',
      worrying ? `${samples(worrying)} dropped, folded or shortened` : 'no drops'].join(SEPARATOR);
    byId('notes').classList.toggle('calm', !notes.length && !worrying);
    byId('notes-body').replaceChildren(
      el('ul', {}, ...notes.map(({ text }) => el('li', { textContent: text }))),
      el('table', {}, el('caption', { textContent: drops.length ? 'Samples dropped, folded or shortened' : 'No sample was dropped, folded or shortened.' }),
        el('tbody', {}, ...drops.map(([cause, count]) => el('tr', {}, el('td', { className: 'numeric', textContent: whole(count) }),
          el('th', { scope: 'row', textContent: cause }), el('td', { textContent: DROPS[cause] ?? '' }))))));
  };

  const drawFindings = ({ findings }) => byId('findings').replaceChildren(...(findings.length
    ? findings.map(({ id, severity, title }) => el('li', {},
      el('span', { className: `severity ${severity.toLowerCase()}`, textContent: severity }), ' ',
      el('span', { className: 'id', textContent: id }), ` ${title}`))
    : [el('li', { className: 'muted', textContent: 'It has found nothing.' })]));

  /** The first frame outside the JDK, or the leaf. */
  const placeOf = (stack) => stack.find((frame) => !JDK.test(frame)) ?? stack[0] ?? '(no stack)';

  const siteKey = (site) => `${site.class}\n${site.stack.join('\n')}`;

  const siteRow = (site, most) => {
    const figure = site[rank].bytes;
    const more = site.moreFrames ? `\n\u2026 ${site.moreFrames} more` : '';
    return el('li', {}, el('details', {},
      el('summary', {},
        el('span', { className: 'class', textContent: site.class, title: site.class }),
        el('span', { className: 'figure', textContent: bytes(figure.value) }),
        el('span', { className: 'at', textContent: placeOf(site.stack) }),
        el('span', { className: 'error', textContent: errorOf(figure) }),
        el('progress', { max: most, value: figure.value, ariaHidden: 'true' })),
      el('pre', { textContent: site.stack.join('\n') + more })));
  };

  /** Open rows stay open, and the focus stays where it was. */
  const drawSites = (sites, text) => {
    const list = byId('sites');
    const old = [...list.children];
    const open = new Set(old.filter((row) => row.firstChild.open).map((row) => row.dataset.key));
    const focused = old.find((row) => row.contains(document.activeElement))?.dataset.key;
    const most = sites?.[0]?.[rank].bytes.value || 1;
    list.className = rank;
    list.replaceChildren(...(sites ?? []).map((site) => {
      const row = siteRow(site, most);
      row.dataset.key = siteKey(site);
      row.firstChild.open = open.has(row.dataset.key);
      return row;
    }));
    [...list.children].find((row) => row.dataset.key === focused)?.querySelector('summary').focus();
    byId('sites-empty').hidden = Boolean(sites?.length);
    byId('sites-empty').textContent = text ?? '';
  };

  const labelRow = ({ set, other, live, allocated }) => {
    const value = Object.hasOwn(set, labelKey) ? set[labelKey] : '';
    const isChosen = !other && only?.key === labelKey && only.value === value;
    const name = other ? '(other)' : value || '(none)';
    const figure = ({ bytes: e }) => el('td', {}, bytes(e.value), el('span', { className: 'error', textContent: plusMinus(e) }));
    const choice = el('button', { type: 'button', textContent: name, ariaPressed: String(isChosen), title: 'Show these samples alone',
      onclick: () => choose(isChosen ? undefined : { key: labelKey, value }) });
    return el('tr', { className: isChosen ? 'chosen' : '' }, el('th', { scope: 'row' }, other || labelKey.includes('=') ? name : choice), figure(live), figure(allocated));
  };

  /** The keys are left alone while they do not change: the user may be choosing. */
  const drawLabels = (labels) => {
    byId('labels').hidden = !labels.length;
    if (!labels.length) return;
    const keys = labels.map(({ key }) => key);
    if (!keys.includes(labelKey)) [labelKey] = keys;
    const select = byId('label-key');
    if (select.dataset.drawn !== keys.join('\n')) {
      select.dataset.drawn = keys.join('\n');
      select.replaceChildren(...keys.map((key) => el('option', { value: key, textContent: key })));
    }
    select.value = labelKey;
    const body = byId('label-values').tBodies[0];
    const focused = document.activeElement?.closest('#label-values button')?.textContent;
    body.replaceChildren(...labels.find(({ key }) => key === labelKey).values.map(labelRow));
    [...body.querySelectorAll('button')].find((button) => button.textContent === focused)?.focus();
  };

  /** A form sends the choice, or does not. */
  const sendOnly = (form, isSent) => {
    const field = form.elements.only;
    field.disabled = !isSent;
    field.value = isSent ? onlyText() : '';
  };

  /** What is chosen, and the links to files of it. */
  const drawChoice = () => {
    byId('only').hidden = !only;
    byId('only').textContent = only ? `${only.key} = ${only.value || '(none)'} \u00d7` : '';
    document.querySelectorAll('.links a, .files a[href^="snapshot"]').forEach((link) => {
      link.dataset.all ??= link.getAttribute('href');
      link.href = chosen(link.dataset.all);
    });
    sendOnly(byId('diff'), Boolean(only));
    const isByLabel = Boolean(only?.value); // a search for holders needs a value
    sendOnly(byId('heldby'), isByLabel);
    byId('heldby').elements.top.disabled = isByLabel;
    byId('heldby-top').hidden = isByLabel;
    byId('heldby-only').textContent = isByLabel ? `${only.key} = ${only.value}` : '';
  };

  /** Shows the samples of a label alone, or all. */
  const choose = (label) => {
    only = label;
    history.length = 0;
    drawChoice();
    refresh();
  };

  const draw = () => {
    document.querySelectorAll('[data-rank]').forEach((button) => button.setAttribute('aria-pressed', String(button.dataset.rank === rank)));
    if (!last) return;
    const { live, allocated, unconfirmed } = last.totals;
    setTile('tile-live', bytes(live.bytes.value), `${errorOf(live.bytes)}${SEPARATOR}${bytes(unconfirmed.bytes.value)} unconfirmed`);
    setTile('tile-allocated', bytes(allocated.bytes.value), [plusMinus(allocated.bytes), `in ${time(last.seconds)}`].filter(Boolean).join(SEPARATOR));
    drawHistory();
    drawNotes(last);
    drawLabels(last.labels);
    drawSites(last[rank], rank === 'live'
      ? 'No object is known to be alive yet: a collection must run first.' : 'No sample yet.');
    byId('updated').textContent = `${new Date(last.takenAt).toLocaleTimeString('en-GB')}${paused ? '' : ', every 5 s'}`;
  };

  // --- Growth -----------------------------------------------------------------------------------------

  const growthText = ({ class: name, bytesPerSecond: { value, low, high } }) =>
    `${name}: ${bytes(value)}/s (95 % interval: ${bytes(low)}/s to ${bytes(high)}/s) `;

  const grow = async () => {
    const box = byId('growth');
    const seconds = byId('grow-seconds').value;
    const button = byId('grow').querySelector('button');
    button.disabled = true;
    box.textContent = `Looking for ${seconds} s \u2026`;
    try {
      const { growing } = await ask(chosen(`growth.json?seconds=${encodeURIComponent(seconds)}`));
      box.replaceChildren(growing.length
        ? el('ol', {}, ...growing.map((site) => el('li', {}, growthText(site),
          el('span', { className: 'at', textContent: placeOf(site.stack) }))))
        : `No site surely grew in ${seconds} s.`);
    } catch (error) {
      box.textContent = error.message;
    } finally {
      button.disabled = false;
    }
  };

  /** A form cannot send the header of the page: then the answer appears here and not as a page of its own. */
  const searchHolders = async (event) => {
    if (!header) return;
    event.preventDefault();
    const box = byId('growth');
    box.textContent = 'Searching \u2026';
    try {
      const form = new URLSearchParams(new FormData(event.target));
      const answer = await fetch(new URL('heldby', HERE), { method: 'POST', headers: pageHeaders, body: form });
      if (!(answer.headers.get('Content-Type') ?? '').startsWith('text/plain')) throw new Error(refusedBeforeUs(answer));
      box.replaceChildren(el('pre', { textContent: await answer.text() }));
    } catch (error) {
      box.textContent = error.message;
    }
  };

  // --- Controls ---------------------------------------------------------------------------------------

  const root = document.documentElement;
  const setTheme = (theme) => {
    if (theme === 'system') delete root.dataset.theme;
    else root.dataset.theme = theme;
    document.querySelectorAll('[data-theme-choice]').forEach((button) =>
      button.setAttribute('aria-pressed', String(button.dataset.themeChoice === theme)));
  };
  const isDark = () => (root.dataset.theme ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark';

  const setRank = (name) => {
    rank = name;
    draw();
  };
  const setPaused = (value) => {
    paused = value;
    byId('pause').setAttribute('aria-pressed', String(value));
    draw();
  };
  const moveIn = (step) => {
    const rows = [...byId('sites').querySelectorAll('summary')];
    const at = rows.indexOf(document.activeElement);
    rows[at < 0 ? 0 : Math.min(Math.max(at + step, 0), rows.length - 1)]?.focus();
  };

  const KEYS = {
    l: () => setRank('live'),
    a: () => setRank('allocated'),
    r: refresh,
    p: () => setPaused(!paused),
    f: () => location.assign('flame.html'),
    n: () => { byId('notes').open = !byId('notes').open; },
    d: () => setTheme(isDark() ? 'light' : 'dark'),
    '?': () => byId('help').showModal(),
    ArrowDown: () => moveIn(1),
    ArrowUp: () => moveIn(-1),
  };

  document.addEventListener('keydown', (event) => {
    const isTyping = event.target.matches('input:not([type=checkbox]), select');
    if (isTyping || event.ctrlKey || event.altKey || event.metaKey || document.querySelector('dialog[open]')) return;
    const action = KEYS[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });

  const on = (id, name, action) => byId(id).addEventListener(name, action);
  on('start', 'click', () => post('start'));
  on('stop', 'click', () => post('stop'));
  on('interval', 'change', (event) => post('interval', { interval: event.target.value }));
  on('gc', 'change', (event) => post('gc', { allowed: event.target.checked }));
  on('reset', 'click', () => {
    byId('sure').returnValue = '';
    byId('sure').showModal();
  });
  on('sure', 'close', () => {
    if (byId('sure').returnValue !== 'reset') return;
    history.length = 0;
    post('reset');
  });
  on('label-key', 'change', (event) => {
    labelKey = event.target.value;
    draw();
  });
  on('only', 'click', () => choose());
  on('pause', 'click', () => setPaused(!paused));
  on('help-open', 'click', KEYS['?']);
  on('heldby', 'submit', searchHolders);
  on('grow', 'submit', (event) => {
    event.preventDefault();
    grow();
  });
  document.querySelectorAll('[data-rank]').forEach((button) => button.addEventListener('click', () => setRank(button.dataset.rank)));
  document.querySelectorAll('[data-theme-choice]').forEach((button) =>
    button.addEventListener('click', () => setTheme(button.dataset.themeChoice)));

  byId('command').textContent = `go tool pprof ${new URL('../pprof/heap', HERE)}`;
  setTheme('system');
  draw();
  refresh();
  setInterval(() => { if (!paused && !document.hidden && !asking) refresh(); }, EVERY_MILLIS);
})();
