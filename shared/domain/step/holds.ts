/** What was put back for a hold that was lifted meanwhile is tried so soon: by then workers know what is quiet now. */
export const liftedRetryMs = 1000;

/** One batch of a held step is tried this often. */
export const tryHeldEveryMs = 30_000;
