import * as z from 'zod/mini';

const text = z.catch(z.optional(z.string()), undefined);

export const calendarSearch = z.object({
  /** A day of the shown week, `2026-11-23`. Default: the current week. */
  week: z.catch(z.optional(z.string().check(z.regex(/^\d{4}-\d{2}-\d{2}$/))), undefined),
  country: text,
  action: text,
  owner: text,
  /** Action type whose load is shown. Default: the one with most starts. */
  load: text,
});

export type CalendarSearch = z.infer<typeof calendarSearch>;
