// The screen with a board for queens and blocked squares.

import { keep, link } from './address.js';
import { find, make, set, setText } from './dom.js';
import { Grid } from './grid.js';
import { Ended, Instance } from './library.js';
import { LARGEST, addressOf, rowsOf } from './setup.js';
import { failed, languageShown, number, text, translated } from './texts.js';

/** With at most so many rows left, each free square shows how many solutions go through it. */
const TINTED_ROWS = 12;
/** The milliseconds after which a count, or the search for a solution, is given up: some would take days. */
const PATIENCE = 30000;
/** An answer within so many milliseconds needs no sign of waiting. */
const AT_ONCE = 150;

let size = 8;
let marks = Array(64).fill(''); // by square: 'queen', 'blocked' or ''
let solution = null; // the solution shown: its columns and its number
let through = null; // by square: the number of solutions
let total = null; // null until the board is counted
let known = null; // the published number of the empty board, shown until it is counted
let isTooLong = false; // the count was given up
let isHopeless = false; // the search for a solution was given up
let failure = null; // a function that returns the text of an error
const past = [];
let given = null; // of a puzzle: the squares of its queens, which stay; null if the board is no puzzle
let seen = { numbers: true, attacks: true }; // what the board tells the reader: a puzzle never has numbers

const rowOf = (square) => Math.floor(square / size);
const columnOf = (square) => square % size;
const squareAt = (row, column) => row * size + column;
const squaresWith = (mark) => marks.flatMap((each, square) => (each === mark ? [square] : []));
const isEmpty = () => marks.every((mark) => mark === '');
const words = (square) => text('square', { row: rowOf(square), column: columnOf(square) });

// ---- The address ----

/** The rows of the board, with a letter for each square. */
const inLetters = (letter, between = '') => Array.from({ length: size }, (_, row) =>
  Array.from({ length: size }, (_, column) => letter(squareAt(row, column))).join(between));

const address = () => addressOf(inLetters((square) => ({ queen: 'Q', blocked: 'x', '': '.' })[marks[square]]));

/** The address of what a link shows: of a puzzle the queens that are given. */
const shownAddress = () => (given ? addressOf(inLetters((square) => (given.includes(square) ? 'Q' : '.'))) : address());

const partOf = (board, isPuzzle, { numbers, attacks }) => [`board=${board}`, isPuzzle && 'puzzle=1', !numbers && 'numbers=0',
  !attacks && 'attacks=0'].filter(Boolean).join('&');

export const boardPart = { part: () => partOf(shownAddress(), given, seen) };

/** Shows the board of an address. Returns an error text if the address has no board. */
function open(written, isPuzzle) {
  const rows = rowsOf(written);
  if (!rows) return () => text('badLink');
  const before = { size, marks, given };
  size = rows.length;
  marks = Array.from(rows.join(''), (letter) => ({ Q: 'queen', x: 'blocked', '.': '' })[letter]);
  const attacked = squaresWith('queen').find((square) => attacker(square));
  if (attacked !== undefined) {
    const words = attackWords(attacked);
    ({ size, marks } = before);
    return () => text('linkAttacks', { words: words() });
  }
  if (isDrawn) past.push(before);
  given = isPuzzle ? squaresWith('queen') : null;
  boardPart.kept = boardPart.part();
  draw();
  changed();
  return null;
}

// ---- Attacks ----

function lineOf(one, other) {
  const [down, right] = [rowOf(other) - rowOf(one), columnOf(other) - columnOf(one)];
  if (down === 0) return 'lineRow';
  if (right === 0) return 'lineColumn';
  if (down === right) return 'lineDiagonal';
  return down === -right ? 'lineAnti' : null;
}

/** Returns a queen that attacks a square, and the line; null if there is none. */
function attacker(square) {
  for (const other of squaresWith('queen')) {
    const line = other === square ? null : lineOf(other, square);
    if (line) return { other, line };
  }
  return null;
}

/** Returns a function for the text about an attacked square, since the language may change. */
function attackWords(square) {
  const { other, line } = attacker(square);
  const places = { row: rowOf(square), column: columnOf(square), otherRow: rowOf(other), otherColumn: columnOf(other) };
  return () => text('attackedBy', { ...places, line: text(line) });
}

// ---- Changes ----

let said = () => ''; // returns the last message in the language shown

function say(words) {
  said = words;
  setText(find('#said'), said());
}

function change(edit) {
  past.push({ size, marks: [...marks], given });
  edit();
  changed();
}

