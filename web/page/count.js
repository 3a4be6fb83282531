// The screen that counts all solutions.

import { keep } from './address.js';
import { bars, find, make, set, setText } from './dom.js';
import { Ended } from './library.js';
import { count, stop, warm } from './pool.js';
import { duration, failed, number, roughly, text, translated } from './texts.js';

const LARGEST = 27;
const OTHERS = [16, 18, 20];
const peers = JSON.parse(find('#peers').textContent);
const counts = []; // the finished counts, the last one first
let titled = () => {}; // called when the title of the window may change
let running = null; // { size, share, begun, at }: the share of the work done, when the work began, and the time of that share
let failure = null; // a function that returns the text of an error, or of a stop
let isStopped = false; // the last count was stopped
let said = () => ''; // returns the text for screen readers
let others = 18;

const sizeField = find('#count-size');
const workersField = find('#workers');
// More workers would have hardly anything to do, and each has tables of its own.
workersField.value = Math.min(navigator.hardwareConcurrency || 2, 16);

async function begin() {
  if (running || ![sizeField, workersField].every((field) => field.reportValidity())) return;
  const [size, workers, engine] = [sizeField, workersField, find('#engine')].map(({ value }) => Number(value));
  const own = { size, share: null };
  const progress = (share) => {
    const now = performance.now();
    Object.assign(own, { share, at: now, begun: own.begun ?? now });
  };
  running = own;
  failure = null;
  compare(size);
  said = () => text('startedCount', { size });
  const beat = setInterval(renderProgress, 100);
  // A disabled button loses the focus: the other button gets it.
  const isByButton = document.activeElement === find('#start');
  render();
  if (isByButton) find('#stop').focus();
  const isNamed = setInterval(() => titled(), 1000);
  try {
    const done = await count({ size, workers, engine, progress });
    counts.unshift(done);
  } catch (error) {
    isStopped = error instanceof Ended;
    failure = () => (isStopped ? text('stopped') : failed(error.message));
  }
  clearInterval(beat);
  clearInterval(isNamed);
  running = null;
  said = failure ?? (() => find('#result').innerText);
  const isFocusLost = [find('#stop'), document.body].includes(document.activeElement);
  render();
  if (isFocusLost) find('#start').focus({ preventScroll: true });
}

// ---- Display ----

function renderProgress() {
  if (!running) return;
  const { share, begun, at } = running;
  const bar = find('#progress');
  if (share > 0) {
    bar.value = share;
    const end = begun + (at - begun) / share; // as of the last answer
    const left = Math.max(end - performance.now(), 0) / 1000;
    const percent = `${Math.floor(100 * share)}%`;
    setText(find('#progress-words'), text('left', { share: percent, time: roughly(left) }));
  } else {
    bar.removeAttribute('value');
    setText(find('#progress-words'), text(share === null ? 'preparing' : 'counting'));
  }
}

/** The marks of totals by their verdicts; those of all others are wrong. */
const MARKS = { matches: '✓', 'not published': '' };
const isWrong = (verdict) => !Object.hasOwn(MARKS, verdict);

function renderResult() {
  find('#failure').hidden = !failure;
  setText(find('#failure'), failure?.() ?? '');
  find('#failure').classList.toggle('alarm', !isStopped);
  // The last finished count stays, even after a count that failed or was stopped.
  const card = find('#result');
  const [last] = counts;
  card.hidden = Boolean(running) || !last;
  card.replaceChildren();
  card.classList.toggle('alarm', last !== undefined && isWrong(last.verdict));
  if (last) {
    const { size, total, seconds, workers, engine, kernel, verdict, published, replaced } = last;
    const [before, after] = text('result', { size, total: '|', count: total }).split('|');
    const heading = make(card, 'p', {}, before);
    make(heading, 'b', { class: 'number', id: 'total' }, number(total));
    heading.append(after);
    make(card, 'p', { class: isWrong(verdict) ? '' : 'good' }, text(`verdict-${verdict}`, { published: number(published) }));
    make(card, 'p', { class: 'quiet' }, text('details',
      { time: duration(seconds), workers: text('workersInWords', { number: workers }), engine, kernel }));
    if (replaced > 0) make(card, 'p', {}, text('replaced', { number: replaced }));
  }
}

