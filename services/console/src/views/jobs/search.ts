import * as z from 'zod/mini';

export const jobStates = [
  'pending',
  'waiting',
  'firing',
  'reporting',
  'sidelined',
  'called',
  'expired',
  'cancelled',
  'dead',
] as const;

export const jobPriorities = ['high', 'normal', 'low'] as const;

/** When they are due, or of those that have ended were; from the moment on at which it is chosen. */
export const dueSpans = [
  'until now',
  'next hour',
  'next day',
  'next week',
  'last hour',
  'last day',
  'last week',
] as const;

export const jobsSearch = z.object({
  /** Pending ones and those that are being called unless given. */
  state: z.catch(z.optional(z.enum(jobStates)), undefined),
  /** Its name or id. */
  client: z.catch(z.optional(z.string()), undefined),
  tag: z.catch(z.optional(z.string()), undefined),
  /** Called through the client's endpoint of this name. */
  endpoint: z.catch(z.optional(z.string()), undefined),
  /** An ordering key of the client. */
  key: z.catch(z.optional(z.string()), undefined),
  priority: z.catch(z.optional(z.enum(jobPriorities)), undefined),
  due: z.catch(z.optional(z.enum(dueSpans)), undefined),
  /** An id, or a key of the client. */
  name: z.catch(z.optional(z.string()), undefined),
  cursor: z.catch(z.optional(z.string()), undefined),
});

export type JobsSearch = z.infer<typeof jobsSearch>;
