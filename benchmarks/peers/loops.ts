import { join } from 'node:path';
import { z } from 'zod';
import { startChild } from '../child.ts';
import { startCpuMeter } from '../cpu.ts';
import { usersPerBatch } from '../campaign-times.ts';
import type { Stub } from '../stub/stub.ts';
import { perBatch, type Contestant } from './contestant.ts';

export interface Loops {
  readonly bare: Contestant;
  /** Calls for one user after the other. The loop has few users, because each call waits for the call before. */
  readonly naive: Contestant;
  stop(): Promise<void>;
}

export interface LoopsOptions {
  stub: Stub;
  databaseUrl: string;
  inFlight: number;
  postgres: () => readonly number[];
}

const answerShape = z.object({ seconds: z.number() });
/** Upper bound on the time of one turn of the naive loop. */
const maxNaiveMs = 4000;
const maxNaiveUsers = 2000;

/** Starts the loops without a queue, as in the benchmark `chain`. */
export async function startLoops({ stub, databaseUrl, inFlight, postgres }: LoopsOptions): Promise<Loops> {
  const child = startChild(join(import.meta.dirname, '../chain/bare-loop.ts'));
  await child.receive();
  const processes = { loop: () => [child.pid], postgres, endpoints: () => [stub.pid] };

  async function takeTurn(latencyMs: number, batches: number, usersPerCall: number, callsInFlight: number) {
    const read = startCpuMeter(processes);
    const url = `${stub.url}/batches/full/${latencyMs}`;
    const terms = { url, form: 'full', batches, usersPerCall, inFlight: callsInFlight, databaseUrl };
    const { seconds } = answerShape.parse(await child.ask(terms));
    const served = (batches * usersPerCall) / usersPerBatch;
    return { rate: served / seconds, cpu: perBatch(read(), served) };
  }

  return {
    bare: {
      name: 'bare loop',
      promise: 'any',
      takeTurn: (latencyMs, batches) => takeTurn(latencyMs, batches, usersPerBatch, inFlight),
    },
    naive: {
      name: 'naive loop',
      promise: 'none',
      takeTurn: (latencyMs) => {
        const users = Math.min(maxNaiveUsers, Math.round(maxNaiveMs / (2 * Math.max(latencyMs, 1))));
        return takeTurn(latencyMs, users, 1, 1);
      },
    },
    stop: () => child.stop(),
  };
}
