import * as z from 'zod/mini';

export const setAside = ['jobs', 'messages', 'steps'] as const;

export const deadLettersSearch = z.object({
  /** A letter or a step to be shown. */
  id: z.catch(z.optional(z.string()), undefined),
  show: z.catch(z.optional(z.enum(setAside)), undefined),
  /** Of dead jobs: those of this client alone, by its name or id. */
  client: z.catch(z.optional(z.string()), undefined),
  /** The group that is chosen: of jobs by whose they are and why, of messages by topic and reason. */
  of: z.catch(z.optional(z.string()), undefined),
  cause: z.catch(z.optional(z.string()), undefined),
  topic: z.catch(z.optional(z.string()), undefined),
  reason: z.catch(z.optional(z.string()), undefined),
});
