import type { Clock } from '../../shared/ports/clock.ts';
import type { KeyAdvancer, OrderedKey } from '../../shared/ports/ordered-keys.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import { createLoop } from '../../shared/runtime/loop.ts';
import type { JobCall } from './call/call-job.ts';

/** Milliseconds between two turns of the loop without work. Written outcomes wake the loop earlier. */
const idleMs = 60_000;
const afterErrorMs = 500;
/** Kinds of verdict after which a job keeps its ordering key, so that the next job must not become due. */
const kindsKeepingKey: ReadonlySet<string> = new Set(['released', 'reporting', 'sidelined']);

export interface KeyTurnsDeps {
  keys: Pick<KeyAdvancer, 'advance'>;
  clock: Clock;
  logger: Logger;
}

/**
 * Loop that makes the next job of an ordering key due when a job of the key has ended. The loop runs in parallel to the
 * flushes, so that no flush waits for it.
 */
export interface KeyTurns {
  written(calls: readonly JobCall[]): void;
  start(): void;
  /** Resolves when the loop has advanced all keys so far, or when advancing them has failed once. */
  stop(): Promise<void>;
}

export function createKeyTurns({ keys, clock, logger }: KeyTurnsDeps): KeyTurns {
  let woken: OrderedKey[] = [];

  async function turn(): Promise<number> {
    const taken = woken;
    woken = [];
    // If this fails, the loop does not repeat it: the keys are also stored in the database, and a scheduler advances
    // them from there.
    if (taken.length > 0) await keys.advance(taken);
    return woken.length > 0 ? 0 : idleMs;
  }

  const loop = createLoop({ name: 'advance-keys', turn, afterErrorMs, clock, logger });
  return {
    written: (calls) => {
      for (const { job, verdict, terms } of calls) {
        const isStill = kindsKeepingKey.has(verdict.kind);
        // An ordering key belongs to the client, whichever endpoints its jobs go through.
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
