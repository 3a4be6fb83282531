// The story of why the program is fast. All its pictures show one board, and the library computes their numbers.

import { keep } from './address.js';
import { showProgram } from './code.js';
import { bars, find, make, queen, set, setText } from './dom.js';
import { Grid } from './grid.js';
import { Ended, Instance } from './library.js';
import { count } from './pool.js';
import { isAttack } from './setup.js';
import { duration, failed, method, number, text, translated } from './texts.js';
import { Tree } from './tree.js';

const SIZES = [4, 5, 6, 7, 8];
const OWN = 18; // the size of the board that is counted at the end
const lines = (size) => [...Array(size).keys()];
const has = (mask, line) => (mask >> line) % 2 === 1;
const same = (one, other) => String(one) === String(other);

let size = 6;
let columns = []; // of the queens in the first rows
let facts; // of the board's size: visits, choices, orbits, and the number of solutions
let instance;
let isDrawn = false;

async function ask(...given) {
  if (!instance?.isAlive) instance = new Instance();
  return instance.call(...given);
}

let failure = null; // a function that returns the text of an error

function fail(words) {
  failure = words;
  find('#why-failed').hidden = !failure;
  if (failure) setText(find('#why-failed'), failed(failure()));
}

let boardsBegun = 0;

/** Wraps a function that asks the library: answers to earlier questions, or about an earlier board, are dropped, and an error is shown. */
function asking(question, show) {
  let asked = 0;
  return async () => {
    const [own, ownBoard] = [++asked, boardsBegun];
    const isNews = () => own === asked && ownBoard === boardsBegun;
    try {
      const answer = await question();
      if (!isNews()) return;
      if (failure) fail(null);
      show(answer);
    } catch (error) {
      if (isNews() && !(error instanceof Ended)) fail(() => error.message);
    }
  };
}

/** A small board. Squares of an earlier, larger board are not pressed, nor any while another board is on its way. */
function gridIn(chapter, { press, move, label }) {
  const guarded = (act) => act && ((row, column) => { if (facts && Math.max(row, column) < size) act(row, column); });
  const element = make(find(`#chapter-${chapter} .seat`), 'div', { class: 'picture live', role: 'grid' });
  return new Grid(element, { press: guarded(press), move: guarded(move), label });
}

/** Draws a small board. `look` returns of a square its state, the name of its words, and what is written in it. */
function drawOn(grid, look) {
  grid.show(size, (row, column) => {
    const { state, words = state, mark = '' } = look(row, column);
    return { state, words: text(`see-${words}`, { mark }), mark };
  });
}

/** A board with queens, as the library reads it. */
const board = (queens) => lines(size).map((row) =>
  lines(size).map((column) => (isOn(queens, row, column) ? 'Q' : '.')).join('')).join('\n');
const squares = (list) => list.map((column, row) => [row, column]);
const isOn = (queens, row, column) => queens.some((each) => same(each, [row, column]));

/** Shows the ones of a number as bits, with the number behind them if there is one. */
function bits(parent, name, values, { kind = '', value = '' } = {}) {
  const row = make(parent, 'div', { class: `bits ${kind}` });
  make(row, 'span', {}, name);
  const each = make(row, 'div', { role: 'img', 'aria-label': `${name}: ${values.join('')}` });
  for (const bit of values) make(each, 'b', { 'data-bit': bit }, bit);
  if (value !== '') make(row, 'i', {}, value);
  return row;
}

// ---- 1 and 2: the board that all pictures share, its tree, and a row as a number ----

let attacks = null; // of the queens on the board: by row, what they attack
const nextRow = () => Math.min(columns.length, size - 1);

const tree = new Tree(find('#tree'), () => {
  if (facts) setQueens(tree.here.columns);
});

function setQueens(its) {
  if (!same(columns, its)) {
    columns = [...its];
    keep();
    if (columns.length > 0) {
      dragged = [columns.length - 1, columns.at(-1)];
      reach();
    }
    if (columns.length === size) solutionChosen();
  }
  said = null;
  renderTree();
  update();
}

let said = null; // returns why a square cannot have a queen

