// The story of why the program is fast. All its pictures show one board, and the library computes their numbers.

import { keep } from './address.js';
import { showProgram } from './code.js';
import { bars, find, make, queen, set, setText } from './dom.js';
import { Grid } from './grid.js';
import { Ended, Instance } from './library.js';
import { count } from './pool.js';
import { isAttack } from './setup.js';
import { duration, failed, languageShown, method, number, text, translated } from './texts.js';
import { Tree } from './tree.js';

const SIZES = [4, 5, 6, 7, 8];
const OWN = 18; // the size of the board that is counted at the end
const lines = (size) => [...Array(size).keys()];
const has = (mask, line) => (mask >> line) % 2 === 1;
const same = (one, other) => String(one) === String(other);

let size = 7;
let columns = []; // of the queens in the first rows
let facts; // of the board's size: visits, choices and their families, and the number of solutions
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
  bits(list, text('c2column'), lines(size), { kind: 'heads' });
  bits(list, text('c2worth'), lines(size).map((column) => 2 ** column), { kind: 'heads' });
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
let multiplied = null; // the rows and columns for which these are the placements
let picked = [0, 0]; // the placements that are shown
let queensWanted = []; // the placements that are to be shown, if there are any
let walked = 0; // the choices that are added up
let walking = null; // a timer

const every = () => 2 ** size - 1;
const whiteSquares = (row, column) => (row + column) % 2 === 0 && has(white[0], row) && has(white[1], column);
const blackSquares = (row, column) => (row + column) % 2 === 1 && !has(white[0], row) && !has(white[1], column);

function choose(rows, its, queens = []) {
  white = [rows, its];
  queensWanted = queens;
  multiply().then(() => facts && (table?.rows === white[0] ? showChosen() : join()));
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
  multiplied = white;
  picked = halves.map((all, colour) => Math.max(all.findIndex((each) => same(each, queensWanted[colour])), 0));
  renderProduct();
});

/** The buttons for the lines of the white queens: of rows (0) or of columns (1). */
const CHOOSERS = [['#choose-rows', 0], ['#choose-columns', 1], ['#table-rows', 0]];

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
  for (const [id, part] of CHOOSERS) {
    for (const [line, button] of [...find(id).children].entries()) set(button, { 'aria-pressed': has(white[part], line) });
  }
  renderImages();
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
  showChosen();
  const queens = together().flat().sort(([one], [other]) => one - other);
  if (queens.length === size) {
    tree.find(queens.map(([, column]) => column));
    setQueens(tree.here.columns);
  }
}

// ---- 5: from bits to w ----

let table = null; // for the white rows: the placements in even rows by columns, those in odd rows with their bits, and b by columns
let added = new Set(); // the placements in odd rows whose ones are in the table
let probe = -1; // the one that is compared
let build = -1; // the placement in even rows that is shown

const builds = () => table.even.flatMap(([, placements]) => placements);
const probes = () => table.odd.map(([, queens]) => queens);
const inList = (mask) => lines(size).filter((line) => has(mask, line)).join(text('comma'));

/** The placements in even rows that no queen of a placement in odd rows attacks, as bits. */
const fitting = ([, , rows]) => builds().map((_, place) => Number(rows.every((row) => row[place] === 1)));

/** The next of some placements, after the last one the first. */
const after = (here, places) => places.find((place) => place > here) ?? places[0];
const placesOf = (all, square) => lines(all.length).filter((place) => isOn(all[place], ...square));

const tableBoard = gridIn('table', { label: () => text('tableBoard', { size }),
  press: (row, column) => {
    if (!table) return;
    const isOdd = row % 2 === 1;
    const there = placesOf(isOdd ? probes() : builds(), [row, column]);
    if (there.length === 0) return;
    if (isOdd) compare(after(probe, there));
    else build = after(build, there);
    renderTable();
  } });

const join = asking(async () => {
  const [rows] = white;
  return [rows, await ask('join', size, rows)];
}, ([rows, [even, odd, black]]) => {
  table = { rows, even, odd, black: new Map(black) };
  added = new Set();
  probe = odd.length > 0 ? 0 : -1;
  build = -1;
  showChosen();
});

/** Shows the white queens of the picture before. */
function showChosen() {
  if (table?.rows !== white[0]) return;
  const [whites] = together();
  const [odd, even] = [probes(), builds()].map((all, part) =>
    all.findIndex((each) => same(each, whites.filter(([row]) => row % 2 !== part))));
  if (whites.length > 0) [probe, build] = [odd, even];
  compare(probe);
  renderTable();
}

