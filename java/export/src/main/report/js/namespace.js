// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

// All files of this folder are put into one script, in the order that ReportPage.java names. Each adds
// one property to this object. Text goes into the page as text nodes only, never as markup.
const hs = {};

/**
 * Makes an element.
 *
 * @param {string} tag its name, with classes: "div.row.selected"
 * @param {Object} attributes by name; "text" is its text; false and undefined are left out
 * @param {...(Node|string)} children appended in order
 */
hs.el = (tag, attributes = {}, ...children) => {
  const [name, ...classes] = tag.split('.');
  const element = document.createElement(name);
  element.classList.add(...classes);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === 'text') element.textContent = value;
    else if (value !== false && value !== undefined) element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
};

hs.byId = (id) => document.getElementById(id);

/** Unpacks data inside the page: gzip in base64. */
hs.unpacked = (id) => {
  const packed = atob(hs.byId(id).textContent);
  const bytes = new Uint8Array(packed.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = packed.charCodeAt(i);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip')));
};

/** The JSON of a block; undefined if there is no such block, null if it cannot be read. */
hs.json = async (id) => {
  if (!hs.byId(id)) return undefined;
  try {
    return await hs.unpacked(id).json();
  } catch {
    return null;
  }
};

/** Saves a file made from the data inside this page. Nothing is fetched. */
hs.save = (name, type, content) => {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = hs.el('a', { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
};

hs.data = await hs.json('data');
hs.diagnosis = await hs.json('diagnosis');
hs.held = await hs.json('holders');
