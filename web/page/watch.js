// The screen with the search step by step, and what the methods of a course visit.

import { bars, find, make } from './dom.js';
import { Instance } from './library.js';
import { languageShown, number, text, translated } from './texts.js';

const MOST_STEPS = 30000; // more than those for N = 8
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

/** Asks the library. Returns null if it cannot run here, as the page says at its top. */
const ask = (...given) => instance.ready.then(() => instance.call(...given), () => null);

let played = ''; // what the frame shows
let at = 0; // the step at which it begins

async function play() {
  const size = Number(sizeField.value);
  const wanted = `${languageShown()} ${size}`;
  if (wanted === played) return;
  // In another language it goes on from the same step.
  at = wanted.split(' ')[1] === played.split(' ')[1] ? frame.contentWindow.player?.position() ?? 0 : 0;
  played = wanted;
  const trace = await ask('trace', size, MOST_STEPS);
  if (!trace || wanted !== played) return;
  const written = JSON.stringify(asDocument(size, trace));
  // The page that `nqueens trace` writes, in a frame of its own.
  frame.srcdoc = player.replace('<html lang="en">', `<html lang="${languageShown()}">`)
    .replaceAll('{{TITLE}}', text('queens', { size })).replace('{{TRACE}}', () => written);
}

// The letters in the frame are as large as those of the page, and it is as high as what it shows: it has no scroll bar.
const fit = () => {
  const root = frame.contentDocument?.documentElement;
  if (!root) return;
  root.style.fontSize = getComputedStyle(document.documentElement).fontSize;
  const { height } = root.getBoundingClientRect();
  if (height) frame.style.height = `${Math.ceil(height) + 4}px`;
};
frame.addEventListener('load', () => {
  frame.contentWindow.player?.goTo(at);
  fit();
  new ResizeObserver(fit).observe(frame.contentDocument.documentElement);
});

async function renderMethods() {
  const size = Number(methodsField.value);
  const visits = await ask('visits', size);
  if (!visits) return;
  const shown = (value) => (value < 1e15 ? number(value) : value.toExponential(1).replace(/e\+(\d+)/, (_, power) =>
    ` · 10${[...power].map((digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[digit]).join('')}`));
  const rows = visits.map((value, method) =>
    ({ name: text(`method${method}`), note: text(`note${method}`), value, words: shown(value) }));
  rows.push({ name: text('methodTwo'), note: text('noteTwo'), words: text('visitsNone'), mark: true });
  bars(find('#methods'), rows, 1);
}

let isEntered = false;
/** Shows the screen, with a size if one is given. */
export function enterWatch(written) {
  if (!isEntered) {
    isEntered = true;
    instance = new Instance();
    for (let size = 4; size <= 8; size++) make(sizeField, 'option', { value: size }, size);
    for (let size = 4; size <= 12; size++) make(methodsField, 'option', { value: size }, size);
    [sizeField.value, methodsField.value] = [6, 8];
    sizeField.addEventListener('change', play);
    methodsField.addEventListener('change', renderMethods);
    translated(() => { play(); renderMethods(); });
  }
  if (/^[4-8]$/.test(written ?? '')) sizeField.value = written;
  play();
}