/** Compares a placement in odd rows with all in even rows, and adds the ones to the table. */
function compare(place) {
  probe = place;
  if (probe >= 0) added.add(probe);
}

function renderTable() {
  if (!table) return;
  const { even, odd, black } = table;
  const [shown, compared] = [builds()[build] ?? [], probes()[probe] ?? []];
  const inRows = (row, column) => has(table.rows, row) && row % 2 === column % 2;
  drawOn(tableBoard, (row, column) => {
    if (isOn(compared, row, column)) return { state: 'queen' };
    if (isOn(shown, row, column)) return { state: 'shown' };
    if (!inRows(row, column)) return { state: 'dim' };
    if (row % 2 === 0 && compared.some((queen) => isAttack(queen, [row, column]))) return { state: 'attacked' };
    return { state: 'good', words: ['evenRow', 'oddRow'][row % 2] };
  });

  const parent = find('#join');
  parent.replaceChildren();
  const line = (part, name, cells, { kind = '', element = 'td' } = {}) => {
    const row = make(part, 'tr', { class: kind });
    make(row, 'th', { scope: 'row' }, name);
    return cells.map((words) => make(row, element, {}, words));
  };
  set(parent, { 'aria-label': text('joinLabel') });
  const bytes = make(parent, 'tbody');
  line(bytes, text('evenColumns'), even.map(([mask]) => inList(mask) || '–'), { element: 'th' });
  let first = 0; // of the byte's bits
  const starts = even.map(([, placements]) => (first += placements.length) - placements.length);
  const byte = (values, group) => values.slice(starts[group], starts[group] + even[group][1].length);
  const bitsOf = (kind, name, values) => line(bytes, name, even.map(() => ''), { kind }).forEach((cell, group) => {
    for (const [place, bit] of byte(values, group).entries()) {
      const its = starts[group] + place;
      make(cell, 'b', { 'data-bit': bit, 'data-build': its, 'data-here': its === build ? true : null }, bit);
    }
  });
  const [its, , rows] = odd[probe] ?? [0, [], []];
  const fits = probe < 0 ? [] : fitting(odd[probe]);
  compared.forEach((queen, place) => bitsOf('queens', `♛ ${queen.join(', ')}`, rows[place]));
  bitsOf('queens and', text('c5and'), fits);
  line(bytes, text('c5ones'), even.map((_, group) => `+ ${byte(fits, group).reduce((all, bit) => all + bit, 0)}`), { kind: 'ones' });

  // An entry for the columns of each byte, and for the columns of each placement in odd rows.
  const entries = make(parent, 'tbody');
  const isWhole = added.size === odd.length;
  let sum = 0;
  for (const mask of new Set(odd.map(([columns]) => columns))) {
    const found = [...added].filter((place) => odd[place][0] === mask).map((place) => fitting(odd[place]));
    const cells = line(entries, text('oddColumns', { columns: inList(mask) || '–' }), even.map(() => ''), { kind: 'entries' });
    cells.forEach((cell, group) => {
      const columns = mask | even[group][0];
      const w = found.reduce((all, bits) => all + byte(bits, group).reduce((one, bit) => one + bit, 0), 0);
      const b = black.get(columns) ?? 0;
      sum += w * b;
      set(cell, { 'data-columns': columns, 'data-added': mask === its && probe >= 0, 'data-here': columns === white[1] });
      setText(cell, w);
      if (isWhole && w > 0) make(cell, 'small', {}, ` × ${b}`);
    });
  }
  const values = { rows: inList(table.rows) || '–', at: added.size, all: odd.length, fit: fits.filter(Boolean).length, of: fits.length, sum };
  setText(find('#table-words'), text(fits.length === 0 ? 'tableNone' : isWhole ? 'tableWhole' : 'tableWords', values));
  set(find('#table-fit'), { 'aria-disabled': values.fit === 0 });
  for (const id of ['#table-next', '#table-all']) set(find(id), { 'aria-disabled': isWhole });
}

// ---- 6: eight choices for one ----

