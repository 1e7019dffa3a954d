/** Rows that one slice writes. They take well below a millisecond of the event loop. */
const rowsPerSlice = 100;

let last: Promise<void> = Promise.resolve();

/**
 * Resolves in a turn of the event loop in which no other slice of heavy work is done. However many exports are under
 * way, other requests wait for one slice at most before they go on.
 */
export function nextSlice(): Promise<void> {
  last = last.then(nextTurn);
  return last;
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** Rows in parts that take one slice each. */
export function* slicesOf<Row>(rows: readonly Row[]): Generator<readonly Row[], void> {
  for (let start = 0; start < rows.length; start += rowsPerSlice) yield rows.slice(start, start + rowsPerSlice);
}
