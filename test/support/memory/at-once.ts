/** Runs the work whole, with nothing in between, like one statement of a database. What it throws is a rejection. */
export function atOnce<Result>(work: () => Result): Promise<Result> {
  return new Promise((resolve) => resolve(work()));
}
