/** Runs the work without an interruption, like one statement of a database. Returns a rejected promise if it throws. */
export function atOnce<Result>(work: () => Result): Promise<Result> {
  return new Promise((resolve) => resolve(work()));
}
