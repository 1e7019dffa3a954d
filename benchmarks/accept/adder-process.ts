import { z } from 'zod';
import { takeTurn } from '../one-api.ts';
import { addedJob, type AddedJob } from './added-jobs.ts';
import type { Adder } from './adder.ts';
import { adders } from './adders.ts';

/**
 * A process that adds jobs by its parent's orders, one thing after the other: the jobs are made before their time is
 * taken.
 */
export const adderOrder = z.discriminatedUnion('order', [
  z.object({ order: z.literal('open'), adder: z.string(), redisPort: z.int(), databaseUrl: z.string() }),
  z.object({ order: z.literal('prepare'), jobs: z.int(), perCall: z.int() }),
  z.object({ order: z.literal('add'), atOnce: z.int() }),
]);

export type AdderOrder = z.infer<typeof adderOrder>;

let opened: Adder | undefined;
let prepared: AddedJob[][] = [];

async function obey(message: unknown): Promise<unknown> {
  const told = adderOrder.parse(message);
  if (told.order === 'open') {
    opened = await adders[told.adder]?.(told);
    return 'open';
  }
  if (!opened) throw new Error('nothing is open');
  const adder = opened;
  if (told.order === 'prepare') {
    await adder.empty();
    const calls = Math.ceil(told.jobs / told.perCall);
    prepared = Array.from({ length: calls }, () => Array.from({ length: told.perCall }, addedJob));
    return 'prepared';
  }
  const items = prepared.reduce((sum, jobs) => sum + jobs.length, 0);
  const { rate, latenciesMs } = await takeTurn(prepared, { atOnce: told.atOnce, items, processes: {} }, (jobs) =>
    adder.add(jobs),
  );
  return { rate, latenciesMs };
}

process.on('message', (message) => {
  obey(message).then(
    (answer) => process.send?.(answer),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
