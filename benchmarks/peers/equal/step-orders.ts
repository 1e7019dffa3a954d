import { z } from 'zod';
import { systemName } from './load-system.ts';
import { stepServers } from './step-peer.ts';

const serveOrder = z.object({
  order: z.literal('serve'),
  batches: z.int(),
  terms: z.object({ url: z.string(), form: z.enum(['full', 'compact']), campaignId: z.string(), inFlight: z.int() }),
});

/** Orders that the benchmark sends to the processes of a peer that keeps Muster's promise. */
export const stepOrder = z.discriminatedUnion('order', [
  z.object({ order: z.literal('open'), system: systemName, servers: stepServers }),
  z.object({ order: z.literal('prepare') }),
  z.object({ order: z.literal('empty') }),
  z.object({ order: z.literal('enqueue'), segmentationUrl: z.string(), users: z.int() }),
  serveOrder,
]);

export type StepOrder = z.infer<typeof stepOrder>;
export type ServeStepsOrder = z.infer<typeof serveOrder>;
