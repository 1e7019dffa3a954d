/**
 * Returns the result of the work. Rejects if the work takes longer than `ms`; the work itself continues. After a pause
 * of the process, an answer that has already arrived counts: timers run before sockets are read.
 *
 * @throws an error with the code `ETIMEDOUT`
 */
export async function within<Result>(ms: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    const error = Object.assign(new Error(`does not answer within ${ms / 1000} s`), { code: 'ETIMEDOUT' });
    timer = setTimeout(() => setImmediate(reject, error), ms);
  });
  try {
    return await Promise.race([work, tooLong]);
  } finally {
    clearTimeout(timer);
  }
}
