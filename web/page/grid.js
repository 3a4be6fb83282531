// A small board that is pressed, dragged in, and walked over by keys.

import { make, queen, set, setText } from './dom.js';
import { text } from './texts.js';

const KEYS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

export class Grid {
  #size = 0;
  #cells = [];
  #here = [0, 0];

  /**
   * `press` gets the row and the column of a square that is pressed. With `move`, a queen follows the pointer that is
   * held down, and the arrow keys: it gets each square on the way.
   */
  constructor(parent, { press, move, label }) {
    this.label = label;
    this.element = make(parent, 'div', { class: 'picture live', role: 'grid' });
    if (move) this.element.dataset.moves = '';
    const squareOf = (target) => {
      const cell = target?.closest?.('[role="gridcell"]');
      return cell && this.element.contains(cell) ? [cell.dataset.row, cell.dataset.column].map(Number) : null;
    };
    const go = (square) => {
      this.#here = square;
      this.#tab();
      move?.(...square);
    };
    this.element.addEventListener('click', ({ target }) => {
      const square = squareOf(target);
      if (!square) return;
      go(square);
      press?.(...square);
    });
    let held = false;
    this.element.addEventListener('pointerdown', (event) => {
      held = Boolean(move) && event.isPrimary;
      if (held) event.target.releasePointerCapture?.(event.pointerId);
    });
    addEventListener('pointerup', () => { held = false; });
    addEventListener('pointercancel', () => { held = false; });
    this.element.addEventListener('pointermove', ({ clientX, clientY }) => {
      const square = held && squareOf(document.elementFromPoint(clientX, clientY));
      if (square && String(square) !== String(this.#here)) go(square);
    });
    this.element.addEventListener('focusin', ({ target }) => {
      this.#here = squareOf(target) ?? this.#here;
      this.#tab();
    });
    this.element.addEventListener('keydown', (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      const [down, right] = KEYS[event.key] ?? [];
      const last = this.#size - 1;
      if (down !== undefined) {
        const inside = (line) => Math.min(Math.max(line, 0), last);
        go([inside(this.#here[0] + down), inside(this.#here[1] + right)]);
      } else if (event.key === 'Home' || event.key === 'End') {
        go([this.#here[0], event.key === 'Home' ? 0 : last]);
      } else if (event.key === 'Enter' || event.key === ' ') {
        press?.(...this.#here);
      } else {
        return;
      }
      event.preventDefault();
      this.#cell(this.#here)?.focus();
    });
  }

  #cell([row, column]) {
    return this.#cells[row * this.#size + column];
  }

  #tab() {
    for (const cell of this.#cells) set(cell, { tabindex: cell === this.#cell(this.#here) ? 0 : -1 });
  }

  /** Draws the board. `look` returns of a square its state, its words for screen readers, and what is written in it. */
  show(size, look) {
    if (size !== this.#size) {
      this.#size = size;
      this.#here = [0, 0];
      this.element.replaceChildren();
      this.element.style.setProperty('--size', size);
      this.#cells = [];
      for (let row = 0; row < size; row++) {
        const line = make(this.element, 'div', { role: 'row' });
        for (let column = 0; column < size; column++) {
          this.#cells.push(make(line, 'div', { role: 'gridcell', 'data-dark': (row + column) % 2, 'data-row': row, 'data-column': column }));
        }
      }
      this.#tab();
    }
    set(this.element, { 'aria-label': this.label() });
    for (const cell of this.#cells) {
      const [row, column] = [cell.dataset.row, cell.dataset.column].map(Number);
      const { state = 'free', words = state, mark = '' } = look(row, column);
      const content = state === 'queen' || state === 'shown' ? state : `:${mark}`;
      set(cell, { 'data-state': state });
      set(cell, { 'aria-label': text('comma2', { square: text('square', { row, column }), words: text(`see-${words}`, { mark }) }) });
      if (cell.dataset.content === content) continue;
      cell.dataset.content = content;
      cell.replaceChildren();
      if (content[0] === ':') setText(cell, mark);
      else queen(cell);
    }
  }
}
