// The library: compiled once, with an instance in each worker.

import { find } from './dom.js';

let compiling;

/** Compiles the library, which is a text of this page: base 64 of a compressed file. */
export function compiled() {
  compiling ??= (async () => {
    const packed = Uint8Array.from(atob(find('#library').textContent.trim()), (letter) => letter.charCodeAt(0));
    const bytes = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
    return WebAssembly.compile(await new Response(bytes).arrayBuffer());
  })();
  return compiling;
}

/** The milliseconds until a worker must give a sign of life: an answer, or the message that a long call begins. */
const SIGN = 1500;

const silent = new Set(); // instances that owe a sign of life
let broken = null; // the reason why the instance started last cannot be used
let listener = () => {};

/** Sets the function that is called when the trouble changes: with the name of a text and its values, or null. */
export function whenTroubled(listen) {
  listener = () => listen(broken ?? (silent.size > 0 ? ['silent', {}] : null));
  listener();
}

let address; // of the worker's script

/** The error of all calls of an instance that was ended. */
export class Ended extends Error {}

/**
 * A worker with an instance of the library. Once the worker has failed, all calls fail with the reason, even if the
 * browser has no workers at all; so its users need no special case.
 */
export class Instance {
  #worker = null;
  #waiting = new Map();
  #calls = 0;
  #open = 0; // calls without an answer, including calls that wait until the worker is ready
  #reason = null; // the reason why the worker ended

  constructor() {
    const sign = this.#expect();
    try {
      address ??= URL.createObjectURL(new Blob([JSON.parse(find('#worker').textContent)], { type: 'text/javascript' }));
      this.#worker = new Worker(address);
      this.#worker.onmessage = ({ data }) => this.#hear(data);
      this.#worker.onerror = (event) => {
        event.preventDefault();
        this.end(new Error(event.message || 'the worker died'));
      };
    } catch (error) {
      this.end(new Error(error?.message ?? 'there are no workers'));
    }
    this.ready = compiled().then((module) => this.call('start', module));
    this.ready.then(() => { broken = null; }, (error) => {
      this.end(error);
      if (!(error instanceof Ended)) broken = ['broken', { message: error.message }];
    }).finally(() => {
      clearTimeout(sign);
      listener();
    });
  }

  get isAlive() {
    return this.#reason === null;
  }

  /** True if the worker is alive and would answer at once. */
  get isFree() {
    return this.isAlive && this.#open === 0;
  }

  /** Begins to wait for a sign of life. */
  #expect() {
    return setTimeout(() => this.doubt(), SIGN);
  }

  /** Reports that the worker gives no answer yet, until it answers or is ended. */
  doubt() {
    if (!this.isAlive || silent.has(this)) return;
    silent.add(this);
    listener();
  }

  #hear(data) {
    const { id, result, error, begun } = data ?? {};
    const call = this.#waiting.get(id);
    if (!call) {
      this.end(new Error('the worker says what nobody asked'));
      return;
    }
    clearTimeout(call.sign);
    if (silent.delete(this)) listener();
    if (begun) return;
    this.#waiting.delete(id);
    if (error === undefined) {
      call.resolve(result);
    } else {
      call.reject(new Error(error));
      this.end(new Error(error));
    }
  }

  /** Calls a function of the worker. */
  async call(name, ...given) {
    this.#open++;
    try {
      if (name !== 'start') await this.ready;
      return await new Promise((resolve, reject) => {
        if (!this.isAlive) { reject(this.#reason); return; }
        const id = this.#calls++;
        this.#waiting.set(id, { resolve, reject, sign: this.#expect() });
        this.#worker.postMessage({ id, name, given });
      });
    } finally {
      this.#open--;
    }
  }

  /** Ends the worker at once, even in the middle of a call. */
  end(reason = new Ended('it was ended')) {
    this.#reason ??= reason;
    this.#worker?.terminate();
    this.#worker = null;
    for (const { reject, sign } of this.#waiting.values()) {
      clearTimeout(sign);
      reject(reason);
    }
    this.#waiting.clear();
    if (silent.delete(this)) listener();
  }
}
