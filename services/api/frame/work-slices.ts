/** Maximum rows that one slice writes, well below a millisecond of the event loop. */
const rowsPerSlice = 100;

let last: Promise<void> = Promise.resolve();

/** Resolves in a turn of the event loop without another slice, so that other requests wait for one slice at most. */
export function nextSlice(): Promise<void> {
  last = last.then(nextTurn);
  return last;
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** Yields parts of the rows that take one slice each. */
export function* slicesOf<Row>(rows: readonly Row[]): Generator<readonly Row[], void> {
  for (let start = 0; start < rows.length; start += rowsPerSlice) yield rows.slice(start, start + rowsPerSlice);
}
