import { z } from 'zod';
import { takeTurn } from '../one-api.ts';
import { createJob, type NewJob } from './added-jobs.ts';
import type { Adder } from './adder.ts';
import { adders } from './adders.ts';

/**
 * Orders that the parent sends to a process that adds jobs, one at a time. The process creates the jobs ("prepare")
 * before the measured time begins ("add").
 */
export const adderOrder = z.discriminatedUnion('order', [
  z.object({ order: z.literal('open'), adder: z.string(), redisPort: z.int(), databaseUrl: z.string() }),
  z.object({ order: z.literal('prepare'), jobs: z.int(), perCall: z.int() }),
  z.object({ order: z.literal('add'), atOnce: z.int() }),
]);

export type AdderOrder = z.infer<typeof adderOrder>;

let opened: Adder | undefined;
let prepared: NewJob[][] = [];

async function handleOrder(message: unknown): Promise<unknown> {
  const notified = adderOrder.parse(message);
  if (notified.order === 'open') {
    opened = await adders[notified.adder]?.(notified);
    return 'open';
  }
  if (!opened) throw new Error('nothing is open');
  const adder = opened;
  if (notified.order === 'prepare') {
    await adder.empty();
    const calls = Math.ceil(notified.jobs / notified.perCall);
    prepared = Array.from({ length: calls }, () => Array.from({ length: notified.perCall }, createJob));
    return 'prepared';
  }
  const items = prepared.reduce((sum, jobs) => sum + jobs.length, 0);
  const { rate, latenciesMs } = await takeTurn(prepared, { atOnce: notified.atOnce, items, processes: {} }, (jobs) =>
    adder.add(jobs),
  );
  return { rate, latenciesMs };
}

process.on('message', (message) => {
  handleOrder(message).then(
    (answer) => process.send?.(answer),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