/** Places a queen, takes one away with those below it, or says why that cannot be. */
function press(row, column) {
  if (columns[row] === column) tree.find(columns.slice(0, row));
  else {
    const above = columns.slice(0, row);
    const attacker = above.findIndex((other, line) => isAttack([line, other], [row, column]));
    if (row > columns.length) said = () => text('fillRows', { row: columns.length });
    else if (attacker >= 0) said = () => text('attackedFrom', { row, column, queen: attacker });
    if (said) {
      renderTree();
      return;
    }
    tree.find([...above, column]);
  }
  setQueens(tree.here.columns);
}

const boards = ['tree', 'masks'].map((chapter) => gridIn(chapter, { press, label: () => text('sharedBoard', { size }) }));

function look(row, column) {
  if (columns[row] === column) return { state: 'queen' };
  if (row !== columns.length || !attacks) return { state: row < columns.length ? 'free' : 'dim' };
  return { state: has(attacks[row][3], column) ? 'attacked' : 'good' };
}

const update = asking(() => ask('attacks', board(squares(columns))), (answer) => {
  attacks = answer;
  renderMasks();
});

function renderTree() {
  setText(find('#tree-words'), [said?.() ?? tree.words(), text('seen', { seen: number(tree.seen), all: number(tree.all) })].join(' '));
  set(find('#tree-step'), { 'aria-disabled': tree.isWhole && tree.here.depth === 0 });
  for (const id of ['#tree-row', '#tree-all']) set(find(id), { 'aria-disabled': tree.isWhole });
}

function renderMasks() {
  for (const each of boards) drawOn(each, look);
  const row = nextRow();
  const list = find('#masks');
  list.replaceChildren();
  bits(list, '', lines(size), { kind: 'heads' });
  const ones = (mask) => lines(size).map((column) => Number(has(mask, column)));
  const names = ['c2columns', 'c2right', 'c2left', 'c2or', 'c2free'];
  names.forEach((name, kind) => bits(list, text(name), ones(attacks[row][kind]),
    { kind: ['', '', '', 'sum', 'sum'][kind], value: `= ${attacks[row][kind]}` }));
  const free = ones(attacks[row][4]).filter(Boolean).length;
  setText(find('#masks-words'), columns.length === size ? text('masksFull', { row }) : text('masksRow', { row, free }));
}

function renderVisits() {
  setText(find('#visits-heading'), text('visitsHeading', { size }));
  const named = (name) => facts.methods.find((each) => each[0] === name)[1];
  const rows = ['brute-force', 'one-per-row', 'permutations', 'bit-masks'].map((name) =>
    ({ name: method(name)[0], note: method(name)[1], value: named(name), words: number(named(name)) }));
  bars(find('#visits'), rows, 1);
  setText(find('#c1next'), text('c1next', { size, brute: number(named('brute-force')), nodes: number(named('bit-masks')) }));
}

// ---- 3: a diagonal keeps its colour ----

let dragged = [0, 0];
let reached = null; // by row, what the queen attacks

const colourBoard = gridIn('colour', { label: () => text('colourBoard', { size }),
  move: (row, column) => {
    dragged = [row, column];
    reach();
  } });

const reach = asking(() => ask('attacks', board([dragged])), (answer) => {
  reached = answer;
  renderColour();
});

function renderColour() {
  const isReached = (row, column) => has(reached[row][1], column) || has(reached[row][2], column);
  drawOn(colourBoard, (row, column) => {
    if (same(dragged, [row, column])) return { state: 'queen' };
    return isReached(row, column) ? { state: 'reached', mark: '●' } : { state: 'free' };
  });
  const found = [0, 0]; // by colour
  for (const row of lines(size)) for (const column of lines(size)) found[(row + column) % 2] += Number(isReached(row, column));
  const [row, column] = dragged;
  setText(find('#colour-words'), text('colourWords', { row, column, own: text(['onWhite', 'onBlack'][(row + column) % 2]),
    white: found[0], black: found[1] }));
}

// ---- 4: multiply instead of visiting ----

let white = [0, 0]; // the rows and the columns of the white queens, as bits
let halves = [[], []]; // their placements, and those of the black queens
let picked = [0, 0]; // the placements that are shown
let walked = 0; // the choices that are added up
let walking = null; // a timer

const every = () => 2 ** size - 1;
const whiteSquares = (row, column) => (row + column) % 2 === 0 && has(white[0], row) && has(white[1], column);
const blackSquares = (row, column) => (row + column) % 2 === 1 && !has(white[0], row) && !has(white[1], column);

function choose(rows, its, pick = [0, 0]) {
  white = [rows, its];
  picked = pick;
  multiply();
}