function mark(square, tool) {
  if (given?.includes(square)) {
    say(() => text('isGiven', { square: words(square) }));
    return;
  }
  const attack = attacker(square);
  if (tool === 'queen' && marks[square] !== 'queen' && attack) {
    say(attackWords(square));
    flash(attack.other);
    return;
  }
  change(() => { marks[square] = marks[square] === tool ? '' : tool; });
}

const endFlash = () => grid.cells.forEach((cell) => cell.classList.remove('flash', 'hinted'));

function flash(square) {
  endFlash();
  void grid.cells[square].offsetWidth; // makes the animation begin anew
  grid.cells[square].classList.add('flash');
}

function undo() {
  // A solution that is shown goes first, and the queens stay.
  if (solution) {
    solution = null;
    say(() => '');
    render();
    return;
  }
  const before = past.pop();
  if (!before) {
    say(() => text('nothingToUndo'));
    return;
  }
  const isOther = before.size !== size;
  ({ size, marks, given } = before);
  if (isOther) draw();
  changed();
}

/** Shows an empty board of another size, or a puzzle with these queens. */
function begin(wanted, queens = null) {
  past.push({ size, marks: [...marks], given });
  const isOther = size !== wanted;
  size = wanted;
  marks = Array(size * size).fill('');
  given = queens && queens.map(([row, column]) => squareAt(row, column));
  for (const square of given ?? []) marks[square] = 'queen';
  if (isOther) draw();
  changed();
}

function resize(wanted) {
  const next = Math.min(Math.max(Math.round(wanted) || size, 1), LARGEST);
  if (next !== size) begin(next);
  find('#board-size').value = size;
}

// ---- Answers of the library ----

let counter = null;
let searcher = null; // an instance for solutions, which can be shown while a long count goes on
let asked = 0; // the number of the last question: answers to earlier questions are dropped

/** Returns a free instance: an instance busy with an earlier board is ended, and an ended one is replaced. */
function free(instance) {
  if (instance?.isFree) return instance;
  instance?.end();
  return new Instance();
}

/** The board as the library reads it, without the queen on one square. */
const board = (without = null) => inLetters((square) =>
  (square === without ? '.' : { queen: 'Q', blocked: '*', '': '.' }[marks[square]])).join('\n');

/**
 * Works on the last question. `work` gets a function that waits for an answer of the library. Once there is another
 * question, the work ends. `late` is called if it takes a while, and `giveUp` if it takes too long; an error is shown.
 */
async function answering(work, late = () => {}, giveUp = () => {}) {
  const question = asked;
  const isNews = () => question === asked;
  const timers = [[late, AT_ONCE], [giveUp, PATIENCE]].map(([act, time]) => setTimeout(() => isNews() && act(), time));
  try {
    await work(async (answer) => {
      const its = await answer;
      if (!isNews()) throw new Ended();
      return its;
    });
  } catch (error) {
    if (!(error instanceof Ended) && isNews()) fail(() => error.message);
  } finally {
    for (const timer of timers) clearTimeout(timer);
  }
}

function changed() {
  asked++;
  solution = null;
  total = null;
  known = null;
  isTooLong = false;
  isHopeless = false;
  failure = null;
  through = null;
  say(() => '');
  endFlash();
  keep();
  // A quick answer takes the place of the answer before, without a sign of waiting in between.
  render(false);
  if (!searcher?.isFree) searcher?.end(); // the search is for an earlier board
  counter = free(counter);
  const library = counter;
  let isLate = false; // the reader sees that it takes a while
  answering(async (its) => {
    let published = null;
    if (isEmpty()) {
      ({ published } = await its(library.call('verdict', size, 0n)));
      known = published;
      if (isLate) renderAnswer();
    }
    const counted = await its(library.call('solve', board()));
    if (published !== null && counted !== published) {
      return fail(() => text('contradicts', { total: number(counted), published: number(published) }));
    }
    total = counted;
    if (given && squaresWith('queen').length === given.length && counted !== 1n) {
      given = null;
      say(() => text('noPuzzle', { count: number(counted) }));
    }
    render();
    if (size - squaresWith('queen').length > TINTED_ROWS) return;
    // These solutions are found one by one, which also checks the total.
    const tally = await its(library.call('tally', board()));
    if (tally.solutions !== counted) {
      return fail(() => text('disagree', { one: number(counted), other: number(tally.solutions) }));
    }
    const wrong = wrongIn(tally.through);
    if (wrong) return fail(wrong);
    through = tally.through;
    render();
  }, () => {
    isLate = true;
    renderAnswer();
  }, () => {
    isTooLong = true;
    library.end();
    render();
  });
}

