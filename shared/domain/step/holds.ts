/** One batch of a held step is tried this often. */
export const tryHeldEveryMs = 30_000;
