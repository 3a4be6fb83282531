// Boards as addresses have them: rows from the top, with / between them. Q is a queen, x a blocked square, and a number
// stands for so many free squares.

export const LARGEST = 20;

/** The rows of a board in an address, with a dot for each free square. Returns null if there is no such board. */
export function rowsOf(written) {
  const rows = written.split('/').map((row) => row.replace(/\d+/g, (free) => '.'.repeat(Math.min(free, LARGEST + 1))));
  const isBoard = rows.length <= LARGEST && rows.every((row) => row.length === rows.length) && /^[Qx.]*$/.test(rows.join(''));
  return isBoard ? rows : null;
}

/** True if a queen on one square attacks the other. */
export const isAttack = ([row, column], [other, otherColumn]) =>
  row === other || column === otherColumn || Math.abs(row - other) === Math.abs(column - otherColumn);

/** The address of a board with these rows. */
export const addressOf = (rows) => rows.join('/').replace(/\.+/g, (free) => free.length);