/** Returns the fault of the numbers in the squares, or null: a solution has one queen in each row and each column. */
function wrongIn(counts) {
  const all = Number(total);
  for (const [line, of] of [['lineRow', rowOf], ['lineColumn', columnOf]]) {
    const sums = Array(size).fill(0);
    counts.forEach((count, square) => { sums[of(square)] += count; });
    const index = sums.findIndex((sum) => sum !== all);
    if (index >= 0) return () => text('wrongSquares', { line: text(line), index, total: number(all) });
  }
  const isRight = (count, square) => (marks[square] === 'queen' ? count === all
    : count >= 0 && (count === 0 || marks[square] === '' && !attacker(square)));
  const square = counts.findIndex((count, each) => !isRight(count, each));
  return square < 0 ? null : () => text('wrongSquare', { square: words(square) });
}

/** Shows an error until the board changes. */
function fail(words) {
  failure = words;
  counter?.end();
  searcher?.end();
  say(() => '');
  render();
}

let searches = Promise.resolve(); // searches run one after another, however fast they are asked for

function showNext() {
  const question = asked;
  searches = searches.then(() => (question === asked ? search() : null));
}

function search() {
  if (isHopeless) {
    say(() => text('tooLong'));
    return null;
  }
  const first = !solution;
  return answering(async (its) => {
    if (first) searcher = free(searcher);
    const columns = await its(first ? searcher.call('first', board()) : searcher.call('next'));
    endFlash();
    if (columns) {
      const shown = { columns, number: first ? 1 : solution.number + 1 };
      solution = shown;
      say(() => text('shown', { number: number(shown.number), columns: columns.join(text('comma')) }));
    } else {
      solution = null;
      say(() => text(first ? 'noSolution' : 'lastShown'));
    }
    render();
  }, () => say(() => text('searching')), () => {
    isHopeless = true;
    searcher.end();
    say(() => text('tooLong'));
  });
}

// ---- Hints and puzzles ----

/** The rows and columns without a queen, each with the squares that are left. */
function openLines() {
  const lines = [['lineRow', rowOf], ['lineColumn', columnOf]].flatMap(([line, of]) =>
    Array.from({ length: size }, (_, index) => ({ line, squares: marks.map((_, square) => square).filter((square) => of(square) === index), index })));
  const isOpen = ({ squares }) => !squares.some((square) => marks[square] === 'queen');
  return lines.filter(isOpen).map((each) => ({ ...each, all: each.squares,
    squares: each.squares.filter((square) => marks[square] === '' && !attacker(square)) }));
}

function point(squares) {
  endFlash();
  squares.forEach((square) => grid.cells[square].classList.add('hinted'));
}

/** Says what the board tells about the next queen, without giving a solution away. */
async function hint() {
  const question = asked;
  const lines = openLines().sort((one, other) => one.squares.length - other.squares.length);
  const [least] = lines;
  const inLine = ({ line, index }) => ({ line: text(line), index });
  if (!least) {
    say(() => text('hintDone'));
  } else if (least.squares.length === 0) {
    // Without the queen to blame, the row or column would have a square.
    const blamed = squaresWith('queen').filter((each) => !given?.includes(each)).reverse().find((each) => least.all.some((square) =>
      marks[square] === '' && squaresWith('queen').every((other) => other === each || !lineOf(other, square))));
    say(() => (blamed === undefined ? text('hintDead', inLine(least))
      : text('hintBlamed', { ...inLine(least), row: rowOf(blamed), column: columnOf(blamed) })));
    point(least.all);
  } else if (total === 0n) {
    // The last queen placed that can be taken back is named.
    for (const queen of squaresWith('queen').filter((each) => !given?.includes(each)).reverse()) {
      let without;
      try {
        counter = free(counter);
        without = await counter.call('solve', board(queen));
      } catch { return; }
      if (question !== asked) return;
      if (without > 0n) {
        say(() => text('hintTakeBack', { square: words(queen), count: number(without) }));
        point([queen]);
        return;
      }
    }
    say(() => text('hintNone'));
  } else if (least.squares.length === 1) {
    say(() => text('hintSingle', { ...inLine(least), square: words(least.squares[0]) }));
    point(least.squares);
  } else if (through) {
    const good = (each) => each.squares.filter((square) => through[square] > 0).length;
    const best = lines.reduce((one, other) => (good(other) / other.squares.length < good(one) / one.squares.length ? other : one));
    say(() => text('hintFew', { ...inLine(best), good: good(best), all: best.squares.length }));
    point(best.squares);
  } else {
    say(() => text('hintLeast', { ...inLine(least), all: least.squares.length }));
    point(least.squares);
  }
}

