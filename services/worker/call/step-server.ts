import type { ClaimedStep, RefusedStep } from '../../../shared/ports/step-ledger.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import type { ReleasePause } from '../slots/call-slots.ts';
import type { ServedCall } from '../slots/learn-from-call.ts';
import { afterProbe, processBatch, type Processed, type ProcessBatchDeps } from './process-batch.ts';
import type { Prepared } from '../claims/prepare-work.ts';
import type { StepOutcomes } from './step-outcomes.ts';
import { releasedResult } from '../step/step-results.ts';
import type { FinishedStep, OpenMessage, Work } from '../step/work.ts';

export interface StepServerDeps extends ProcessBatchDeps {
  outcomes: StepOutcomes;
  onHandled: (origin: OpenMessage | null) => void;
  logger: Logger;
}

/**
 * Serves steps independently of each other: whatever happens to one step, its slot becomes free, and other steps
 * continue.
 */
export interface StepServer {
  /** Serves a step. Never rejects. Resolves with null if no call was made. */
  serve(work: Work): Promise<ServedCall | null>;
  release(works: readonly Work[], pause: ReleasePause | null): void;
  /**
   * Keeps claims that could not be prepared, because of a bug in this worker or a broken row, until their leases
   * expire. Repeated lapses quarantine the step.
   */
  leaveBroken(broken: Prepared['broken']): void;
  /** Drops results that were not written, and steps that the store never accepts. */
  lose(lost: readonly FinishedStep[], refused: readonly RefusedStep[]): void;
  /** Ends trials whose single users will not be called, and releases the steps that wait for the outcome. */
  abandonTrials(steps: readonly FinishedStep[]): void;
  /** Resolves when the release of all steps has been passed on. */
  idle(): Promise<void>;
}

export function createStepServer(deps: StepServerDeps): StepServer {
  const { outcomes, onHandled, directory, markBegun, traces, random, logger } = deps;
  const underWay = new Set<Promise<void>>();

  function handOn({ finished, again }: Pick<Processed, 'finished' | 'again'>): void {
    outcomes.record(finished);
    outcomes.callAgain(again);
  }

  async function serve(work: Work): Promise<ServedCall | null> {
    try {
      const processed = await processBatch(work, deps);
      handOn(processed);
      return processed.call;
    } catch (error) {
      await leaveToLease(work.claim, work.origin, error);
      await endProbeOf(work);
      return null;
    }
  }

  /** Keeps a step until its lease expires, because of a bug in this worker or a broken row. */
  async function leaveToLease(claim: ClaimedStep, origin: OpenMessage | null, error: unknown): Promise<void> {
    const { feedId, batchNo, step } = claim;
    const traceId = traces?.traceOf(claim);
    logger.error({ err: error, feedId, batchNo, step, traceId }, 'could not serve a step, its lease will run out');
    // Only lapses after the begin of a call lead to quarantine, so the begin is marked.
    if (claim.lapses !== 0) await markBegun(claim);
    onHandled(origin);
  }

  async function endProbeOf(work: Work): Promise<void> {
    if (!work.isProbe) return;
    try {
      const known = await directory.admissionOf(work.claim.feedId);
      handOn(await afterProbe(work, { finished: [], again: [], call: null }, known, deps));
    } catch (error) {
      const { feedId } = work.claim;
      logger.error(
        { err: error, feedId, traceId: traces?.traceOf(work.claim) },
        'could not end a trial, leases will run out',
      );
    }
  }

  function track(promise: Promise<void>): void {
    const tracked: Promise<void> = promise.then(() => {
      underWay.delete(tracked);
    });
    underWay.add(tracked);
  }

  return {
    serve,
    leaveBroken: (broken) => {
      // The promise is not awaited, to avoid a deadlock: the mark of the begun call is written by the turn that calls
      // this function.
      for (const { claimed, error } of broken) track(leaveToLease(claimed.claim, claimed.queued.origin, error));
    },
    release: (works, pause) => {
      const results = works.map((work): FinishedStep => {
        const result = pause
          ? releasedResult(work, Math.round(pause.delayMs * (1 + random() / 2)), pause.cause)
          : releasedResult(work, 0, null);
        return { work, result };
      });
      outcomes.record(results);
      for (const work of works) if (work.isProbe) track(endProbeOf(work));
    },
    lose: (lost, refused) => {
      for (const { step, error } of refused) {
        const { feedId, batchNo } = step;
        const traceId = traces?.traceOf(step);
        logger.error({ err: error, feedId, batchNo, step: step.step, traceId }, 'a step cannot be written');
      }
      for (const { work } of lost) onHandled(work.origin);
    },
    abandonTrials: (steps) => {
      for (const { work, result } of steps) {
        const { trial } = work.standing;
        if (trial?.begunBy !== result) continue;
        trial.probesLeft = 1;
        track(endProbeOf({ ...work, isProbe: true }));
      }
    },
    idle: async () => {
      await Promise.all(underWay);
    },
  };
}
