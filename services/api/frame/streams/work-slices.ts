/** Maximum number of rows that one slice writes. A slice takes much less than a millisecond. */
const rowsPerSlice = 100;

let last: Promise<void> = Promise.resolve();

/** Resolves in a turn of the event loop that no other slice uses, so that other requests wait for at most one slice. */
export function nextSlice(): Promise<void> {
  last = last.then(nextTurn);
  return last;
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** Yields the rows in parts that take one slice each. */
export function* slicesOf<Row>(rows: readonly Row[]): Generator<readonly Row[], void> {
  for (let start = 0; start < rows.length; start += rowsPerSlice) yield rows.slice(start, start + rowsPerSlice);
}
