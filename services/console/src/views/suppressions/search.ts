import * as z from 'zod/mini';

const text = z.catch(z.optional(z.string()), undefined);

export const suppressionsSearch = z.object({
  /** The user who is looked up, by the whole id. */
  user: text,
  /** Of the files that lists were loaded from. */
  cursor: text,
});