const productBoard = gridIn('product', { label: () => text('productBoard', { size }),
  press: (row, column) => {
    // The row and the column of a white square go to white. If they are white already, or if the square is black, they go
    // to black.
    const isGiven = (row + column) % 2 === 0 && !(has(white[0], row) && has(white[1], column));
    const given = (mask, line) => (has(mask, line) === isGiven ? mask : mask ^ (1 << line));
    choose(given(white[0], row), given(white[1], column));
  } });

const multiply = asking(() => ask('halves', size, ...white), (answer) => {
  halves = answer;
  renderProduct();
});

/** The queens of both colours that are shown. */
const together = () => halves.map((all, colour) => all[picked[colour] % Math.max(all.length, 1)] ?? []);

function renderProduct() {
  const [whites, blacks] = together();
  const isWhole = halves.every((all) => all.length > 0);
  drawOn(productBoard, (row, column) => {
    if (isOn(whites, row, column)) return { state: 'queen', words: 'whiteQueen' };
    if (isOn(blacks, row, column)) return { state: 'shown', words: 'blackQueen' };
    if (whiteSquares(row, column)) return { state: 'good', words: 'forWhite' };
    return blackSquares(row, column) ? { state: 'open', words: 'forBlack' } : { state: 'dim' };
  });
  const [w, b] = halves.map((all) => all.length);
  setText(find('#product'), `${w} × ${b} = ${w * b}`);
  const isOdd = white.map((mask) => lines(size).filter((line) => has(mask, line)).length).reduce((one, other) => one !== other);
  setText(find('#product-words'), text(isOdd ? 'unequal' : isWhole ? 'productWords' : 'productNone', { w, b, product: w * b }));
  ['#next-white', '#next-black'].forEach((id, colour) => set(find(id), { 'aria-disabled': halves[colour].length < 2 }));
  for (const [part, id] of ['#choose-rows', '#choose-columns'].entries()) {
    for (const [line, button] of [...find(id).children].entries()) set(button, { 'aria-pressed': has(white[part], line) });
  }
}

function renderWalk() {
  const { choices } = facts;
  const value = ([, , w, b]) => w * b;
  const most = Math.max(...choices.map(value));
  const strip = find('#products');
  if (strip.childElementCount !== choices.length) {
    strip.replaceChildren();
    for (const each of choices) make(strip, 'i').style.height = `${100 * value(each) / most}%`;
  }
  [...strip.children].forEach((bar, place) => set(bar, { 'data-added': place < walked, 'data-here': place === walked - 1 }));
  const sum = choices.slice(0, walked).reduce((all, each) => all + value(each), 0);
  const slider = find('#walk');
  slider.max = choices.length;
  slider.value = walked;
  const words = text(walked === choices.length ? 'walkedAll' : 'walked', { sum: number(sum), total: number(facts.total), at: walked, all: choices.length, most });
  set(slider, { 'aria-valuetext': words });
  setText(find('#walk-words'), words + (most === 1 ? ` ${text('onlyOnes')}` : ''));
  set(find('#walk-next'), { 'aria-disabled': walked === choices.length });
  setText(find('#walk-all'), text(walking ? 'pause' : 'walkAll'));
}

function walkTo(place) {
  walked = Math.min(Math.max(place, 0), facts.choices.length);
  if (walked > 0) {
    const [rows, its] = facts.choices[walked - 1];
    choose(rows, its);
  }
  renderWalk();
}

function walk(isOn) {
  clearInterval(walking);
  if (isOn && matchMedia('(prefers-reduced-motion: reduce)').matches) {
    walking = null;
    walkTo(facts.choices.length);
    return;
  }
  walking = isOn ? setInterval(() => {
    walkTo(walked + 1);
    if (walked === facts.choices.length) walk(false);
  }, 3000 / facts.choices.length + 20) : null;
  if (isOn && walked === facts.choices.length) walkTo(0);
  renderWalk();
}

/** Shows the next placement of a colour. Together with that of the other colour it is a solution for all pictures. */
function pick(colour) {
  if (halves[colour].length < 2) return;
  picked[colour] = (picked[colour] + 1) % halves[colour].length;
  renderProduct();
  const queens = together().flat().sort(([one], [other]) => one - other);
  if (queens.length === size) {
    tree.find(queens.map(([, column]) => column));
    setQueens(tree.here.columns);
  }
}

