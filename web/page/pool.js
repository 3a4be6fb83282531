// A count by several workers, which share the units of its plan.

import { compiled, Ended, Instance } from './library.js';

/** How often a unit, or the plan, is tried before the count fails. */
const MOST_TRIES = 3;

/** How many replacements a count may make, for each of its workers, before it fails. */
const MOST_REPLACED = 3;

/** The milliseconds between two tries, so that the page stays alive however fast they fail. */
const PAUSE = 20;

/**
 * How many seconds an answer may take beyond 20 times the expected time. `first` holds until any worker has counted a
 * unit, since no time is expected before. A browser may end a worker without a word.
 */
export const patience = { seconds: 60, first: 900 };

/** How long the units of a message should take: the progress is known so often. */
const MESSAGE_SECONDS = 1;

const instances = []; // kept for the next count
export const pool = instances; // for tests

/** Starts workers, so that they are ready when a count begins. */
export function warm(workers) {
  while (instances.length > workers) instances.pop().end();
  for (let place = 0; place < workers; place++) {
    if (!instances[place]?.isAlive) instances[place] = new Instance();
  }
}

let abort = () => {}; // makes the running count fail

/** Ends the work of all workers. */
export function stop() {
  abort();
  for (const instance of instances) instance.end();
}

/** An answer, or an error once it takes more than `limit()` seconds. After a tenth of that the page reports the wait. */
function within(limit, answer, instance) {
  const begun = performance.now();
  let beat;
  const late = new Promise((_, reject) => {
    beat = setInterval(() => {
      const part = (performance.now() - begun) / 1000 / limit();
      if (part > 0.1) instance?.doubt();
      if (part > 1) reject(new Error('a worker gives no answer'));
    }, 500);
  });
  return Promise.race([answer, late]).finally(() => clearInterval(beat));
}

/**
 * Counts a board. `progress` gets the share of the work that is done, and first 0 once there is a plan.
 *
 * A worker that fails is replaced, and its units are counted again. If that does not help, the count fails: no unit
 * is ever left out.
 */
export async function count(given) {
  if (isCounting) throw new Error('another count goes on');
  isCounting = true;
  try {
    return await countAlone(given);
  } finally {
    isCounting = false;
  }
}

let isCounting = false; // an instance has one plan at a time, so there is one count at a time

async function countAlone({ size, engine, workers, progress }) {
  const start = performance.now();
  const stopped = new Promise((_, reject) => { abort = () => reject(new Ended('it was stopped')); });
  const own = [];
  let plan = null;
  let partials;
  let before; // for each unit, the work of the units before it; at the end, all work
  let ranges; // of units not begun yet: each worker has its own range, since neighbours need the same tables
  let planned; // the time when the plan was made
  let answered; // the time of the last answer
  let done = 0;
  let replaced = 0;
  let isOver = false; // true when the count has failed, so that no worker tries again
  const tries = new Map();

  function agree(its) {
    if (!plan) {
      plan = its;
      const units = its.work.length;
      partials = Array(units).fill(null);
      before = [0];
      for (const work of its.work) before.push(before.at(-1) + work);
      const border = (i) => (i === workers ? units : halfway(0, units, i / workers));
      ranges = own.map((_, i) => ({ begin: border(i), end: border(i + 1) }));
      planned = performance.now();
      progress(0);
    } else if (its.work.length !== plan.work.length || its.divisor !== plan.divisor || its.engine !== plan.engine) {
      throw new Error('the workers have different plans');
    }
  }

  const workOf = ({ begin, end }) => before[end] - before[begin];
  /** The work that a worker does in a second; 0 while that is unknown. */
  const pace = () => (done > 0 ? 1000 * done / (answered - planned) / workers : 0);

  /** The first unit of a range that has this share of the range's work before it. */
  function halfway(begin, end, share) {
    const wanted = before[begin] + share * (before[end] - before[begin]);
    let unit = begin;
    while (unit < end && before[unit] < wanted) unit++;
    return unit;
  }

  // A worker without units takes half of the remaining work of the worker that has most. Long units are sent one by
  // one, and short ones together once the pace is known: a message takes a tenth of a millisecond.
  function take(place) {
    if (ranges[place].begin === ranges[place].end) {
      const other = ranges.reduce((most, range) => (workOf(range) > workOf(most) ? range : most));
      const middle = Math.max(Math.min(halfway(other.begin, other.end, 0.5), other.end - 1), other.begin);
      ranges[place] = { begin: middle, end: other.end };
      other.end = middle;
    }
    const range = ranges[place];
    const units = [];
    const most = Math.min(before.at(-1) / (100 * workers), MESSAGE_SECONDS * pace());
    let work = 0;
    while (range.begin < range.end && units.length < 32) {
      work += plan.work[range.begin];
      if (units.length > 0 && work > most) break;
      units.push(range.begin++);
    }
    return units;
  }

  function add(units, counted) {
    units.forEach((unit, i) => {
      if (partials[unit] !== null) throw new Error(`unit ${unit} was counted twice`);
      partials[unit] = counted[i];
      done += plan.work[unit];
    });
    answered = performance.now();
    progress(done / before.at(-1));
  }

  function answer(instance, units) {
    const work = workOf({ begin: units[0], end: units.at(-1) + 1 });
    return within(() => (done > 0 ? patience.seconds + 20 * work / pace() : patience.first), instance.call('count', units), instance);
  }

  async function serve(instance, place) {
    for (;;) {
      let units = [];
      try {
        agree(await within(() => patience.seconds, instance.call('prepare', size, engine), instance));
        while ((units = take(place)).length > 0) add(units, await answer(instance, units));
        return;
      } catch (error) {
        instance.end();
        const begun = units.length > 0 ? units : ['the plan'];
        for (const each of begun) tries.set(each, (tries.get(each) ?? 0) + 1);
        if (units.length > 0) ranges.push({ begin: units[0], end: units.at(-1) + 1 });
        isOver ||= error instanceof Ended || replaced >= MOST_REPLACED * workers
          || begun.some((each) => tries.get(each) >= MOST_TRIES);
        if (isOver) throw error;
        replaced += 1;
        await new Promise((resolve) => setTimeout(resolve, PAUSE));
        if (isOver) throw error;
        instance = new Instance();
        instances[place] = instance;
        own.push(instance);
      }
    }
  }

  async function serveAll() {
    await compiled(); // if this fails, no worker can count
    if (isOver) return;
    warm(workers);
    own.push(...instances);
    await Promise.all(own.map(serve));
  }

  try {
    await Promise.race([serveAll(), stopped]);
  } catch (error) {
    isOver = true;
    for (const instance of own) instance.end();
    if (error instanceof Ended) warm(workers); // after any other error new workers might fail too
    throw error;
  }
  if (partials.includes(null)) throw new Error('a unit was left out');
  const sum = partials.reduce((one, other) => one + other, 0n);
  if (sum % plan.divisor !== 0n) throw new Error('the sum of the partial counts is no multiple of its divisor');
  const total = sum / plan.divisor;
  const seconds = (performance.now() - start) / 1000;
  warm(workers); // one living worker is enough
  const judged = await within(() => patience.seconds,
    Promise.any(instances.map((instance) => instance.call('verdict', size, total))));
  return { size, total, seconds, workers, replaced, ...judged, kernel: plan.kernel, engine: plan.engine };
}
