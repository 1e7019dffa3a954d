import * as z from 'zod/mini';

const text = z.catch(z.optional(z.string()), undefined);

export const calendarSearch = z.object({
  /** A day of the week that is shown, `2026-11-23`; this week where none is said. */
  week: z.catch(z.optional(z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}$/))), undefined),
  country: text,
  action: text,
  owner: text,
  /** The action type whose load is shown; the one that is asked for most where none is said. */
  load: text,
});

export type CalendarSearch = z.infer<typeof calendarSearch>;
