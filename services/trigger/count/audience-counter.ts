import pLimit from 'p-limit';
import type { ChangeFeed } from '../../../shared/ports/change-feed.ts';
import { createLoop, type Loop } from '../../../shared/runtime/loop.ts';
import { maxCountRequests } from '../pages/page-requests.ts';
import { createCounting, type CountingDeps } from './counting.ts';
import type { CountEnd, OwnedCount } from '../ports/count-store.ts';

/** Maximum number of counts that one trigger makes at the same time. */
const maxAtOnce = 2;
const pollEveryMs = 10_000;
const unnotifiedPollEveryMs = 3000;
const afterErrorMs = 2000;

export interface AudienceCounterDeps extends Omit<CountingDeps, 'requestLimit'> {
  changes: ChangeFeed;
  /** Name of this process, which no other process has. */
  owner: string;
  leaseMs: number;
}

/** Loop that counts audiences on request of a person, two at a time. It runs beside the feeds. */
export type AudienceCounter = Pick<Loop, 'start' | 'stop'>;

export function createAudienceCounter(deps: AudienceCounterDeps): AudienceCounter {
  const { counts, changes, owner, leaseMs, clock, logger } = deps;
  const requestLimit = pLimit(maxCountRequests);
  const tasks = new Set<Promise<void>>();

  async function turn(signal: AbortSignal): Promise<number> {
    while (tasks.size < maxAtOnce && !signal.aborted) {
      const count = await counts.claim(owner, leaseMs);
      if (!count) break;
      const task: Promise<void> = countWhileHeld(count, { ...deps, requestLimit }, signal)
        // A count that failed is not claimed again before the next scan.
        .then(
          () => {
            tasks.delete(task);
            loop.poke();
          },
          (error: unknown) => {
            tasks.delete(task);
            logger.warn({ err: error, countId: count.countId }, 'an audience is counted later');
          },
        );
      tasks.add(task);
    }
    return changes.isConnected() ? pollEveryMs : unnotifiedPollEveryMs;
  }

  const loop = createLoop({ name: 'audience-counter', turn, afterErrorMs, clock, logger });
  changes.on('audience-counts', () => loop.poke());
  return {
    start: () => loop.start(),
    stop: async () => {
      await loop.stop();
      await Promise.all(tasks);
    },
  };
}

const tooLong: CountEnd = { state: 'failed', cause: 'it took longer than six hours' };

type CountDeps = AudienceCounterDeps & Pick<CountingDeps, 'requestLimit'>;

/**
 * Counts until the end of the audience, until the count is cancelled, or until this process stops. In the last case,
 * another trigger continues.
 */
async function countWhileHeld(count: OwnedCount, deps: CountDeps, stopping: AbortSignal): Promise<void> {
  const { counts, leaseMs, clock, logger } = deps;
  const over = new AbortController();
  const signal = AbortSignal.any([stopping, over.signal]);
  const isStopped = () => signal.aborted;
  const cut: { end: CountEnd | null } = { end: null };
  const beating = (async () => {
    while (!isStopped()) {
      await clock.sleep(leaseMs / 3, signal);
      if (isStopped()) return;
      // A renewal that fails does not stop the count. If another trigger has claimed the count meanwhile, the store
      // refuses every write.
      const standing = await counts.renew(count, leaseMs).catch(() => 'held' as const);
      if (standing === 'too-long') cut.end = tooLong;
      if (standing !== 'held') over.abort();
    }
  })();
  try {
    const counting = createCounting(count, deps);
    const came = await counting.run(signal);
    const end = came ?? cut.end;
    if (end === null) await counts.release(count);
    else if (await counts.end(count, counting.countries(), end))
      logger.info({ countId: count.countId, state: end.state }, 'audience counted');
  } catch (error) {
    await counts.release(count).catch(() => undefined);
    throw error;
  } finally {
    over.abort();
    await beating;
  }
}
