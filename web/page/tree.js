// A picture of a backtracking tree that grows where the reader clicks.

import { make, set } from './dom.js';
import { text } from './texts.js';

const ROW = 38; // pixels from one row of nodes to the next
const MARGIN = 16;

export class Tree {
  #nodes = []; // in the order of the search
  #open = new Set(); // the nodes whose children are shown
  #places = new Map(); // by node that is shown: [x, y]
  #size = 0;
  here = null; // the node that is chosen

  /** `chosen` is called when the reader has gone to another node. */
  constructor(parent, chosen) {
    this.chosen = chosen;
    this.element = make(parent, 'div', { class: 'tree', role: 'tree', tabindex: 0 });
    this.element.addEventListener('click', ({ clientX, clientY }) => {
      const { left, top } = this.element.getBoundingClientRect();
      const far = (node) => Math.hypot(this.#places.get(node)[0] - clientX + left, this.#places.get(node)[1] - clientY + top);
      this.#visit([...this.#places.keys()].reduce((one, other) => (far(other) < far(one) ? other : one)));
    });
    this.element.addEventListener('keydown', (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      const next = this.#keys()[event.key];
      if (!next) return;
      event.preventDefault();
      next();
    });
    // The picture is as wide as its place. It is drawn after the observer's turn, because it changes the height.
    let width = 0;
    new ResizeObserver(() => {
      if (width === this.element.clientWidth) return;
      width = this.element.clientWidth;
      requestAnimationFrame(() => this.draw());
    }).observe(this.element);
  }

  #keys() {
    const { here } = this;
    const beside = (step) => {
      const row = [...this.#places.keys()].filter(({ depth }) => depth === here.depth);
      return row[row.indexOf(here) + step] ?? here;
    };
    return {
      ArrowLeft: () => this.#go(beside(-1)),
      ArrowRight: () => this.#go(beside(1)),
      ArrowUp: () => this.#go(here.parent ?? here),
      ArrowDown: () => this.#go(here.children[0] ?? here),
      Home: () => this.#go(this.#nodes[0]),
      Enter: () => this.#visit(here),
      ' ': () => this.#visit(here),
    };
  }

  /** A new tree: the squares of the queens in the order in which the search places them. */
  plant(size, places) {
    this.#size = size;
    const last = [{ depth: 0, columns: [], parent: null, children: [] }]; // by depth: the last node
    this.#nodes = [last[0]];
    for (const { row, column } of places) {
      const parent = last[row];
      const node = { depth: row + 1, columns: [...parent.columns, column], parent, children: [] };
      parent.children.push(node);
      last[row + 1] = node;
      this.#nodes.push(node);
    }
    this.shrink();
  }

  shrink() {
    this.#open.clear();
    this.here = this.#nodes[0];
  }

  get all() { return this.#nodes.length; }
  get seen() { return this.#places.size; }
  get isWhole() { return this.seen === this.all; }

  /** The kind of a node: solution, dead, open or closed. */
  kind(node = this.here) {
    if (node.depth === this.#size) return 'solution';
    if (node.children.length === 0) return 'dead';
    return this.#open.has(node) ? 'open' : 'closed';
  }

  /** Shows the node with these queens, and all nodes above it. */
  find(columns) {
    let node = this.#nodes[0];
    for (const column of columns) {
      this.#open.add(node);
      node = node.children.find((each) => each.columns.at(-1) === column);
    }
    if (node.children.length > 0) this.#open.add(node);
    this.here = node;
    this.draw();
  }

  #go(node) {
    this.find(node.columns);
    this.chosen();
  }

  /** Goes to a node that was clicked; the node that is chosen already opens or closes. */
  #visit(node) {
    if (node === this.here && this.#open.has(node)) {
      this.#open.delete(node);
      this.draw();
      this.chosen();
    } else {
      this.#go(node);
    }
  }

  /** Goes on as the search does. */
  step() {
    const next = this.#nodes[this.#nodes.indexOf(this.here) + 1];
    if (next) this.#go(next);
  }

  /** Opens all nodes of the first row that has a closed one. */
  growRow() {
    const closed = [...this.#places.keys()].filter((node) => this.kind(node) === 'closed');
    const depth = Math.min(...closed.map((node) => node.depth));
    for (const node of closed) if (node.depth === depth) this.#open.add(node);
    this.draw();
    this.chosen();
  }

  growAll() {
    for (const node of this.#nodes) if (node.children.length > 0) this.#open.add(node);
    this.draw();
    this.chosen();
  }

  #layOut() {
    this.#places.clear();
    let slots = 0;
    const lay = (node) => {
      this.#places.set(node, [0, MARGIN + ROW * node.depth]);
      const children = this.#open.has(node) ? node.children.map(lay) : [];
      const x = children.length > 0 ? (children[0] + children.at(-1)) / 2 : slots++ + 0.5;
      this.#places.get(node)[0] = x;
      return x;
    };
    lay(this.#nodes[0]);
    const slot = (this.element.clientWidth || 300) / slots;
    for (const place of this.#places.values()) place[0] *= slot;
    return Math.min(Math.max(0.4 * slot, 0.7), 12);
  }

  draw() {
    if (!this.here) return;
    const radius = this.#layOut();
    this.element.replaceChildren();
    set(this.element, { 'aria-label': text('treeLabel', { size: this.#size }), 'aria-activedescendant': 'tree-here' });
    const height = 2 * MARGIN + ROW * Math.max(...[...this.#places.keys()].map((node) => node.depth));
    const svg = make(this.element, 'svg', { viewBox: `0 0 ${this.element.clientWidth || 300} ${height}`, role: 'presentation' });
    const path = new Set();
    for (let node = this.here; node; node = node.parent) path.add(node);
    const line = (nodes) => nodes.map((node) => `M${this.#places.get(node.parent)}L${this.#places.get(node)}`).join('');
    const shown = [...this.#places.keys()].filter((node) => node.parent);
    make(svg, 'path', { class: 'edges', d: line(shown) });
    make(svg, 'path', { class: 'way', d: line(shown.filter((node) => path.has(node))) });
    for (const [node, [x, y]] of this.#places) {
      const kind = this.kind(node);
      const isHere = node === this.here;
      const words = { class: isHere ? 'node here' : 'node', 'data-kind': kind };
      if (kind === 'solution') make(svg, 'rect', { ...words, x: x - radius, y: y - radius, width: 2 * radius, height: 2 * radius });
      else make(svg, 'circle', { ...words, cx: x, cy: y, r: radius });
      if (radius >= 7 && node.parent) make(svg, 'text', { x, y, 'font-size': Math.min(radius * 1.3, 14) }, kind === 'dead' ? '×' : node.columns.at(-1));
      if (isHere) {
        make(svg, 'circle', { class: 'ring', cx: x, cy: y, r: Math.max(radius, 3) + 4 });
        set(svg.lastChild, { id: 'tree-here', role: 'treeitem', 'aria-level': node.depth + 1, 'aria-selected': true,
          'aria-expanded': node.children.length > 0 ? this.#open.has(node) : null,
          'aria-label': this.words(node) });
      }
    }
  }

  /** A node in words. */
  words(node = this.here) {
    const kind = this.kind(node);
    const columns = node.columns.join(text('comma'));
    const values = { columns, row: node.depth, free: node.children.length };
    return text(node.depth === 0 ? 'nodeRoot' : `node-${kind === 'open' ? 'closed' : kind}`, values);
  }
}
