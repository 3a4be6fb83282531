// The screen with the search step by step, and with the visits of the methods of a course.

import { keep } from './address.js';
import { bars, find, make, setText } from './dom.js';
import { Instance } from './library.js';
import { failed, languageShown, method, number, text, translated } from './texts.js';

const MOST_STEPS = 30000; // more than the steps for N = 8
const KINDS = [null, 'place', 'mark', 'conflict', 'unmark', 'backtrack', 'solution'];
const LINES = ['column', 'anti-diagonal', 'diagonal'];
const player = JSON.parse(find('#player').textContent);
const [sizeField, methodsField, frame] = ['#watch-size', '#methods-size', '#player-frame'].map(find);
let instance;

/** Returns a trace as the program writes it: a JSON document of the schema nqueens/trace/1. */
function asDocument(board, { steps, complete }) {
  let solutions = 0;
  const unpacked = steps.map((packed) => {
    const [kind, row, column, queen, line] = [[0, 7], [3, 31], [8, 31], [13, 31], [18, 3]].map(
      ([shift, mask]) => (packed >> shift) & mask);
    switch (KINDS[kind]) {
      case 'conflict': return { kind: 'conflict', row, column, queen, line: LINES[line] };
      case 'backtrack': return { kind: 'backtrack', row };
      case 'solution': return { kind: 'solution', number: ++solutions };
      default: return { kind: KINDS[kind], row, column };
    }
  });
  return { schema: 'nqueens/trace/1', board, until: 'all', steps: unpacked, complete };
}

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

let played = ''; // the trace in the frame
let at = 0; // the step shown
let keys = []; // the keys that the player takes
let patience; // a timer until the player says something

async function play() {
  const size = Number(sizeField.value);
  const wanted = `${languageShown()} ${size}`;
  if (wanted === played) return;
  const isFirst = played === '';
  // After a change of language the player goes on from the same step.
  if (!isFirst && wanted.split(' ')[1] !== played.split(' ')[1]) at = 0;
  played = wanted;
  keep();
  const trace = await ask('trace', size, MOST_STEPS);
  if (wanted !== played) return;
  if (!trace) {
    played = '';
    return;
  }
  fail(null);
  const written = JSON.stringify(asDocument(size, trace));
  clearTimeout(patience);
  patience = setTimeout(() => fail(() => text('noPlayer')), 1500);
  // The frame shows the page that `nqueens trace` writes.
  frame.srcdoc = player.replace('<html lang="en">', `<html lang="${languageShown()}" data-framed="${at}">`)
    .replaceAll('{{TITLE}}', '').replace('{{TRACE}}', () => written);
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
  if (source !== frame.contentWindow || data?.board !== Number(sizeField.value)) return;
  clearTimeout(patience);
  if (failure) fail(null);
  keys = data.keys;
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
  const rows = methods.map(({ name, visits }) => {
    const [shownName, note] = method(name);
    return { name: shownName, note, value: visits, words: shown(visits) };
  });
  rows.push({ name: text('methodTwo'), note: text('noteTwo'), words: text('visitsNone'), mark: true });
  bars(find('#methods'), rows, 1);
}

export const watchPart = { part: () => `watch=${sizeField.value}${at > 0 ? `&step=${at}` : ''}` };

let isEntered = false;
/** Shows the screen, with a size and a step if they are given. */
export function enterWatch(written, { step }) {
  if (!isEntered) {
    isEntered = true;
    for (let size = 1; size <= 8; size++) make(sizeField, 'option', { value: size }, size);
    for (let size = 4; size <= 12; size++) make(methodsField, 'option', { value: size }, size);
    [sizeField.value, methodsField.value] = [6, 8];
    sizeField.addEventListener('change', play);
    methodsField.addEventListener('change', renderMethods);
    if (/^[1-8]$/.test(written ?? '')) sizeField.value = written;
    at = Number(step) || 0;
    translated(() => {
      if (failure) fail(failure);
      play();
      renderMethods();
    });
    return;
  }
  if (!/^[1-8]$/.test(written ?? '') || (written === sizeField.value && Number(step ?? 0) === at)) return;
  sizeField.value = written;
  const isShown = played.split(' ')[1] === written;
  play();
  at = Number(step) || 0;
  if (isShown) tell({ goTo: at });
}
