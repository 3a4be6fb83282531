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

let address; // of the worker's script

/** What the calls of an instance that was ended fail with. */
export class Ended extends Error {}

/** A worker with an instance of the library. Once it has failed it is of no use. */
export class Instance {
  #worker;
  #waiting = new Map();
  #calls = 0;
  #open = 0; // calls without an answer, also those that wait until it is ready

  constructor() {
    address ??= URL.createObjectURL(new Blob([JSON.parse(find('#worker').textContent)], { type: 'text/javascript' }));
    this.#worker = new Worker(address);
    this.#worker.onmessage = ({ data: { id, result, error } }) => {
      const { resolve, reject } = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (error === undefined) resolve(result);
      else reject(new Error(error));
    };
    this.#worker.onerror = (event) => {
      event.preventDefault();
      this.end(new Error(event.message || 'the worker died'));
    };
    this.ready = compiled().then((module) => this.call('start', module));
    this.ready.catch(() => {}); // whoever waits for it hears of it
  }

  get isAlive() {
    return this.#worker !== null;
  }

  /** Whether it lives and would answer at once. */
  get isFree() {
    return this.isAlive && this.#open === 0;
  }

  /** Calls a function of the worker. */
  async call(name, ...given) {
    this.#open++;
    try {
      if (name !== 'start') await this.ready;
      return await new Promise((resolve, reject) => {
        if (!this.isAlive) { reject(new Ended('it was ended')); return; }
        const id = this.#calls++;
        this.#waiting.set(id, { resolve, reject });
        this.#worker.postMessage({ id, name, given });
      });
    } finally {
      this.#open--;
    }
  }

  /** Ends the worker at once, whatever it does. */
  end(reason = new Ended('it was ended')) {
    this.#worker?.terminate();
    this.#worker = null;
    for (const { reject } of this.#waiting.values()) reject(reason);
    this.#waiting.clear();
  }
}
