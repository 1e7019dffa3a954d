import type { LedgerFlushed, RefusedStep, StepBegin, StepLedger, StepRef } from '../../shared/ports/step-ledger.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { Checks } from './checks/checks.ts';
import type { BeginMarks } from './claims/begin-marks.ts';
import type { FeedDirectory } from './claims/feed-directory.ts';
import { matchClaims, matchResults, type MatchedClaims, type MatchedResults } from './claims/flush-matching.ts';
import type { StepOutcomes } from './call/step-outcomes.ts';
import type { HandOn } from './forward/hand-on.ts';
import { mayWithhold } from './gates/gates.ts';
import type { StepQueue } from './intake/step-queue.ts';
import type { TimedSteps } from './intake/timed-steps.ts';
import type { StepTraces } from './report/step-traces.ts';
import type { WorkerMeter } from './report/worker-meter.ts';
import type { CallSlots } from './slots/call-slots.ts';
import { quickFlushMs } from './slots/flush-pace.ts';
import type { QuietHours } from './step/quiet-hours.ts';
import type { FinishedStep, QueuedStep } from './step/work.ts';

export interface FlushesDeps {
  ledger: StepLedger;
  directory: FeedDirectory;
  quietHours: QuietHours;
  outcomes: StepOutcomes;
  queue: StepQueue;
  begins: BeginMarks;
  timedSteps: TimedSteps;
  handOn: HandOn;
  slots: CallSlots;
  checks: Checks;
  meter: WorkerMeter;
  traces: StepTraces | undefined;
  clock: Clock;
}

/** The results and claims of a flush, grouped by what the ledger did with them. */
export interface Flushed {
  /** Monotonic time at which the flush was requested. */
  startedMs: number;
  results: MatchedResults;
  /** Results that the ledger will never accept. */
  refused: readonly RefusedStep[];
  claims: MatchedClaims;
}

/** Writes flushes: statements that record the results of calls and claim next steps, many at a time. */
export interface Flushes {
  /**
   * Writes results, claims, and begins of calls. Returns null if there is nothing to write. Rejects if the ledger
   * rejects; results and claims are then in their queues again.
   */
  write(claims: readonly QueuedStep[], results: readonly FinishedStep[]): Promise<Flushed> | null;
  /** Monotonic time at which the last flush was requested. */
  readonly lastMs: number;
  /** Returns the number of the shard's steps that this worker has recorded as done since its start. */
  recordedIn(topic: string): number;
}

export function createFlushes(deps: FlushesDeps): Flushes {
  const { ledger, directory, outcomes, queue, begins, timedSteps, handOn, slots, checks, meter, traces, clock } = deps;
  const recorded = new Map<string, number>();
  let lastMs = Number.NEGATIVE_INFINITY;
  const terms = {
    unitsPerUser: directory.unitsPerUser,
    actionTypeOf: (step: StepRef) => directory.actionTypeOf(step),
    checked: (step: StepRef) => mayWithhold(step, deps),
    countryOf: (feedId: string) => directory.contextOf(feedId)?.country,
  };

  async function flush(
    claims: readonly QueuedStep[],
    finished: readonly FinishedStep[],
    begun: readonly StepBegin[],
  ): Promise<Flushed> {
    const startedMs = clock.monotonicMs();
    lastMs = startedMs;
    const works = new Map(finished.map(({ result, work }) => [result, work]));
    const group = { results: [...works.keys()], claims, begins: begun, handOn: handOn.choose(finished, claims) };
    const timedWithinMs = timedSteps.withinMs();
    const flushed = await ledger.flush({ ...group, ...terms, timedWithinMs }).catch((error: unknown) => {
      // The results are kept, and the next flush writes them. If their lease has expired by then, the ledger may refuse
      // them.
      outcomes.requeue(finished);
      queue.requeue(claims);
      throw error;
    });
    measure(flushed, finished.length, claims.length, clock.monotonicMs() - startedMs);
    timedSteps.add(flushed.timed, works);
    begins.settle(begun, flushed.begun);
    const results = matchResults(works, flushed, startedMs);
    report(results, flushed, startedMs);
    return { startedMs, results, refused: flushed.refused, claims: matchClaims(claims, flushed) };
  }

  function measure(flushed: LedgerFlushed, results: number, claims: number, tookMs: number): void {
    meter.flushed(flushed, results, claims, tookMs);
    const took = tookMs / Math.max(tookMs, quickFlushMs);
    slots.onFlush(took);
    checks.slots.onFlush(took);
  }

  function report(results: MatchedResults, { created }: LedgerFlushed, startedMs: number): void {
    for (const { work, result } of results.recorded) {
      if (result.state === 'done') recorded.set(work.topic, (recorded.get(work.topic) ?? 0) + 1);
    }
    traces?.recorded(results.recorded, created, startedMs);
    traces?.claimed(results.children, startedMs);
  }

  return {
    write: (claims, results) => {
      const begun = begins.waiting();
      return claims.length + results.length + begun.length === 0 ? null : flush(claims, results, begun);
    },
    get lastMs() {
      return lastMs;
    },
    recordedIn: (topic) => recorded.get(topic) ?? 0,
  };
}
