import * as z from 'zod/mini';

export const logInSearch = z.object({
  /** Page that the user requested: a path of the console, never another host, which `//` and `/\` would be. */
  to: z.catch(z.optional(z.string().check(z.regex(/^\/(?![/\\])/))), undefined),
});
