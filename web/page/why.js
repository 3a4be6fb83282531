// The screen that shows in pictures, with six queens, why the program is fast.

import { bars, find, make, queen } from './dom.js';
import { method, number, text, translated } from './texts.js';

const numbers = (size) => [...Array(size).keys()];
const SIX = numbers(6);

/** A small board. `look` returns a square's state, and 'queen' or a text to write there. */
function picture(parent, look, label, lines = SIX) {
  const board = make(parent, 'div', { class: 'picture', role: 'img', 'aria-label': label });
  board.style.setProperty('--size', lines.length);
  for (const row of lines) {
    for (const column of lines) {
      const [kind, words] = look(row, column);
      const square = make(board, 'i', { 'data-dark': (row + column) % 2, 'data-state': kind ?? 'free' });
      if (words === 'queen') queen(square);
      else if (words !== undefined) square.textContent = words;
    }
  }
  return board;
}

function bits(parent, name, values, kind = '') {
  const row = make(parent, 'div', { class: `bits ${kind}` });
  make(row, 'span', {}, name);
  for (const value of values) make(row, 'b', { 'data-bit': value }, value);
}

const attacks = ([row, column], [other, otherColumn]) =>
  row === other || column === otherColumn || Math.abs(row - other) === Math.abs(column - otherColumn);

// ---- Content of the pictures ----

function choices(parent) {
  const visits = { 'brute-force': 1947792, 'one-per-row': 46656, permutations: 720, 'bit-masks': 153 };
  bars(parent, Object.entries(visits).map(([name, value]) => ({ name: method(name)[0], value, words: number(value) })), 1);
}

function masks(parent) {
  const queens = [[0, 1], [1, 3]];
  const row = 2;
  picture(parent, (i, j) => {
    if (queens.some(([r, c]) => r === i && c === j)) return ['queen', 'queen'];
    if (i !== row) return ['dim'];
    return queens.some((each) => attacks(each, [i, j])) ? ['attacked'] : ['good'];
  }, text('w2'));
  const mask = (hits) => SIX.map((column) => Number(queens.some(([r, c]) => hits(r, c, column))));
  const all = [mask((r, c, j) => c === j), mask((r, c, j) => c + r - row === j), mask((r, c, j) => c - r + row === j)];
  const list = make(parent, 'div', { class: 'list' });
  bits(list, text('w2columns'), all[0]);
  bits(list, text('w2left'), all[1]);
  bits(list, text('w2right'), all[2]);
  bits(list, text('w2free'), SIX.map((j) => Number(!all.some((each) => each[j]))), 'sum');
}

function colours(parent) {
  const square = [2, 2];
  picture(parent, (i, j) => {
    if (i === square[0] && j === square[1]) return ['queen', 'queen'];
    return Math.abs(i - square[0]) === Math.abs(j - square[1]) ? ['reached', '●'] : [];
  }, text('w3'));
}

/** All placements of queens on the squares of one colour, or of both, grouped by the rows and columns that they take. */
function placements(lines, colours) {
  const found = new Map();
  const place = (row, queens) => {
    if (row === lines.length) {
      const key = [0, 1].map((part) => queens.map((each) => each[part]).sort().join('')).join(' ');
      found.set(key, [...(found.get(key) ?? []), queens]);
      return;
    }
    place(row + 1, queens);
    for (const column of lines.filter((each) => colours.includes((row + each) % 2))) {
      if (!queens.some((each) => attacks(each, [row, column]))) place(row + 1, [...queens, [row, column]]);
    }
  };
  place(0, []);
  return found;
}

/** The white and the black placements that are multiplied: each white one with the black ones of the other lines. */
export function products(lines) {
  const [white, black] = [0, 1].map((colour) => placements(lines, [colour]));
  const rest = (part) => lines.filter((line) => !part.includes(line)).join('');
  return [...white].flatMap(([key, whites]) => {
    const blacks = black.get(key.split(' ').map(rest).join(' '));
    return blacks ? [{ whites, blacks }] : [];
  });
}

const withQueens = (queens) => (i, j) => (queens.some(([row, column]) => row === i && column === j) ? ['queen', 'queen'] : []);

/** Boards with queens, side by side. */
function row(parent, all, name, lines) {
  const boards = make(parent, 'div', { class: 'pair' });
  boards.style.setProperty('--boards', all.length);
  for (const queens of all) picture(boards, withQueens(queens), name, lines);
}

function multiplied(parent) {
  const lines = numbers(7);
  const { whites, blacks } = products(lines).find((each) => each.whites.length > 1 && each.blacks.length > 1);
  parent.classList.add('formula');
  const show = (all, name) => {
    const figure = make(parent, 'figure');
    row(figure, all, name, lines);
    make(figure, 'figcaption', {}, name);
  };
  show(whites, `${text('w4white')}: w = ${whites.length}`);
  make(parent, 'b', { class: 'sign' }, '×');
  show(blacks, `${text('w4black')}: b = ${blacks.length}`);
  make(parent, 'b', { class: 'sign' }, `= ${whites.length * blacks.length}`);
}

function images(parent) {
  const all = placements(SIX, [0, 1]).get('012345 012345');
  row(parent, all, text('w6'));
}

function tables(parent) {
  // The white squares of even rows get one queen, and the white squares of odd rows get two.
  const build = [0, 2, 4].flatMap((row) => [0, 2, 4].map((column) => [row, column]));
  const probe = [[1, 1], [3, 5]];
  picture(parent, (i, j) => {
    if (probe.some(([r, c]) => r === i && c === j)) return ['queen', 'queen'];
    const at = build.findIndex(([r, c]) => r === i && c === j);
    if (at < 0) return ['dim'];
    return [probe.some((each) => attacks(each, build[at])) ? 'attacked' : 'good', at + 1];
  }, text('w5'));
  const rows = probe.map((each) => build.map((square) => Number(!attacks(each, square))));
  const both = rows[0].map((bit, i) => bit & rows[1][i]);
  const list = make(parent, 'div', { class: 'list' });
  bits(list, '', build.map((_, i) => i + 1), 'heads');
  rows.forEach((row, i) => bits(list, `♛ ${probe[i].join(', ')}`, row));
  bits(list, text('w5and'), both, 'sum');
  make(list, 'p', {}, text('w5fit', { number: both.filter(Boolean).length, all: both.length }));
}

const PICTURES = [choices, masks, colours, multiplied, tables, images];

function render() {
  const steps = find('#steps');
  steps.replaceChildren();
  PICTURES.forEach((draw, i) => {
    const card = make(steps, 'article', { class: 'card' });
    make(card, 'h3', {}, `${i + 1}. ${text(`w${i + 1}`)}`);
    draw(make(card, 'div', { class: 'pictures' }));
    make(card, 'p', {}, text(`w${i + 1}text`));
  });
}

let isEntered = false;
export function enterWhy() {
  if (isEntered) return;
  isEntered = true;
  translated(render);
}
