import type { Clock } from '../../shared/ports/clock.ts';
import type { KeyAdvancer, OrderedKey } from '../../shared/ports/ordered-keys.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import { createLoop } from '../../shared/runtime/loop.ts';
import type { JobCall } from './call/call-job.ts';

/** It is woken when there is something to do. */
const idleMs = 60_000;
const afterErrorMs = 500;
/** These have their key still. */
const still: ReadonlySet<string> = new Set(['released', 'reporting', 'sidelined']);

export interface KeyTurnsDeps {
  keys: Pick<KeyAdvancer, 'advance'>;
  clock: Clock;
  logger: Logger;
}

/** Lets the next jobs of keys be due whose turn has come: beside the flushes, which wait for none of it. */
export interface KeyTurns {
  /** What came of these calls is written. */
  written(calls: readonly JobCall[]): void;
  start(): void;
  /** Resolves when all that was said is done, or has failed once. */
  stop(): Promise<void>;
}

export function createKeyTurns({ keys, clock, logger }: KeyTurnsDeps): KeyTurns {
  let woken: OrderedKey[] = [];

  async function turn(): Promise<number> {
    const taken = woken;
    woken = [];
    // What fails is not tried again here: the wakes are stored, and a scheduler sweeps them.
    if (taken.length > 0) await keys.advance(taken);
    return woken.length > 0 ? 0 : idleMs;
  }

  const loop = createLoop({ name: 'advance-keys', turn, afterErrorMs, clock, logger });
  return {
    written: (calls) => {
      for (const { job, verdict, terms } of calls) {
        const isStill = still.has(verdict.kind);
        // Keys are a client's, whatever endpoints their jobs go through.
        const clientId = terms?.ownerId ?? job.clientId;
        if (job.orderingKey !== null && !isStill) woken.push({ clientId, key: job.orderingKey });
      }
      if (woken.length > 0) loop.poke();
    },
    start: () => loop.start(),
    stop: async () => {
      await loop.stop();
      await turn().catch((error: unknown) => logger.warn({ err: error }, 'could not advance keys, a scheduler does'));
    },
  };
}
