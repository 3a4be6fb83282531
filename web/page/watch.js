// The screen with the search step by step, and with the visits of the methods of a course.

import { keep } from './address.js';
import { bars, find, make, setText } from './dom.js';
import { Instance } from './library.js';
import { rowsOf } from './setup.js';
import { failed, languageShown, method, number, text, translated } from './texts.js';

const MOST_STEPS = 60000; // more than the steps of any method for N = 8
const METHODS = ['earlier-queens', 'flag-arrays', 'bit-masks'];
const player = JSON.parse(find('#player').textContent);
const [sizeField, methodField, methodsField, frame] = ['#watch-size', '#watch-method', '#methods-size', '#player-frame'].map(find);
let instance;

let setup = null; // the board with given queens and blocked squares that is searched, or null for an empty board

/** Asks the library. Returns null if it cannot answer; the screen then says so. */
async function ask(...given) {
  if (!instance?.isAlive) instance = new Instance();
  try {
    return await instance.call(...given);
  } catch (error) {
    fail(() => error.message);
    return null;
  }
}

let failure = null; // a function that returns the text of an error

function fail(words) {
  failure = words;
  find('#watch-failed').hidden = !failure;
  frame.hidden = Boolean(failure) && !frame.srcdoc;
  if (failure) setText(find('#watch-failed'), failed(failure(), 'notShown'));
}

/** The rows of a board as the library reads them, or as the program writes them. */
const inText = (rows, between) => rows.join(between).replaceAll('x', '*');

/** The size of the board that is searched. */
const searched = () => setup?.rows.length ?? Number(sizeField.value);

let language = 'Python'; // of the program in the frame
let played = ''; // the trace in the frame
let at = 0; // the step shown
let keys = []; // the keys that the player takes
let patience; // a timer until the player says something

async function play() {
  const [board, method] = [searched(), methodField.value];
  const wanted = `${languageShown()} ${board} ${method} ${setup?.rows}`;
  if (wanted === played) return;
  const isFirst = played === '';
  // After a change of language the player goes on from the same step.
  if (!isFirst && wanted.slice(3) !== played.slice(3)) at = 0;
  played = wanted;
  keep();
  sizeField.parentElement.hidden = setup !== null;
  find('#watch-setup').hidden = !setup;
  const rows = setup?.rows ?? Array(board).fill('.'.repeat(board));
  const trace = await ask('trace', method, inText(rows, '\n'), MOST_STEPS);
  if (wanted !== played) return;
  if (!trace) {
    played = '';
    return;
  }
  fail(null);
  // The program writes the same document.
  const head = { schema: 'nqueens/trace/1', board, method, setup: setup && inText(rows, '/'), until: 'all' };
  const written = `${JSON.stringify(head).slice(0, -1)},${trace.slice(1)}`;
  clearTimeout(patience);
  patience = setTimeout(() => fail(() => text('noPlayer')), 1500);
  // The frame shows the page that `nqueens trace` writes.
  const root = `<html lang="${languageShown()}" data-framed="${at}" data-language="${language}">`;
  frame.srcdoc = player.replace('<html lang="en">', root).replaceAll('{{TITLE}}', '').replace('{{TRACE}}', () => written);
}

// Messages connect the frame, because a sandbox makes it a stranger.
const tell = (message) => frame.contentWindow?.postMessage(message, '*');

/** Gives the frame letters as large as the page's, and its board the room in the window. */
function fit() {
  // A phone shows and hides its bars beside the page: the height counts with all bars shown.
  const room = document.documentElement.clientHeight - frame.getBoundingClientRect().top - scrollY;
  tell({ fontSize: getComputedStyle(document.documentElement).fontSize, room });
}
frame.addEventListener('load', () => { if (frame.srcdoc) fit(); });
addEventListener('resize', fit);
addEventListener('message', ({ source, data }) => {
  if (source !== frame.contentWindow || data?.board !== searched() || data.method !== methodField.value) return;
  clearTimeout(patience);
  if (failure) fail(null);
  keys = data.keys;
  language = data.language;
  // The frame is as high as its content, so that it needs no scroll bar.
  frame.style.height = `${data.height + 4}px`;
  if (at !== data.position) {
    at = data.position;
    keep();
  }
});

// The keys of the player work wherever the focus is, unless the focused element takes them.
addEventListener('keydown', (event) => {
  const { key, target } = event;
  if (frame.getClientRects().length === 0 || !keys.includes(key) || event.ctrlKey || event.altKey || event.metaKey) return;
  if (target.closest('input, select, textarea, summary') || (key === ' ' && target.closest('button'))) return;
  event.preventDefault();
  tell({ key, repeat: event.repeat });
});

async function renderMethods() {
  const size = Number(methodsField.value);
  const methods = await ask('methods', size);
  if (!methods || size !== Number(methodsField.value)) return;
  const shown = (value) => (value < 1e15 ? number(value) : value.toExponential(1).replace(/e\+(\d+)/, (_, power) =>
    ` · 10${[...power].map((digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[digit]).join('')}`));
  const rows = methods.map(([name, visits]) => {
    const [shownName, note] = method(name);
    return { name: shownName, note, value: visits, words: shown(visits) };
  });
  rows.push({ name: text('methodTwo'), note: text('noteTwo'), words: text('visitsNone'), mark: true });
  bars(find('#methods'), rows, 1);
}

export const watchPart = { part: () => [`watch=${sizeField.value}`, methodField.value !== 'flag-arrays' && `method=${methodField.value}`,
  setup && `on=${setup.written}`, at > 0 && `step=${at}`].filter(Boolean).join('&') };

/** Takes the search of an address: the size, the method, the board. Returns true if it is another one than before. */
function take(written, { method, on }) {
  const before = watchPart.part().replace(/&step=.*/, '');
  const rows = on === undefined ? null : rowsOf(on);
  setup = rows && rows.some((row) => /[Qx]/.test(row)) ? { written: on, rows } : null;
  if (setup) sizeField.value = Math.min(rows.length, 8);
  else if (/^[1-8]$/.test(written ?? '')) sizeField.value = written;
  if (METHODS.includes(method)) methodField.value = method;
  return watchPart.part().replace(/&step=.*/, '') !== before;
}

let isEntered = false;
/** Shows the screen, with a search and a step if they are given. */
export function enterWatch(written, address) {
  const step = Number(address.step) || 0;
  if (!isEntered) {
    isEntered = true;
    for (let size = 1; size <= 8; size++) make(sizeField, 'option', { value: size }, size);
    for (let size = 4; size <= 12; size++) make(methodsField, 'option', { value: size }, size);
    const options = METHODS.map((name) => [name, make(methodField, 'option', { value: name })]);
    [sizeField.value, methodsField.value, methodField.value] = [6, 8, 'flag-arrays'];
    sizeField.addEventListener('change', play);
    methodField.addEventListener('change', play);
    methodsField.addEventListener('change', renderMethods);
    find('#watch-empty').addEventListener('click', () => {
      setup = null;
      play();
    });
    take(written, address);
    at = step;
    translated(() => {
      if (failure) fail(failure);
      for (const [name, option] of options) setText(option, method(name)[0]);
      play();
      renderMethods();
    });
    return;
  }
  if (written === undefined) return;
  const isOther = take(written, address);
  play();
  if (!isOther && step === at) return;
  at = step;
  if (!isOther) tell({ goTo: at });
}