/** The names of the eight symmetries, and where they put a square. */
const IMAGES = [
  ['identity', (row, column) => [row, column]], ['quarterTurn', (row, column) => [column, size - 1 - row]],
  ['halfTurn', (row, column) => [size - 1 - row, size - 1 - column]], ['threeQuarterTurn', (row, column) => [size - 1 - column, row]],
  ['mirrorColumns', (row, column) => [row, size - 1 - column]], ['mirrorRows', (row, column) => [size - 1 - row, column]],
  ['transpose', (row, column) => [column, row]], ['antiTranspose', (row, column) => [size - 1 - column, size - 1 - row]],
];

/** True if an image has white squares where the board has black ones. */
const isExchanging = (image) => image(0, 0).reduce((row, column) => row + column) % 2 === 1;

/** The image of a choice of rows and columns for white. If white squares become black, black has the images of its lines. */
function imageOf(choice, image) {
  // If rows become columns, the new rows come from the columns.
  const sources = image(0, 1)[0] === image(0, 0)[0] ? choice : [choice[1], choice[0]];
  return sources.map((mask, part) => lines(size).reduce((all, line) =>
    (has(mask, line) === isExchanging(image) ? all : all | 1 << image(line, line)[part]), 0));
}
const imagesOf = (choice) => IMAGES.map(([, image]) => imageOf(choice, image));

/** The families of choices that are images of one another, by their least choice: { choice, choices, product }. */
function familiesOf(choices) {
  const families = new Map();
  for (const [rows, its, w, b] of choices) {
    const least = Math.min(...imagesOf([rows, its]).map(([one, other]) => one << size | other));
    const family = families.get(least) ?? { choice: [rows, its], choices: 0, product: w * b };
    families.set(least, { ...family, choices: family.choices + 1 });
  }
  return [...families.values()];
}

function renderImages() {
  if (!facts) return;
  const parent = find('#images');
  if (parent.querySelectorAll('i').length !== 8 * size ** 2) {
    parent.replaceChildren();
    for (const place of lines(8)) {
      const button = make(parent, 'button', { type: 'button' });
      button.addEventListener('click', () => facts && choose(...imagesOf(white)[place]));
      const picture = make(button, 'span', { class: 'picture', 'aria-hidden': 'true' });
      picture.style.setProperty('--size', size);
      for (const row of lines(size)) for (const column of lines(size)) make(picture, 'i', { 'data-dark': (row + column) % 2 });
      make(button, 'span');
    }
  }
  const images = imagesOf(white);
  const first = images.map((image) => images.findIndex((each) => same(each, image)));
  const [w, b] = halves.map((all) => all.length);
  [...parent.children].forEach((button, place) => {
    const [rows, its] = images[place];
    [...button.firstChild.children].forEach((square, at) => {
      const [row, column] = [Math.floor(at / size), at % size];
      const isWhite = (row + column) % 2 === 0;
      const isMarked = has(rows, row) === isWhite && has(its, column) === isWhite;
      set(square, { 'data-state': isMarked ? (isWhite ? 'good' : 'open') : null });
    });
    const [name, image] = IMAGES[place];
    const product = (isExchanging(image) ? [b, w] : [w, b]).join('\u00a0×\u00a0');
    setText(button.lastChild, `${place + 1}. ${text(`image-${name}`)}${first[place] < place ? ` = ${first[place] + 1}` : `: ${product}`}`);
    set(button, { 'data-again': first[place] < place });
  });
  const { families } = facts;
  setText(find('#images-words'), text('imagesWords', { different: new Set(first).size, product: w * b, size, total: number(facts.total), all: facts.choices.length,
    families: families.length, sum: families.map(({ choices, product }) => `${choices} × ${product}`).join(' + ') }));
}

/** Shows a choice of the next family. */
function another() {
  const own = imagesOf(white);
  const at = facts.families.findIndex(({ choice }) => own.some((image) => same(image, choice)));
  choose(...facts.families[(at + 1) % facts.families.length].choice);
}

/** By the size of the board, how many products the method makes: docs/two-color.md says which, and the test counts them. */
const PRODUCTS = [[8, 388], [12, 38600], [16, 5887252], [18, 77204457], [22, 14609295459]];
/** How many solutions a product counts on average. */
function gain(place) {
  const value = facts.totals[place] / PRODUCTS[place][1];
  return value.toLocaleString(languageShown(), { maximumSignificantDigits: value < 100 ? 2 : 3 });
}

