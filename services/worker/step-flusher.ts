import { backoffMs } from '../../shared/domain/retry.ts';
import type { TopicNames } from '../../shared/domain/shard.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { MessagePublisher, OutgoingMessage } from '../../shared/ports/message-bus.ts';
import type { LedgerFlushed, StepLedger, StepResult } from '../../shared/ports/step-ledger.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import { createLoop } from '../../shared/runtime/loop.ts';
import { survivorMessages, type RecordedStep } from './forward-survivors.ts';
import type { Claimed } from './prepare-work.ts';
import type { OpenMessage, QueuedStep, Work } from './work.ts';

/** Under load, groups grow to what arrives in this time, unless they are large before; when idle, nothing waits. */
const minBetweenFlushesMs = 25;
const largeGroup = 200;
const maxGroup = 500;
/** Poked when there is something to do. */
const idleMs = 60_000;
const afterErrorMs = 500;
const publishBackoff = { firstDelayMs: 200, maxDelayMs: 10_000 };

export interface FlushStepsDeps {
  ledger: StepLedger;
  publisher: MessagePublisher;
  topics: TopicNames;
  /** What is to be claimed now, and what knowing it needs; asked before each flush. */
  claims: (max: number) => Promise<QueuedStep[]>;
  /** Claims that came to nothing because the flush failed. */
  putBack: (claims: readonly QueuedStep[]) => void;
  /** What is ours now. */
  claimed: (claimed: readonly Claimed[], claimedAtMs: number) => Promise<void>;
  /** All references of a record are handled. */
  settle: (origin: OpenMessage) => void;
  clock: Clock;
  random: () => number;
  logger: Logger;
}

/** W2 and W5 to W7, for many steps at once: one statement records what was called and claims what comes next. */
export interface StepFlusher {
  start(): void;
  /** There may be something to claim. */
  poke(): void;
  /** The step was called, or must not be: to be recorded with the next flush. */
  record(work: Work, record: StepResult): void;
  /** Resolves when everything handed in is recorded and published. Call it when nothing more will be. */
  finish(): Promise<void>;
}

export function createStepFlusher(deps: FlushStepsDeps): StepFlusher {
  const { ledger, publisher, topics, clock, logger } = deps;
  const stopping = new AbortController();
  let pending = new Map<StepResult, Work>();
  const publishing = new Set<Promise<void>>();
  let lastFlushMs = Number.NEGATIVE_INFINITY;

  async function turn(): Promise<number> {
    for (;;) {
      const sinceLastMs = clock.monotonicMs() - lastFlushMs;
      if (sinceLastMs < minBetweenFlushesMs && pending.size < largeGroup) {
        await clock.sleep(minBetweenFlushesMs - sinceLastMs);
      }
      const claims = await deps.claims(maxGroup);
      if (claims.length === 0 && pending.size === 0) return idleMs;
      await flush(claims);
    }
  }

  async function flush(claims: readonly QueuedStep[]): Promise<void> {
    const taken = takePending();
    const startedMs = (lastFlushMs = clock.monotonicMs());
    let flushed: LedgerFlushed;
    try {
      flushed = await ledger.flush({ results: [...taken.keys()], claims, begins: [] });
    } catch (error) {
      // Nothing is lost: the records are written with the next flush, or refused there because their lease has run out meanwhile.
      pending = new Map([...taken, ...pending]);
      deps.putBack(claims);
      throw error;
    }
    afterRecording(taken, flushed);
    await begin(matchClaims(claims, flushed), startedMs);
  }

  /** Claims that cannot be begun are left to their leases: the sweeper offers them again. */
  async function begin(claimed: readonly Claimed[], claimedAtMs: number): Promise<void> {
    try {
      await deps.claimed(claimed, claimedAtMs);
    } catch (error) {
      logger.warn({ err: error, steps: claimed.length }, 'could not begin claimed steps, their leases will run out');
      for (const { queued } of claimed) handled(queued.origin);
    }
  }

  function takePending(): Map<StepResult, Work> {
    if (pending.size <= maxGroup) {
      const all = pending;
      pending = new Map();
      return all;
    }
    const entries = [...pending];
    pending = new Map(entries.slice(maxGroup));
    return new Map(entries.slice(0, maxGroup));
  }

  /** Claims that did not come back are handled: they are done, or somebody else's. */
  function matchClaims(claims: readonly QueuedStep[], { claimed }: LedgerFlushed): Claimed[] {
    const byKey = new Map(claimed.map((claim) => [keyOf(claim), claim]));
    const matched: Claimed[] = [];
    for (const queued of claims) {
      const key = keyOf(queued);
      const claim = byKey.get(key);
      // The same step may have been queued twice: only one of them is to be served.
      byKey.delete(key);
      if (claim) matched.push({ queued, claim });
      else handled(queued.origin);
    }
    return matched;
  }

  function afterRecording(taken: ReadonlyMap<StepResult, Work>, { recorded, refused }: LedgerFlushed): void {
    for (const { step, error } of refused) {
      logger.error(
        { err: error, feedId: step.feedId, batchNo: step.batchNo, step: step.step },
        'a step cannot be written',
      );
    }
    const survivors: RecordedStep[] = [];
    for (const record of recorded) {
      const work = taken.get(record);
      if (work && record.state === 'done') survivors.push({ work, record });
    }
    const settleAll = () => {
      for (const work of taken.values()) handled(work.origin);
    };
    const records = survivorMessages(topics, survivors);
    if (records.length === 0) settleAll();
    else track(publish(records).then((published) => published && settleAll()));
  }

  function track(promise: Promise<unknown>): void {
    const tracked: Promise<void> = promise.then(() => {
      publishing.delete(tracked);
    });
    publishing.add(tracked);
  }

  /** False when stopped before it succeeded: then the records behind it stay unsettled and come again. */
  async function publish(records: readonly OutgoingMessage[]): Promise<boolean> {
    for (let attempt = 1; ; attempt++) {
      try {
        await publisher.publish(records);
        return true;
      } catch (error) {
        logger.warn({ err: error, attempt, records: records.length }, 'could not publish next steps');
      }
      if (stopping.signal.aborted) return false;
      await clock.sleep(backoffMs(publishBackoff, attempt, deps.random()), stopping.signal);
    }
  }

  function handled(origin: OpenMessage): void {
    origin.open--;
    if (origin.open === 0) deps.settle(origin);
  }

  const loop = createLoop({ name: 'flush-steps', turn, afterErrorMs, clock, logger });

  return {
    start: () => loop.start(),
    poke: () => loop.poke(),
    record: (work, record) => {
      pending.set(record, work);
      loop.poke();
    },
    finish: async () => {
      stopping.abort();
      await loop.stop();
      // Whatever the last turn left, because a flush failed: once more, and then their leases run out.
      if (pending.size > 0) {
        await flush([]).catch((error: unknown) => {
          logger.warn(
            { err: error, steps: pending.size },
            'could not record the last steps, their leases will run out',
          );
        });
      }
      await Promise.all(publishing);
    },
  };
}

function keyOf({ feedId, batchNo, step }: { feedId: string; batchNo: number; step: number }): string {
  return `${feedId}/${batchNo}/${step}`;
}
