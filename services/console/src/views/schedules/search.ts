import * as z from 'zod/mini';

export const scheduleStates = ['active', 'paused', 'disabled', 'broken', 'ended'] as const;

export const schedulesSearch = z.object({
  state: z.catch(z.optional(z.enum(scheduleStates)), undefined),
  /** Its name or id. */
  client: z.catch(z.optional(z.string()), undefined),
  /** In its name. */
  text: z.catch(z.optional(z.string()), undefined),
  /** The one that is shown whole. */
  id: z.catch(z.optional(z.string()), undefined),
  cursor: z.catch(z.optional(z.string()), undefined),
});

export type SchedulesSearch = z.infer<typeof schedulesSearch>;
