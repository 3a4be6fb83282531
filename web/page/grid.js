// A board that is pressed, dragged in, and walked over by keys.

import { make, queen, set, setText } from './dom.js';
import { text } from './texts.js';

const KEYS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

export class Grid {
  #size = 0;
  #here = [0, 0];
  /** The elements of the squares, row by row. */
  cells = [];

  /**
   * `press` gets the row and the column of a square that is pressed, and the event. With `move`, a queen follows the
   * pointer that is held down, and the arrow keys: it gets each square on the way. `keys` says what other keys do with
   * the row and the column of the square that has the focus.
   */
  constructor(element, { press, move, label, keys }) {
    this.label = label;
    this.element = element;
    if (move) this.element.dataset.moves = '';
    const go = (square) => {
      this.#here = square;
      this.#tab();
      move?.(...square);
    };
    this.element.addEventListener('click', (event) => {
      const square = this.squareOf(event.target);
      if (!square) return;
      go(square);
      press?.(...square, event);
    });
    let held = false;
    this.element.addEventListener('pointerdown', (event) => {
      held = Boolean(move) && event.isPrimary;
      if (held) event.target.releasePointerCapture?.(event.pointerId);
    });
    addEventListener('pointerup', () => { held = false; });
    addEventListener('pointercancel', () => { held = false; });
    this.element.addEventListener('pointermove', ({ clientX, clientY }) => {
      const square = held && this.squareOf(document.elementFromPoint(clientX, clientY));
      if (square && String(square) !== String(this.#here)) go(square);
    });
    this.element.addEventListener('focusin', ({ target }) => {
      this.#here = this.squareOf(target) ?? this.#here;
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
        press?.(...this.#here, event);
      } else if (Object.hasOwn(keys ?? {}, event.key)) {
        keys[event.key](...this.#here);
      } else {
        return;
      }
      event.preventDefault();
      this.#cell(this.#here)?.focus();
    });
  }

  /** The row and the column of the square around an element; null if there is none. */
  squareOf(target) {
    const cell = target?.closest?.('[role="gridcell"]');
    return cell && this.element.contains(cell) ? [cell.dataset.row, cell.dataset.column].map(Number) : null;
  }

  #cell([row, column]) {
    return this.cells[row * this.#size + column];
  }

  #tab() {
    for (const cell of this.cells) set(cell, { tabindex: cell === this.#cell(this.#here) ? 0 : -1 });
  }

  /** Draws the board. `look` returns of a square its state, words for screen readers, and what is written in it. */
  show(size, look) {
    if (size !== this.#size) {
      this.#size = size;
      this.#here = [0, 0];
      this.element.replaceChildren();
      this.element.style.setProperty('--size', size);
      this.cells = [];
      for (let row = 0; row < size; row++) {
        const line = make(this.element, 'div', { role: 'row', 'data-number': row });
        for (let column = 0; column < size; column++) {
          this.cells.push(make(line, 'div', { role: 'gridcell', 'data-dark': (row + column) % 2, 'data-row': row,
            'data-column': column }));
        }
      }
      this.#tab();
    }
    set(this.element, { 'aria-label': this.label() });
    for (const cell of this.cells) {
      const [row, column] = [cell.dataset.row, cell.dataset.column].map(Number);
      const { state, words, mark = '' } = look(row, column);
      const content = state === 'queen' || state === 'shown' ? state : `:${mark}`;
      set(cell, { 'data-state': state, 'aria-label': text('comma2', { square: text('square', { row, column }), words }) });
      if (cell.dataset.content === content) continue;
      cell.dataset.content = content;
      cell.replaceChildren();
      if (content[0] === ':') setText(cell, mark);
      else queen(cell);
    }
  }
}