// ---- 5: tables of bits ----

let probes = []; // the queens in odd rows and odd columns
let queensInTable = 1;
let fitting = -1; // the placement that is shown
let table = null;

const isProbeSquare = (row, column) => row % 2 === 1 && column % 2 === 1;
const isTableSquare = (row, column) => row % 2 === 0 && column % 2 === 0;
const isProbed = (square) => probes.some((probe) => isAttack(probe, square));

const tableBoard = gridIn('table', { label: () => text('tableBoard', { size }),
  press: (row, column) => {
    if (!isProbeSquare(row, column)) return;
    if (isOn(probes, row, column)) probes = probes.filter((each) => !same(each, [row, column]));
    else if (!isProbed([row, column])) probes = [...probes, [row, column]].sort(([one], [other]) => one - other);
    fitting = -1;
    join();
  } });

const join = asking(async () => {
  const its = probes;
  return { ...await ask('table', queensInTable, board(its)), probes: its };
}, (answer) => {
  table = answer;
  renderTable();
});

function renderTable() {
  const { placements, rows, both } = table;
  const shown = placements[fitting] ?? [];
  const numbers = new Map(placements[0]?.length === 1 ? placements.map(([[row, column]], place) => [`${row},${column}`, place]) : []);
  drawOn(tableBoard, (row, column) => {
    if (isOn(probes, row, column)) return { state: 'queen' };
    if (isOn(shown, row, column)) return { state: 'shown' };
    if (isProbeSquare(row, column)) {
      return isProbed([row, column]) ? { state: 'attacked' } : { state: 'good', words: 'forProbe' };
    }
    const place = numbers.get(`${row},${column}`);
    if (place === undefined) return { state: isTableSquare(row, column) ? 'free' : 'dim' };
    return { state: both[place] ? 'reached' : 'out', words: both[place] ? 'fits' : 'fitsNot', mark: place + 1 };
  });
  const list = find('#table');
  list.replaceChildren();
  set(list, { 'data-many': placements.length > 16 });
  if (placements.length <= 16) bits(list, '', placements.map((_, place) => place + 1), { kind: 'heads' });
  rows.forEach((each, probe) => bits(list, `♛ ${table.probes[probe].join(', ')}`, each));
  bits(list, text('c5and'), both, { kind: 'sum' });
  const fit = both.filter(Boolean).length;
  setText(find('#table-words'), text(rows.length === 0 ? 'tableEmpty' : 'tableWords', { fit, all: placements.length })
    + (fitting >= 0 ? ` ${text('tableShown', { place: fitting + 1 })}` : ''));
  set(find('#table-next'), { 'aria-disabled': fit === 0 });
  set(find('#table-clear'), { 'aria-disabled': probes.length === 0 });
  find('#table-queens').value = queensInTable;
}

function nextFitting() {
  if (!table) return;
  const fits = lines(table.both.length).filter((place) => table.both[place]);
  fitting = fits.find((place) => place > fitting) ?? fits[0] ?? -1;
  renderTable();
}

// ---- 6: eight boards for one ----

let solution = []; // the last solution that was on the board
let images = [];

const turnAll = asking(() => ask('images', board(squares(solution))), (answer) => {
  images = answer;
  renderImages();
});

const IMAGES = ['identity', 'quarterTurn', 'halfTurn', 'threeQuarterTurn', 'mirrorColumns', 'mirrorRows', 'transpose', 'antiTranspose'];

function renderImages() {
  const parent = find('#images');
  if (parent.childElementCount === 0) {
    for (const place of lines(8)) make(parent, 'button', { type: 'button' }).addEventListener('click', () => show(images[place]));
  }
  const first = images.map((image) => images.findIndex((each) => same(each, image)));
  [...parent.children].forEach((button, place) => {
    button.replaceChildren();
    const picture = make(button, 'span', { class: 'picture', 'aria-hidden': 'true' });
    picture.style.setProperty('--size', size);
    for (const row of lines(size)) {
      for (const column of lines(size)) {
        const square = make(picture, 'i', { 'data-dark': (row + column) % 2 });
        if (images[place][row] === column) queen(square);
      }
    }
    make(button, 'span', {}, text(`image-${IMAGES[place]}`) + (first[place] < place ? ` = ${first[place] + 1}` : ''));
    set(button, { 'data-again': first[place] < place, 'aria-label': `${place + 1}. ${button.textContent}: ${images[place].join(text('comma'))}` });
  });
  const parts = facts.orbits.filter(([, orbits]) => orbits > 0).map(([each, orbits]) => `${orbits} × ${each}`);
  setText(find('#images-words'), text('imagesWords', { different: new Set(first).size, size, sum: parts.join(' + '), total: number(facts.total),
    orbits: facts.orbits.reduce((all, [, orbits]) => all + orbits, 0) }));
}

