import type { Contradiction, LedgerFlushed, StepRef, StepResult } from '../../../shared/ports/step-ledger.ts';
import { childWorks, type Claimed } from './prepare-work.ts';
import type { FinishedStep, QueuedStep, Work } from '../step/work.ts';

export interface MatchedResults {
  recorded: FinishedStep[];
  /** Recorded results whose next step this worker has claimed in the same flush. */
  handedOn: ReadonlySet<StepResult>;
  /**
   * Steps whose results were not recorded, because another worker has taken the step over or the store refused the
   * result.
   */
  lost: FinishedStep[];
  /** Child batches that this worker continues with at once. */
  children: Work[];
  /**
   * Split batches whose child batches were not returned as claims. These child batches wait until their leases expire.
   */
  childless: FinishedStep[];
}

/**
 * Matches the results of a flush with their works.
 * @param flushedAtMs monotonic time at which the flush was requested
 */
export function matchResults(
  byResult: ReadonlyMap<StepResult, Work>,
  { recorded, handedOn, children }: LedgerFlushed,
  flushedAtMs: number,
): MatchedResults {
  const matched: MatchedResults = { recorded: [], handedOn: new Set(handedOn), lost: [], children: [], childless: [] };
  for (const result of recorded) {
    const work = byResult.get(result);
    if (work) matched.recorded.push({ work, result });
  }
  for (const { result, claims } of children) {
    const work = byResult.get(result);
    if (work) matched.children.push(...childWorks(work, result, claims, flushedAtMs));
  }
  const split = new Set<StepResult>(children.map(({ result }) => result));
  for (const { work, result } of matched.recorded) {
    const isSplit = result.state === 'done' && result.children.some(({ claim }) => claim);
    if (isSplit && !split.has(result)) matched.childless.push({ work, result });
  }
  const written = new Set(recorded);
  for (const [result, work] of byResult) if (!written.has(result)) matched.lost.push({ work, result });
  return matched;
}

export interface MatchedClaims {
  ours: Claimed[];
  /** Steps that could not be claimed, because they are done or another worker has claimed them. */
  others: QueuedStep[];
  /** Steps that could not be claimed because a row was locked. They have to be claimed again. */
  busy: QueuedStep[];
  /** Steps whose rows contradict their message, whether this worker has claimed them or not. */
  contradicted: { queued: QueuedStep; truth: Contradiction['truth'] }[];
}

export function matchClaims(
  claims: readonly QueuedStep[],
  { claimed, busy, contradicted }: Pick<LedgerFlushed, 'claimed' | 'busy' | 'contradicted'>,
): MatchedClaims {
  const byKey = new Map(claimed.map((claim) => [keyOf(claim), claim]));
  const truths = new Map(contradicted.map((contradiction) => [keyOf(contradiction), contradiction.truth]));
  const busyKeys = new Set(busy.map(keyOf));
  const matched: MatchedClaims = { ours: [], others: [], busy: [], contradicted: [] };
  for (const queued of claims) {
    const key = keyOf(queued);
    const claim = byKey.get(key);
    // If a step was queued twice, only one entry is served.
    byKey.delete(key);
    const truth = truths.get(key);
    // If a step was queued twice, the ledger has compared only the first entry.
    truths.delete(key);
    if (truth !== undefined) matched.contradicted.push({ queued, truth });
    if (claim) matched.ours.push({ queued, claim, contradicted: truth });
    else if (busyKeys.delete(key)) matched.busy.push(queued);
    else matched.others.push(queued);
  }
  return matched;
}

function keyOf({ feedId, batchNo, step }: StepRef): string {
  return `${feedId}/${batchNo}/${step}`;
}
