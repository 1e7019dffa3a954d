import { ConfigurationError } from '../../shared/runtime/configuration/configuration-error.ts';
import { systems, type System } from './equal/systems.ts';

/** A job queue whose job holds both steps, and is done before its outcome row is written. */
export interface QueuePeer {
  readonly name: string;
  readonly queue: 'bullmq' | 'pg-boss' | 'graphile-worker' | 'no-queue';
}

export interface ChosenPeers {
  /** Part of the name of the results; undefined if all peers were chosen. */
  readonly part: string | undefined;
  readonly equal: readonly System[];
  readonly unequal: readonly QueuePeer[];
}

export const withoutQueue: QueuePeer = { name: "no queue: peers' worker, jobs in its memory", queue: 'no-queue' };

const queuePeers: readonly QueuePeer[] = [
  withoutQueue,
  { name: 'BullMQ', queue: 'bullmq' },
  { name: 'pg-boss', queue: 'pg-boss' },
  { name: 'graphile-worker', queue: 'graphile-worker' },
];

/**
 * Returns the peers of one group, or one peer in both groups.
 * @param only `equal`, `unequal`, or the name of a peer; undefined chooses all
 * @throws {ConfigurationError} if no peer has this name
 */
export function choosePeers(only: string | undefined): ChosenPeers {
  if (only === undefined) return { part: undefined, equal: systems, unequal: queuePeers };
  if (only === 'equal') return { part: only, equal: systems, unequal: [] };
  if (only === 'unequal') return { part: only, equal: [], unequal: queuePeers };
  const equal = systems.filter(({ name }) => name === only);
  const unequal = queuePeers.filter(({ queue }) => queue === only);
  if (equal.length + unequal.length > 0) return { part: only, equal, unequal };
  const names = ['equal', 'unequal', ...systems.map(({ name }) => name), withoutQueue.queue];
  throw new ConfigurationError(`--only ${only}: there are ${names.join(', ')}`);
}
