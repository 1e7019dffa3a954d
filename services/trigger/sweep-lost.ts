import { LRUCache } from 'lru-cache';
import type { TopicNames } from '../../shared/domain/shard.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { LostRef, OutboxSweep } from './ports/feed-store.ts';
import type { MessagePublisher } from '../../shared/ports/message-bus.ts';
import type { RunStore, RunTally } from './ports/run-store.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import { pauseAfter } from './pause-after.ts';
import { linesOf } from './run-ending.ts';
import { lostMessages } from './step-messages.ts';

const lookEveryMs = 1000;
/** References taken at one look, per run and kind. */
const maxRefs = 2000;
const maxRemembered = 100_000;

export interface SweepLostDeps {
  runStore: RunStore;
  outboxSweep: OutboxSweep;
  publisher: MessagePublisher;
  topics: TopicNames;
  /** Whether this trigger is the one that sweeps. */
  isSweeper: () => boolean;
  /** A run whose totals stood still for so long, with work pending, may have lost references. */
  stallMs: number;
  /** A reference is not offered again sooner, unless somebody had it in between. */
  reofferMs: number;
  clock: Clock;
  logger: Logger;
}

type Question = 'overdue' | 'unclaimed';

/**
 * Publishes again what a crash left: steps past their lease, steps that are due again, and what was committed and never published. A
 * reference too many is harmless, because claiming it comes to nothing. What comes back is a loop's turn.
 */
export function createSweepLost(deps: SweepLostDeps): () => Promise<number> {
  const { runStore, outboxSweep, clock, logger } = deps;
  const offered = new LRUCache<string, { epoch: number; atMs: number }>({ max: maxRemembered });
  const nextAskMs = new Map<string, number>();
  let progress = new Map<string, { figures: string; sinceMs: number }>();

  async function sweep(tally: RunTally): Promise<void> {
    await sweepFor('overdue', tally);
    if (standsStill(tally)) await sweepFor('unclaimed', tally);
  }

  /** The questions read many rows of a large run; they are asked the less often the longer they take. */
  async function sweepFor(question: Question, tally: RunTally): Promise<void> {
    const key = `${question}/${tally.runId}`;
    const startedMs = clock.monotonicMs();
    if (startedMs < (nextAskMs.get(key) ?? 0)) return;
    const refs = await outboxSweep[question](tally.runId, maxRefs);
    const endedMs = clock.monotonicMs();
    nextAskMs.set(key, endedMs + pauseAfter(endedMs - startedMs, lookEveryMs));
    await offer(question, tally, refs.filter(isToOffer));
  }

  async function offer(question: Question, tally: RunTally, refs: readonly LostRef[]): Promise<void> {
    if (refs.length === 0) return;
    await deps.publisher.publish(lostMessages(topicIn(tally, deps.topics), refs));
    const atMs = clock.monotonicMs();
    for (const ref of refs) offered.set(keyOf(ref), { epoch: ref.epoch, atMs });
    logger.info({ runId: tally.runId, question, refs: refs.length }, 'references published again');
  }

  function isToOffer(ref: LostRef): boolean {
    const last = offered.get(keyOf(ref));
    return last?.epoch !== ref.epoch || clock.monotonicMs() - last.atMs >= deps.reofferMs;
  }

  function standsStill(tally: RunTally): boolean {
    const figures = JSON.stringify(tally.feeds.map(({ fedUsers, totals }) => [fedUsers, totals]));
    const before = progress.get(tally.runId);
    if (before?.figures !== figures) {
      progress.set(tally.runId, { figures, sinceMs: clock.monotonicMs() });
      return false;
    }
    const isPending = linesOf(tally).some((line) => line.pending > 0);
    return isPending && clock.monotonicMs() - before.sinceMs >= deps.stallMs;
  }

  function forgetOthers(tallies: readonly RunTally[]): void {
    const running = new Set(tallies.map(({ runId }) => runId));
    progress = new Map([...progress].filter(([runId]) => running.has(runId)));
    for (const key of nextAskMs.keys()) if (!running.has(key.slice(key.indexOf('/') + 1))) nextAskMs.delete(key);
  }

  return async () => {
    if (!deps.isSweeper()) return lookEveryMs;
    const startedMs = clock.monotonicMs();
    const tallies = await runStore.tallies();
    const tookMs = clock.monotonicMs() - startedMs;
    forgetOthers(tallies);
    for (const tally of tallies) {
      // One run that cannot be swept (its topic is gone) must not hold up the others.
      await sweep(tally).catch((error: unknown) => {
        logger.warn({ err: error, runId: tally.runId }, 'could not sweep a run, trying again');
      });
    }
    return pauseAfter(tookMs, lookEveryMs);
  };
}

function keyOf({ feedId, batchNo, step }: LostRef): string {
  return `${feedId}/${batchNo}/${step}`;
}

function topicIn(tally: RunTally, topics: TopicNames): (ref: LostRef) => string {
  const countries = new Map(tally.feeds.map(({ feedId, country }) => [feedId, country]));
  return ({ feedId, step }) => {
    const actionType = tally.chain[step - 1]?.action;
    const country = countries.get(feedId);
    if (actionType === undefined || country === undefined)
      throw new Error(`run ${tally.runId} has no step ${step} of feed ${feedId}`);
    return topics.shard({ actionType, country });
  };
}
