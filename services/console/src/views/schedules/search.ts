import * as z from 'zod/mini';

export const scheduleStates = ['active', 'paused', 'disabled', 'broken', 'ended'] as const;

export const schedulesSearch = z.object({
  state: z.catch(z.optional(z.enum(scheduleStates)), undefined),
  /** Name or id of the client. */
  client: z.catch(z.optional(z.string()), undefined),
  text: z.catch(z.optional(z.string()), undefined),
  /** Id of the schedule that is shown beside the list. */
  id: z.catch(z.optional(z.string()), undefined),
  cursor: z.catch(z.optional(z.string()), undefined),
});

export type SchedulesSearch = z.infer<typeof schedulesSearch>;
