// A count by several workers, which share the units of its plan.

import { Ended, Instance } from './library.js';

/** How often a unit is begun before the count fails. */
const MOST_TRIES = 3;

const instances = []; // kept for the next count
export const pool = instances; // for tests

/** Starts workers, so that they are ready when a count begins. */
export function warm(workers) {
  while (instances.length < workers) instances.push(new Instance());
  while (instances.length > workers) instances.pop().end();
  return instances.map(({ ready }) => ready);
}

/** Ends what all workers do, and starts others. */
export function stop() {
  const workers = instances.length;
  warm(0);
  warm(workers);
}

/**
 * Counts a board. `progress` gets the share of the work that is done, and the number of units.
 *
 * A worker that fails is replaced, and its units are counted again. If that does not help, the count fails: no unit is
 * ever left out.
 */
export async function count({ size, engine, workers, progress }) {
  const start = performance.now();
  warm(workers);
  const own = [...instances];
  let plan = null;
  let partials;
  let left; // the units that nobody has begun, the next one last
  let done = 0;
  let all = 0;
  let replaced = 0;
  const tries = new Map();

  function agree(its) {
    if (!plan) {
      plan = its;
      left = Array.from(its.order).reverse();
      partials = Array(left.length).fill(null);
      all = its.work.reduce((sum, work) => sum + work, 0);
    } else if (its.order.length !== plan.order.length || its.divisor !== plan.divisor || its.engine !== plan.engine) {
      throw new Error('the workers have different plans');
    }
  }

  // Long units go one by one, short ones together: a message takes a tenth of a millisecond.
  function take() {
    const units = [];
    let work = 0;
    while (left.length > 0 && units.length < 32 && work < all / (100 * workers)) {
      const unit = left.pop();
      units.push(unit);
      work += plan.work[unit];
    }
    return units;
  }

  function add(units, counted) {
    units.forEach((unit, i) => {
      if (partials[unit] !== null) throw new Error(`unit ${unit} was counted twice`);
      partials[unit] = counted[i];
      done += plan.work[unit];
    });
    progress(done / all, partials.length);
  }

  async function serve(instance, place) {
    for (;;) {
      let units = [];
      try {
        agree(await instance.call('prepare', size, engine));
        while ((units = take()).length > 0) add(units, await instance.call('count', units));
        return;
      } catch (error) {
        instance.end();
        if (error instanceof Ended) throw error;
        for (const each of units.length > 0 ? units : ['the plan']) {
          tries.set(each, (tries.get(each) ?? 0) + 1);
          if (tries.get(each) === MOST_TRIES) throw new Error(error.message);
        }
        left?.push(...units);
        replaced += 1;
        instance = new Instance();
        instances[place] = instance;
        own.push(instance);
      }
    }
  }

  try {
    await Promise.all(own.map(serve));
  } catch (error) {
    for (const instance of own) instance.end();
    instances.length = 0;
    warm(workers);
    throw error;
  }
  if (partials.includes(null)) throw new Error('a unit was left out');
  const sum = partials.reduce((one, other) => one + other, 0n);
  if (sum % plan.divisor !== 0n) throw new Error('the sum of the partial counts is no multiple of its divisor');
  const total = sum / plan.divisor;
  const seconds = (performance.now() - start) / 1000;
  const judged = await instances[0].call('verdict', size, total);
  return { size, total, seconds, workers, replaced, units: partials.length, ...judged,
    kernel: plan.kernel, engine: ['backtrack', 'two-color'][plan.engine] };
}