let maker = null; // the instance that makes puzzles
let made = ''; // the last puzzle: the next one is another

function newPuzzle() {
  const wanted = size >= 6 && size <= 12 ? size : 8;
  say(() => text('puzzleMaking'));
  answering(async (its) => {
    maker = free(maker);
    let queens;
    do queens = await its(maker.call('puzzle', wanted, find('#level').value)); while (String(queens) === made);
    made = String(queens);
    begin(wanted, queens);
  });
}

// ---- Drawing ----

const grid = new Grid(find('#squares'), {
  // Keys place queens, and clicks what is chosen.
  press: (row, column, { type }) =>
    mark(squareAt(row, column), type === 'click' ? find('#tool input:checked').value : 'queen'),
  keys: { x: (row, column) => mark(squareAt(row, column), 'blocked'), n: showNext, u: undo, h: hint },
  label: () => text('boardLabel', { size }),
});

/** Draws what depends on the size alone. */
function draw() {
  find('#columns').replaceChildren();
  find('#squares-frame').style.setProperty('--size', size);
  for (let column = 0; column < size; column++) make(find('#columns'), 'span', {}, column);
  find('#board-size').value = size;
  set(find('#smaller'), { 'aria-disabled': size === 1 });
  set(find('#larger'), { 'aria-disabled': size === LARGEST });
}

function state(square) {
  if (marks[square] !== '') return marks[square];
  if (solution?.columns[rowOf(square)] === columnOf(square)) return 'shown';
  return seen.attacks && attacker(square) ? 'attacked' : 'free';
}

/** True if the reader places the queens without the help of numbers. */
const isExercise = () => given !== null || !seen.numbers;

function render(isAnswered = true) {
  const isTintedNow = through !== null && !solution && !isExercise();
  const most = isTintedNow ? Math.max(...through.filter((_, square) => state(square) === 'free')) : 0;
  find('#squares').dataset.tinted = isTintedNow;
  // The longest number fits: a letter is as wide as half a line is high.
  find('#squares').style.setProperty('--letters', Math.max(number(most).length, 2));
  const isTinted = (square) => isTintedNow && state(square) === 'free';
  grid.show(size, (row, column) => {
    const square = squareAt(row, column);
    const now = state(square);
    return { state: now, words: describe(square, now), mark: isTinted(square) ? number(through[square]) : '' };
  });
  grid.cells.forEach((cell, square) => {
    cell.style.setProperty('--share', isTinted(square) && most > 0 ? (through[square] / most).toFixed(3) : 0);
    set(cell, { 'data-given': given?.includes(square) ? true : null });
  });
  setText(find('#show'), text(solution ? 'next' : 'show'));
  set(find('#undo'), { 'aria-disabled': past.length === 0 && !solution });
  set(find('#watch-board'), { href: `#watch=${Math.min(size, 8)}&on=${address()}` });
  set(find('#show'), { 'aria-disabled': total === 0n && !isExercise() });
  Object.assign(find('#numbers'), { checked: !isExercise(), disabled: given !== null });
  find('#attacks').checked = seen.attacks;
  if (isAnswered || isExercise()) renderAnswer();
}

function describe(square, now) {
  const kind = text({ queen: 'isQueen', blocked: 'isBlocked', attacked: 'isAttacked', shown: 'isShown', free: 'isFree' }[now]);
  if (given?.includes(square)) return text('isGivenQueen');
  if (now !== 'free' || !through || isExercise()) return kind;
  const count = through[square];
  return kind + text('comma') + text('through', { count: number(count) });
}

