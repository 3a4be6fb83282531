// A worker: an instance of the library, which answers calls. A trap ends it, because its memory may be in disorder.

let library;
let prepared = '';
let last; // the plan prepared last
let lastSize = 0; // the size of the board whose solutions are enumerated

function setUp({ size, queens, blocked }) {
  const isRight = library.set_up(size) && queens.every(([row, column]) => library.give_queen(row, column))
    && blocked.every(([row, column]) => library.block(row, column));
  if (!isRight) throw new Error('there is no such board');
}

const range = (length, at) => Array.from({ length }, (_, index) => at(index));

function counted(unit) {
  const partial = BigInt.asUintN(64, library.count(unit));
  if (partial === 2n ** 64n - 1n) throw new Error(`unit ${unit} has an impossible partial count`);
  return partial;
}

function plan(units) {
  if (units < 0) throw new Error('the board cannot be counted');
  return {
    work: Float64Array.from({ length: units }, (_, unit) => library.work(unit)),
    divisor: BigInt.asUintN(64, library.divisor()),
    engine: library.engine(),
    kernel: name(library.kernel(), library.kernel_length()),
  };
}

/** A name at this place in the library's memory. */
const name = (begin, length) => new TextDecoder().decode(new Uint8Array(library.memory.buffer, begin, length));

const bits = (mask, size) => range(size, (column) => Number(BigInt(mask) >> BigInt(column) & 1n));
const unsigned = (mask) => BigInt.asUintN(64, mask);

/** The placements found last: the queens of each, [row, column]. */
const placements = (number) => range(number, (placement) => {
  const queens = [];
  for (let square; (square = library.placed_queen(placement, queens.length)) >= 0;) queens.push([square & 255, square >> 8]);
  return queens;
});

/** Calls that may take long: the worker tells the page when they begin. */
const LONG = ['prepare', 'count', 'solve', 'tally', 'next', 'puzzle'];

const random = (number) => Math.floor(Math.random() * number);
const shuffled = (list) => list.map((each) => [Math.random(), each]).sort(([one], [other]) => one - other).map(([, each]) => each);
const attacks = ([row, column], [other, otherColumn]) =>
  row === other || column === otherColumn || Math.abs(row - other) === Math.abs(column - otherColumn);

/** True if exactly one solution has these queens. */
function isPuzzle(size, queens) {
  setUp({ size, queens, blocked: [] });
  return library.next_solution(true) && !library.next_solution(false);
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
  setUp({ size, queens, blocked: [] });
  if (!library.next_solution(true)) return fewQueens(size);
  const all = range(size, (row) => [row, library.column(row)]);
  return { all, few: shuffled(all).reduce((left, queen) => {
    const others = left.filter((each) => each !== queen);
    return isPuzzle(size, others) ? others : left;
  }, all) };
}

const calls = {
  start: async (module) => { library = (await WebAssembly.instantiate(module)).exports; },

  // A count is not prepared twice in a row, because a plan stays in memory.
  prepare(size, engine) {
    if (prepared !== `${size} ${engine}`) last = plan(library.prepare(size, engine));
    prepared = `${size} ${engine}`;
    return last;
  },
  count: (units) => Array.from(units, counted),
  verdict: (size, total) => ({ verdict: library.verdict(size, total),
    published: BigInt.asUintN(64, library.published_total(size)) }),

  solve(board) {
    setUp(board);
    return BigInt.asUintN(64, library.solve());
  },
  tally(board) {
    setUp(board);
    const solutions = BigInt.asUintN(64, library.tally());
    return { solutions, through: range(board.size ** 2, (square) => Number(library.through(square))) };
  },
  /** The columns of the first solution of a board or, without a board, of the next solution; null after the last. */
  next(board) {
    if (board) { setUp(board); lastSize = board.size; }
    return library.next_solution(board !== null) ? range(lastSize, library.column) : null;
  },

  /** The name and the visits of each textbook method, in descending order of visits. */
  methods: (size) => range(library.methods(), (method) => ({ visits: library.visits(method, size),
    name: name(library.method(method), library.method_length(method)) })),
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

  /** For each row of a board, what its queens attack there: along columns, anti-diagonals, diagonals and any of them, and what is free. */
  attacks(board) {
    setUp(board);
    return range(board.size, (row) => range(5, (kind) => {
      const mask = library.attacked(row, kind) >>> 0;
      return { mask, bits: bits(mask, board.size) };
    }));
  },
  /** The choices of rows and columns for the white queens whose product is not 0. */
  choices: (size) => range(library.choices(size), (choice) => {
    const [rows, columns, white, black] = range(4, (part) => Number(library.choice(choice, part)));
    return { rows, columns, white, black };
  }),
  /** The placements of the white queens on these rows and columns, and of the black queens on the others. */
  halves(size, rows, columns) {
    const every = 2 ** size - 1;
    return [placements(library.place_colour(size, 0, rows, columns)),
      placements(library.place_colour(size, 1, every ^ rows, every ^ columns))];
  },
  /** The placements of some queens on even rows and even columns, which of them each given queen fits, and which all of them fit. */
  table(queens, board) {
    setUp(board);
    const number = library.place_even(board.size, queens);
    return { placements: placements(number), both: bits(unsigned(library.fits_all()), number),
      rows: board.queens.map(([row, column]) => bits(unsigned(library.fits(row, column)), number)) };
  },
  /** The columns of the eight images of a solution. */
  images(board) {
    setUp(board);
    return range(8, (symmetry) => range(board.size, (row) => library.image_column(symmetry, row)));
  },
  /** For 8, 4, 2 and 1 solutions, how many orbits have so many. */
  orbits: (size) => [8, 4, 2, 1].map((solutions) => [solutions, Number(library.orbits(size, solutions))]),
  expectedNodes: (size) => library.expected_nodes(size),
  /** The steps of a textbook method, at most `limit`. */
  trace(wanted, board, limit) {
    setUp(board);
    const number = range(library.methods(), (method) => name(library.method(method), library.method_length(method))).indexOf(wanted);
    if (!library.begin_trace(number)) throw new Error('this method has no steps');
    const steps = [];
    let packed;
    while (steps.length <= limit && (packed = library.next_step()) !== 0) steps.push(packed);
    return { steps: steps.slice(0, limit), complete: steps.length <= limit };
  },
};

// This makes an unreadable message an error that the page hears of.
onmessageerror = () => setTimeout(() => { throw new Error('a message cannot be read'); });
onmessage = async ({ data: { id, name, given } }) => {
  try {
    if (LONG.includes(name)) postMessage({ id, begun: true });
    postMessage({ id, result: await calls[name](...given) });
  } catch (error) {
    postMessage({ id, error: error.message });
  }
};
