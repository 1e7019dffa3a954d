import { join } from 'node:path';
import { startChild, type Child } from '../../child.ts';
import type { SystemName } from './load-system.ts';
import type { ServeStepsOrder, StepOrder } from './step-orders.ts';
import type { StepServers } from './step-peer.ts';

const script = join(import.meta.dirname, 'step-process.ts');

/** A process of a peer that keeps Muster's promise. Orders are executed one at a time. */
export interface StepWorker {
  readonly pid: number;
  tell(order: Exclude<StepOrder, { order: 'open' }>): Promise<unknown>;
  /** Ends the process with SIGTERM, or with SIGKILL as a crash does. */
  end(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

export type ServeTerms = ServeStepsOrder['terms'];

/** Starts a worker or a producer of a peer. */
export async function startStepWorker(system: SystemName, servers: StepServers): Promise<StepWorker> {
  const child = startChild(script);
  const tell = (order: StepOrder) => child.ask(order);
  await child.receive();
  await tell({ order: 'open', system, servers });
  return { pid: child.pid, tell, end: (signal) => endChild(child, signal) };
}

async function endChild(child: Child, signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
  await child.stop(signal);
}