function renderAnswer() {
  find('#answer').classList.toggle('alarm', failure !== null);
  if (failure) {
    setText(find('#answer-number'), '✗');
    setText(find('#answer-words'), failed(failure()));
    return;
  }
  find('#leave').hidden = !given;
  if (isExercise()) {
    const left = size - squaresWith('queen').length;
    setText(find('#answer-number'), left === 0 ? '✓' : left);
    setText(find('#answer-words'), text(left === 0 ? 'puzzleSolved' : given ? 'puzzleLeft' : 'exerciseLeft', { left }));
    return;
  }
  const [queens, blocked] = ['queen', 'blocked'].map((mark) => squaresWith(mark).length);
  const of = text(queens && blocked ? 'ofSquares' : blocked ? 'ofBlocked' : ['ofBoard', 'ofQueen'][queens] ?? 'ofQueens');
  const solutions = total ?? known;
  setText(find('#answer-number'), solutions === null ? (isTooLong ? '–' : '…') : number(solutions));
  const [space, stop] = languageShown() === 'ja' ? ['', '。'] : [' ', '. '];
  const found = `${text('solutions', { count: solutions })}${space}${of}${isEmpty() ? text('comma') + text('published') : ''}`;
  const answer = find('#answer-words');
  if (total !== null) setText(answer, found);
  else if (known === null) setText(answer, text(isTooLong ? 'tooLong' : 'counting'));
  else if (!isTooLong) setText(answer, found + text('comma') + text('counting'));
  else {
    setText(answer, found + stop);
    const [before, after] = text('countedElsewhere', { count: '|' }).split('|');
    answer.append(before);
    make(answer, 'a', { href: `#count=${size}` }, text('count'));
    answer.append(after);
  }
}

// ---- Input ----

async function copy(what) {
  try {
    await navigator.clipboard.writeText(what);
    say(() => text('copied'));
  } catch { // there is no clipboard, or the page may not use it: the reader copies the text
    const area = find('#to-copy');
    area.hidden = false;
    area.value = what;
    area.focus();
    area.select();
    say(() => text('copyYourself'));
  }
}

/** The text that `nqueens count --board` reads. */
function asText() {
  const letters = { queen: 'Q', blocked: '*', attacked: '.', free: '.', shown: 'Q' };
  return inLetters((square) => letters[state(square)], ' ').join('\n') + '\n';
}

grid.element.addEventListener('contextmenu', (event) => {
  event.preventDefault();
  const square = grid.squareOf(event.target);
  if (square) mark(squareAt(...square), 'blocked');
});
let typing = null; // a timer until a number is typed: 1 may be the first digit of 12
find('#board-size').addEventListener('input', ({ target }) => {
  clearTimeout(typing);
  if (target.value && target.checkValidity()) typing = setTimeout(() => resize(Number(target.value)), 400);
});
find('#board-size').addEventListener('change', ({ target }) => {
  clearTimeout(typing);
  resize(Number(target.value));
});
find('#smaller').addEventListener('click', () => resize(size - 1));
find('#larger').addEventListener('click', () => resize(size + 1));
find('#show').addEventListener('click', showNext);
find('#undo').addEventListener('click', undo);
find('#clear').addEventListener('click', () => change(() => { marks = marks.map((mark, square) => (given?.includes(square) ? mark : '')); }));
find('#hint').addEventListener('click', hint);
find('#new-puzzle').addEventListener('click', newPuzzle);
find('#leave').addEventListener('click', () => {
  change(() => { given = null; });
  find('#new-puzzle').focus();
});
for (const name of Object.keys(seen)) {
  find(`#${name}`).addEventListener('change', ({ target }) => {
    seen[name] = target.checked;
    keep();
    render();
  });
}
find('#copy-link').addEventListener('click', () => copy(link()));
find('#copy-text').addEventListener('click', () => copy(asText()));

let isDrawn = false;
/** Shows the screen, with the board of an address if one is given. */
export function enterBoard(written, { puzzle, numbers, attacks }) {
  const isPuzzle = puzzle !== undefined;
  const its = { numbers: numbers !== '0', attacks: attacks !== '0' };
  // The user may leave a screen before the board rests; the address then has an earlier board.
  if (isDrawn && [boardPart.part(), boardPart.kept].includes(partOf(written, isPuzzle, its))) return;
  if (isDrawn && written === undefined) return;
  seen = its;
  const wrong = written === undefined ? null : open(written, isPuzzle);
  if (!isDrawn) {
    if (wrong || written === undefined) {
      draw();
      changed();
    }
    isDrawn = true;
    translated(() => {
      render();
      say(said);
    });
  }
  if (wrong) say(wrong);
}

/** The instances, and what the board shows, for tests. */
export const instances = () => [counter, searcher];
export const boardShown = () => ({ size, total, through, solution, given, address: address() });
