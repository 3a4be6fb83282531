// Elements of the page.

export const find = (selector) => document.querySelector(selector);

// A copy that the browser saved has the elements that the script made. They are made again.
for (const each of document.querySelectorAll('[data-made]')) each.remove();

/** Sets attributes that differ; null removes an attribute. */
export function set(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null) element.removeAttribute(name);
    else if (element.getAttribute(name) !== String(value)) element.setAttribute(name, value);
  }
  return element;
}

// A text that stays the same is not touched, so that a live region says it once.
export function setText(element, text) {
  if (element.textContent !== String(text)) element.textContent = text;
}

/** Adds an element to its parent, in the parent's namespace. An `svg` and its content have the namespace of pictures. */
export function make(parent, name, attributes = {}, text = '') {
  const namespace = name === 'svg' ? 'http://www.w3.org/2000/svg' : parent.namespaceURI;
  const element = parent.appendChild(document.createElementNS(namespace, name));
  set(element, { 'data-made': '', ...attributes });
  setText(element, text);
  return element;
}

export function queen(parent) {
  const svg = make(parent, 'svg', { viewBox: '0 0 10 10', 'aria-hidden': 'true' });
  make(svg, 'use', { href: '#queen' });
  return svg;
}

/**
 * Shows numbers as bars on a logarithmic scale. A row is { name, value, words, mark, note }; without a value it has no bar.
 */
export function bars(parent, rows, least) {
  parent.replaceChildren();
  set(parent, { role: 'list' });
  const most = Math.max(...rows.map(({ value }) => value ?? least));
  const share = (value) => (most > least ? Math.log(value / least) / Math.log(most / least) : 0);
  for (const { name, value, words, mark, note } of rows) {
    const row = make(parent, 'div', { role: 'listitem', class: mark ? 'bar own' : 'bar' });
    const label = make(row, 'span', { class: 'name' }, name);
    if (note) make(label, 'small', {}, ` ${note}`);
    make(row, 'b', {}, words);
    const track = make(row, 'i', { 'aria-hidden': 'true' });
    if (value) make(track, 'i').style.width = `${Math.max(100 * share(value), 0.5)}%`;
  }
}
