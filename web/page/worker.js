// A worker: an instance of the library, which answers calls. A trap ends it, because its memory may be in disorder.

let library;

/** The library's text, with so many bytes. */
function text(length) {
  const place = library.text(length);
  return new Uint8Array(library.memory.buffer, place, length);
}

const range = (length, at) => Array.from({ length }, (_, index) => at(index));

/** Calls a function of the library (web/src/lib.rs), and returns its answer in JSON. */
function askInText(name, ...given) {
  const written = new TextEncoder().encode([name, ...given.flat()].join('\t'));
  text(written.length).set(written);
  const answer = new TextDecoder().decode(text(library.call()));
  if (answer[0] === '!') throw new Error(answer.slice(1));
  return answer;
}

const large = (_, value) => (typeof value === 'string' && /^\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value);
const ask = (...given) => JSON.parse(askInText(...given), large);

/** Calls that may take long: the worker tells the page when they begin. */
const LONG = ['prepare', 'count', 'solve', 'tally', 'first', 'next', 'puzzle'];

const random = (number) => Math.floor(Math.random() * number);
const shuffled = (list) => list.map((each) => [Math.random(), each]).sort(([one], [other]) => one - other).map(([, each]) => each);
const attacks = ([row, column], [other, otherColumn]) =>
  row === other || column === otherColumn || Math.abs(row - other) === Math.abs(column - otherColumn);

/** The first solution with these queens. */
function first(size, queens) {
  const rows = range(size, () => Array(size).fill('.'));
  for (const [row, column] of queens) rows[row][column] = 'Q';
  return ask('first', rows.map((row) => row.join('')).join('\n'));
}

/** True if one finds all other queens because each stands on the last square that is left to a row or a column. */
function isSimple(size, given) {
  const queens = [...given];
  for (;;) {
    const free = range(size ** 2, (square) => [Math.floor(square / size), square % size])
      .filter((square) => !queens.some((queen) => attacks(queen, square)));
    const found = free.find((square) => [0, 1].some((part) => free.filter((each) => each[part] === square[part]).length === 1));
    if (!found) return queens.length === size;
    queens.push(found);
  }
}

/** Queens of a random solution, as few as leave no other solution. */
function fewQueens(size) {
  const queens = [];
  for (let tries = 0; tries < 3; tries++) {
    const square = [random(size), random(size)];
    if (!queens.some((queen) => attacks(queen, square))) queens.push(square);
  }
  const columns = first(size, queens);
  if (!columns) return fewQueens(size);
  const all = columns.map((column, row) => [row, column]);
  return { all, few: shuffled(all).reduce((left, queen) => {
    const others = left.filter((each) => each !== queen);
    const isPuzzle = first(size, others) !== null && ask('next') === null;
    return isPuzzle ? others : left;
  }, all) };
}

/** What the page may ask for besides the functions of the library. */
const calls = {
  start: async (module) => { library = (await WebAssembly.instantiate(module)).exports; },
  // A trace is long, and the player takes its text.
  trace: (...given) => askInText('trace', ...given),
  /** The given queens of a puzzle with exactly one solution. An easy one has more queens than it needs; a hard one cannot be
   * solved by last squares alone. */
  puzzle(size, level) {
    for (let tries = 0; ; tries++) {
      const { all, few } = fewQueens(size);
      const rest = shuffled(all.filter((queen) => !few.includes(queen)));
      while (level !== 'hard' && !isSimple(size, few)) few.push(rest.pop());
      if (level === 'easy') few.push(...rest.splice(0, Math.max(Math.ceil(size / 2) - few.length, 1)));
      const isRight = level !== 'hard' || !isSimple(size, few);
      if (few.length < size - 1 && (isRight || tries > 100)) return few.sort(([one], [other]) => one - other);
    }
  },
};

// This makes an unreadable message an error that the page hears of.
onmessageerror = () => setTimeout(() => { throw new Error('a message cannot be read'); });
onmessage = async ({ data: { id, name, given } }) => {
  try {
    if (LONG.includes(name)) postMessage({ id, begun: true });
    postMessage({ id, result: await (calls[name] ?? ask.bind(null, name))(...given) });
  } catch (error) {
    postMessage({ id, error: error.message });
  }
};
