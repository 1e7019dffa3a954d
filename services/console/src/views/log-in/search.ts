import * as z from 'zod/mini';

export const logInSearch = z.object({
  /**
   * Path of the page that the user requested. It must begin with a single slash, because browsers interpret `//` and
   * `/\` as another host.
   */
  to: z.catch(z.optional(z.string().check(z.regex(/^\/(?![/\\])/))), undefined),
});