/** Shows a solution in all pictures. */
function show(its) {
  if (!facts || its?.length !== size) return;
  tree.find(its);
  setQueens(its);
}

/** Shows the next solution, and after the last one the first. */
async function another() {
  try {
    show(await ask('next') ?? await ask('first', board([])));
  } catch (error) {
    fail(() => error.message);
  }
}

/** The board has a solution: the other pictures take it over. */
function solutionChosen() {
  solution = columns;
  const of = (colour) => squares(solution).filter(([row, column]) => (row + column) % 2 === colour);
  const mask = (queens, part) => queens.reduce((all, each) => all | 1 << each[part], 0);
  const whites = of(0);
  if (!same(together()[0], whites) || !same(together()[1], of(1))) {
    white = [mask(whites, 0), mask(whites, 1)];
    multiply().then(() => {
      picked = halves.map((all, colour) => Math.max(all.findIndex((each) => same(each, of(colour))), 0));
      renderProduct();
    });
  }
  probes = whites.filter(([row]) => row % 2 === 1);
  const evens = whites.length - probes.length;
  if (evens > 0) queensInTable = evens;
  fitting = -1;
  join();
  turnAll();
}

// ---- 7: the reader's own count ----

let own = null; // the finished count, or the share that is done

async function countOwn() {
  if (own?.share !== undefined) return;
  own = { share: 0 };
  renderOwn();
  const workers = Math.min(navigator.hardwareConcurrency || 2, 16);
  try {
    own = await count({ size: OWN, workers, engine: -1, progress: (share) => {
      own = { share };
      renderOwn();
    } });
  } catch (error) {
    own = null;
    if (!(error instanceof Ended)) fail(() => error.message);
  }
  renderOwn();
}

function renderOwn() {
  if (facts) setText(find('#c7words'), text('c7words', { size: OWN, nodes: number(Number(facts.expected.toPrecision(2))) }));
  set(find('#own-count'), { 'aria-disabled': own?.share !== undefined });
  const { share, total, seconds, verdict, published } = own ?? {};
  setText(find('#own-words'), !own ? '' : share !== undefined ? text('isCounting', { share: `${Math.floor(100 * share)}%` })
    : text('ownWords', { size: OWN, total: number(total), time: duration(seconds) }) + ' '
      + text(`verdict-${verdict}`, { published: number(published) }));
}

// ---- The size of the board ----

function buttonsOf(part, id) {
  const group = find(id);
  if (group.childElementCount === size) return;
  group.replaceChildren();
  for (const line of lines(size)) {
    make(group, 'button', { type: 'button' }, line).addEventListener('click', () => {
      const its = [...white];
      its[part] ^= 1 << line;
      if (facts) choose(...its);
    });
  }
}

const load = asking(async () => {
  const wanted = size;
  const [trace, methods, choices, orbits, first, expected, published, own] = await Promise.all([ask('trace', 'bit-masks', board([]), 30000), ask('methods', size),
    ask('choices', size), ask('orbits', size), ask('first', board([])), ask('expectedNodes', OWN), ...[size, OWN].map((each) => ask('verdict', each, 0n))]);
  return { size: wanted, trace, methods, choices, orbits, first, expected, total: published.published, ownTotal: own.published };
}, (answer) => {
  facts = answer;
  tree.plant(size, JSON.parse(answer.trace).steps.filter(({ kind }) => kind === 'place'));
  const isPlacement = columns.every((column, row) => column < size
    && !columns.slice(0, row).some((other, line) => isAttack([line, other], [row, column])));
  if (!isPlacement || columns.length > size) columns = [];
  tree.find(columns);
  buttonsOf(0, '#choose-rows');
  buttonsOf(1, '#choose-columns');
  const options = find('#table-queens');
  options.replaceChildren();
  for (let queens = 1; queens <= Math.ceil(size / 2) - 1; queens++) make(options, 'option', { value: queens }, queens);
  walk(false);
  walked = 0;
  queensInTable = 1;
  probes = [];
  dragged = [Math.floor(size / 2) - 1, Math.floor(size / 2) - 1];
  renderAll();
  renderTree();
  update();
  reach();
  // Without queens on the board, the pictures show the choice with the largest product, and the first solution.
  const best = answer.choices.reduce((one, other) => (other[2] * other[3] > one[2] * one[3] ? other : one));
  if (columns.length === size) {
    solutionChosen();
    return;
  }
  join();
  choose(best[0], best[1]);
  solution = answer.first;
  turnAll();
});

