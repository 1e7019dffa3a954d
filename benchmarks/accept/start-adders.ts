import { join } from 'node:path';
import { z } from 'zod';
import { migrate } from '../../shared/postgres/connection/migrate.ts';
import { startChild, type Child } from '../child.ts';
import { startCpuMeter } from '../cpu.ts';
import { ownRoot } from '../installation.ts';
import type { Processes, Turn } from '../one-api.ts';
import { createDatabase } from '../own-database.ts';
import type { AdderOrder } from './adder-process.ts';
import { adders } from './adders.ts';

const added = z.object({ rate: z.number(), latenciesMs: z.array(z.number()) });

export interface AdderTerms {
  jobs: number;
  perCall: number;
  atOnce: number;
}

/** Starts a process for each adder, on a database of its own. */
export async function startAdders({ databaseUrl, redisPort }: { databaseUrl: string; redisPort: number }) {
  const opened = new Map<string, { child: Child; drop: () => Promise<void> }>();
  const ask = (child: Child, order: AdderOrder) => child.ask(order);
  for (const adder of Object.keys(adders)) {
    const database = await createDatabase(databaseUrl);
    await migrate(database.url);
    const child = startChild(join(ownRoot, 'benchmarks/accept/adder-process.ts'));
    opened.set(adder, { child, drop: () => database.drop() });
    await ask(child, { order: 'open', adder, redisPort, databaseUrl: database.url });
  }
  return {
    add: async (adder: string, { jobs, perCall, atOnce }: AdderTerms, processes: Processes): Promise<Turn> => {
      const child = opened.get(adder)?.child;
      if (!child) throw new Error(`nothing is called ${adder}`);
      await ask(child, { order: 'prepare', jobs, perCall });
      const read = startCpuMeter({ ...processes, adder: () => [child.pid] });
      const turn = added.parse(await ask(child, { order: 'add', atOnce }));
      const cpu = Object.entries(read()).map(([name, micros]) => [name, micros / jobs] as const);
      return { ...turn, cpu: Object.fromEntries(cpu) };
    },
    stop: async () => {
      for (const { child, drop } of opened.values()) {
        await child.stop('SIGKILL');
        await drop();
      }
    },
  };
}
