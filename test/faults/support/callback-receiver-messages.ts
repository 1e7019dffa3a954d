import { z } from 'zod';

/** Behaviour of a receiver for calls whose path begins with a name. */
const manner = z.object({
  latencyMs: z.int().default(0),
  status: z.int().default(200),
  headers: z.record(z.string(), z.string()).optional(),
  /** Behaviour instead of an answer. */
  does: z.enum(['hang', 'reset']).optional(),
  /** Number of calls of each job with this behaviour. Later calls are answered with 200. */
  times: z.int().optional(),
});

export type CallbackManner = z.output<typeof manner>;
export type CallbackManners = Record<string, z.input<typeof manner>>;

export const callbackRules = z.object({
  secrets: z.array(z.string()),
  /** Behaviours by name. Other calls are answered with 200. */
  manners: z.record(z.string(), manner),
  /** False: nothing listens, and open connections are cut. */
  isUp: z.boolean().default(true),
});

export const ledgerLine = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('call'),
    call: z.int(),
    atMs: z.number(),
    isKept: z.boolean(),
    jobId: z.string(),
    path: z.string(),
    digest: z.string(),
    problem: z.string().nullable(),
    occurrence: z.object({ scheduleId: z.string(), group: z.string(), scheduledFor: z.string() }).nullable(),
  }),
  z.object({ kind: z.literal('end'), call: z.int(), atMs: z.number(), status: z.int().nullable() }),
]);

export type LedgerLine = z.output<typeof ledgerLine>;