function renderGains() {
  const body = find('#gains tbody');
  body.replaceChildren();
  PRODUCTS.forEach(([each, products], place) => {
    const row = make(body, 'tr');
    for (const words of [each, number(facts.totals[place]), number(products), gain(place)]) make(row, 'td', {}, words);
  });
  setText(find('#c4next'), text('c4next', { one: gain(3), other: gain(4) }));
}

/** The board has a solution: the other pictures take it over. */
function solutionChosen() {
  const [whites, blacks] = [0, 1].map((colour) => squares(columns).filter(([row, column]) => (row + column) % 2 === colour));
  if (same(together()[0], whites) && same(together()[1], blacks)) return;
  const mask = (part) => whites.reduce((all, each) => all | 1 << each[part], 0);
  choose(mask(0), mask(1), [whites, blacks]);
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
  const [trace, methods, choices, expected, ...published] = await Promise.all([ask('trace', 'bit-masks', board([]), 30000), ask('methods', size),
    ask('choices', size), ask('expectedNodes', OWN), ...[size, OWN, ...PRODUCTS.map(([each]) => each)].map((each) => ask('verdict', each, 0n))]);
  const [total, ownTotal, ...totals] = published.map((each) => Number(each.published));
  return { size: wanted, trace, methods, choices, expected, total, ownTotal, totals };
}, (answer) => {
  facts = { ...answer, families: familiesOf(answer.choices) };
  tree.plant(size, JSON.parse(answer.trace).steps.filter(({ kind }) => kind === 'place'));
  const isPlacement = columns.every((column, row) => column < size
    && !columns.slice(0, row).some((other, line) => isAttack([line, other], [row, column])));
  if (!isPlacement || columns.length > size) columns = [];
  tree.find(columns);
  for (const [id, part] of CHOOSERS) buttonsOf(part, id);
  walk(false);
  walked = 0;
  dragged = [Math.floor(size / 2) - 1, Math.floor(size / 2) - 1];
  renderAll();
  renderTree();
  update();
  reach();
  // Without a solution on the board, the pictures show a choice with the largest product.
  const best = answer.choices.reduce((one, other) => (other[2] * other[3] >= one[2] * one[3] ? other : one));
  if (columns.length === size) solutionChosen();
  else choose(best[0], best[1]);
});

/** Begins the story of another board. */
function begin() {
  clearInterval(walking);
  walking = null;
  [facts, attacks, reached, table, halves] = [null, null, null, null, [[], []]];
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
  renderGains();
  for (const [id, part] of CHOOSERS) {
    for (const [line, button] of [...find(id).children].entries()) set(button, { 'aria-label': text(['whiteRow', 'whiteColumn'][part], { line }) });
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
    'table-next': () => {
      compare(lines(table.odd.length).find((place) => !added.has(place)));
      renderTable();
    },
    'table-all': () => {
      added = new Set(lines(table.odd.length));
      renderTable();
    },
    'table-clear': () => {
      added = new Set();
      compare(table.odd.length > 0 ? 0 : -1);
      renderTable();
    },
    'table-fit': () => {
      const fits = fitting(table.odd[probe]);
      build = after(build, lines(fits.length).filter((place) => fits[place]));
      renderTable();
    },
    turn: () => choose(...imagesOf(white)[1]), mirror: () => choose(...imagesOf(white)[4]), another, 'own-count': countOwn,
  };
  for (const [id, act] of Object.entries(clicks)) {
    find(`#${id}`).addEventListener('click', ({ currentTarget }) => {
      if (facts && table && currentTarget.getAttribute('aria-disabled') !== 'true') act();
    });
  }
  find('#walk').addEventListener('input', ({ target }) => facts && walkTo(Number(target.value)));
  find('#join').addEventListener('click', ({ target }) => {
    const { columns: its, build: place } = target.closest('[data-columns], [data-build]')?.dataset ?? {};
    if (!facts) return;
    if (its) choose(white[0], Number(its));
    if (place) {
      build = Number(place);
      renderTable();
    }
  });
}

export const whyPart = { part: () => `why=${size}${columns.length > 0 ? `&queens=${columns.join('.')}` : ''}` };

/** What the story shows, for tests. */
export const storyShown = () => ({ size, columns, white, halves, picked, walked, table, probe, build, added: added.size, isChosen: multiplied === white && table?.rows === white[0],
  families: facts?.families, seen: tree.seen, all: tree.all });

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
    renderTable();
  });
}