function renderHistory() {
  const table = find('#history');
  table.hidden = counts.length < 2;
  const body = table.querySelector('tbody');
  body.replaceChildren();
  for (const { size, total, seconds, workers, verdict } of counts.slice(0, 12)) {
    const row = make(body, 'tr');
    for (const words of [size, `${number(total)} ${MARKS[verdict] ?? '✗'}`, duration(seconds), workers]) {
      make(row, 'td', {}, words);
    }
  }
}

/** Chooses the table of other programs, if there is one for this size. */
function compare(size) {
  if (OTHERS.includes(size)) others = size;
}

function renderOthers() {
  for (const button of find('#others-size').children) set(button, { 'aria-pressed': Number(button.value) === others });
  const own = counts.filter(({ size }) => size === others).sort((one, other) => one.seconds - other.seconds)[0];
  const rows = peers.filter(({ board }) => board === others).map(({ program, machine, threads, seconds, measured, sampled }) => ({
    name: program === 'C, recursive' ? text('bitMasksInC') : program, value: seconds,
    words: duration(seconds, measured ? 0.001 : undefined),
    note: [measured ? text('native') : machine, measured ? '' : threads && text('threads', { number: threads }),
      sampled && text('sampled')].filter(Boolean).join(text('comma')),
  }));
  rows.push({ name: text('thisPage'), value: own?.seconds, mark: true, words: own ? duration(own.seconds) : '–',
    note: own ? text('here', { workers: text('workersInWords', { number: own.workers }) }) : text('notYet') });
  rows.sort((one, other) => (one.value ?? 0) - (other.value ?? 0));
  bars(find('#others'), rows, 0.001);
}

function render() {
  find('#start').disabled = Boolean(running);
  find('#stop').disabled = !running;
  find('#running').hidden = !running;
  find('#warning').hidden = !(Number(sizeField.value) > 20);
  setText(find('#warning'), text('warning'));
  renderProgress();
  renderResult();
  renderHistory();
  renderOthers();
  setText(find('#count-said'), said());
  titled();
}

/** The title of the window while a count runs. */
export const countTitle = () => running && text('isCounting', { share: `N = ${running.size}` })
  + (running.share > 0 ? ` ${Math.floor(100 * running.share)}%` : '');

/** Calls a function when the title may change. */
export const whenTitled = (listen) => { titled = listen; };

let address = sizeField.value; // the size in the address
export const countPart = { part: () => `count=${address}` };

function sized() {
  if (sizeField.value && sizeField.checkValidity()) address = sizeField.value;
  compare(Number(sizeField.value));
  keep();
  render();
}

function resize(size) {
  sizeField.value = Math.min(Math.max(size, 1), LARGEST);
  sized();
}

for (const size of OTHERS) {
  const button = make(find('#others-size'), 'button', { type: 'button', value: size }, `N = ${size}`);
  button.addEventListener('click', () => { others = size; renderOthers(); });
}
// No form is submitted: a frame in a sandbox may not submit one.
find('#start').addEventListener('click', begin);
for (const field of [sizeField, workersField]) {
  field.addEventListener('keydown', ({ key }) => { if (key === 'Enter') begin(); });
}
find('#stop').addEventListener('click', stop);
find('#count-smaller').addEventListener('click', () => resize(Number(sizeField.value) - 1));
find('#count-larger').addEventListener('click', () => resize(Number(sizeField.value) + 1));
sizeField.addEventListener('input', sized);

// An accidental key must not end a long count.
addEventListener('beforeunload', (event) => {
  if (running && running.size > 20) event.preventDefault();
});

let isEntered = false;
/** Shows the screen, with a size if one is given. */
export function enterCount(written) {
  if (/^\d+$/.test(written ?? '') && !running) resize(Number(written));
  if (isEntered) return;
  isEntered = true;
  warm(Number(workersField.value));
  translated(render);
}
