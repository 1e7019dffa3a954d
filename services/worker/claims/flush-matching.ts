import type { Contradiction, LedgerFlushed, StepRef, StepResult } from '../../../shared/ports/step-ledger.ts';
import { childWorks, type Claimed } from './prepare-work.ts';
import type { FinishedStep, QueuedStep, Work } from '../step/work.ts';

/** What became of the results of a flush. */
export interface MatchedResults {
  recorded: FinishedStep[];
  /** Of those, whose next step is ours. */
  handedOn: ReadonlySet<StepResult>;
  /** Taken over by another worker, or refused by the store: not ours any more. */
  lost: FinishedStep[];
  /** Batches that were split and go on at once. */
  children: Work[];
  /** Split as well, but their children are left to their leases. */
  childless: FinishedStep[];
}

/** @param flushedAtMs when the flush was asked for, by the clock's `monotonicMs` */
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
  /** Done, or another worker's. */
  others: QueuedStep[];
  /** To be claimed again. */
  busy: QueuedStep[];
  /** Ours or not: the rows say something else than their message. */
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
    // The same step may have been queued twice: only one of them is to be served.
    byKey.delete(key);
    const truth = truths.get(key);
    // As with the claim, the first one is what the ledger has seen.
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