/** Begins the story of another board. */
function begin() {
  clearInterval(walking);
  walking = null;
  [facts, attacks, reached, table, images] = [null, null, null, null, []];
  boardsBegun++;
  load();
}

function resize(wanted) {
  size = wanted;
  columns = [];
  begin();
  keep();
}

/** What depends on the size and on the language, and not on the queens. */
function renderAll() {
  for (const input of document.querySelectorAll('#why-size input')) input.checked = Number(input.value) === size;
  renderOwn();
  if (!facts) return;
  setText(find('#c2next'), text('c2next', { size: OWN, total: number(facts.ownTotal) }));
  renderVisits();
  renderWalk();
  for (const [kind, id] of [['Row', '#choose-rows'], ['Column', '#choose-columns']]) {
    for (const [line, button] of [...find(id).children].entries()) set(button, { 'aria-label': text(`white${kind}`, { line }) });
  }
}

function draw() {
  isDrawn = true;
  make(find('#why-size'), 'b', { 'aria-hidden': true }, 'N');
  for (const each of SIZES) {
    const label = make(find('#why-size'), 'label');
    make(label, 'input', { type: 'radio', name: 'why-size', value: each, autocomplete: 'off' }).addEventListener('change', () => resize(each));
    make(label, 'span', {}, each);
  }
  showProgram(find('#ten-lines'), 'ten_lines');
  showProgram(find('#thirty-lines'), 'thirty_lines');
  const clicks = {
    'tree-step': () => tree.step(), 'tree-row': () => !tree.isWhole && tree.growRow(), 'tree-all': () => tree.growAll(),
    'tree-clear': () => {
      tree.shrink();
      tree.draw();
      tree.chosen();
    },
    'next-white': () => pick(0), 'next-black': () => pick(1), 'walk-next': () => walkTo(walked + 1), 'walk-all': () => walk(!walking),
    'table-next': nextFitting,
    'table-clear': () => {
      probes = [];
      fitting = -1;
      join();
    },
    turn: () => show(images[1]), mirror: () => show(images[4]), another, 'own-count': countOwn,
  };
  for (const [id, act] of Object.entries(clicks)) {
    find(`#${id}`).addEventListener('click', ({ currentTarget }) => {
      if (facts && currentTarget.getAttribute('aria-disabled') !== 'true') act();
    });
  }
  find('#walk').addEventListener('input', ({ target }) => facts && walkTo(Number(target.value)));
  find('#table-queens').addEventListener('change', ({ target }) => {
    if (!facts) return;
    queensInTable = Number(target.value);
    fitting = -1;
    join();
  });
}

export const whyPart = { part: () => `why=${size}${columns.length > 0 ? `&queens=${columns.join('.')}` : ''}` };

/** What the story shows, for tests. */
export const storyShown = () => ({ size, columns, white, halves, picked, walked, probes, table, solution, images, seen: tree.seen, all: tree.all });

/** Shows the story, with the board of an address if one is given. */
export function enterWhy(written, { queens }) {
  const wanted = SIZES.includes(Number(written)) ? Number(written) : size;
  const its = queens === undefined ? [] : queens.split('.').map(Number);
  const isNew = !isDrawn || (written !== undefined && (wanted !== size || !same(its, columns)));
  if (!isNew) return;
  size = wanted;
  columns = its;
  if (isDrawn) {
    begin();
    return;
  }
  draw();
  begin();
  translated(() => {
    if (failure) fail(failure);
    renderAll();
    if (!facts) return;
    tree.draw();
    renderTree();
    if (attacks) renderMasks();
    if (reached) renderColour();
    renderProduct();
    if (table) renderTable();
    if (images.length > 0) renderImages();
  });
}
