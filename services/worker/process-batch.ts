import { requestKey } from '../../shared/domain/batch.ts';
import type { BatchEndpoint } from './ports/batch-endpoint.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { StepResult } from '../../shared/ports/step-ledger.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import { readAnswer, type Reading } from './answers/read-answer.ts';
import type { FeedDirectory } from './feed-directory.ts';
import { nobodyResult, resultOf, releasedResult, unknownResult, withheldResult } from './step-result.ts';
import type { Work } from './work.ts';

/** Within this time from its first call, a batch that was answered incompletely is asked for once more. */
const localBudgetMs = 2000;
/** What a call may take beyond its time-out: the deadline is looked at now and then. */
const callMarginMs = 250;

export interface ProcessBatchDeps {
  directory: FeedDirectory;
  endpoint: BatchEndpoint;
  bodyOf: (work: Work) => Buffer;
  leaseMs: number;
  clock: Clock;
  /** In [0, 1). */
  random: () => number;
  logger: Logger;
}

/** One step of one batch: W3 and W4 of the protocol. What comes back is recorded, forwarded and acknowledged by the flush. */
export async function processBatch(work: Work, deps: ProcessBatchDeps): Promise<StepResult> {
  const refusal = await refusalOf(work, deps);
  if (refusal) return refusal;

  const startedMs = deps.clock.monotonicMs();
  const reading = await callEndpoint(work, work.claim.epoch, deps);
  const complete = reading.kind !== 'reported' || reading.missing.length === 0;
  const again = complete || !canRepeat(work, startedMs, deps) ? reading : await callOnceMore(work, reading, deps);

  return resultOf(work, again, deps.random());
}

/** W3: why the call must not be made now, as the record to write instead. */
async function refusalOf(work: Work, deps: ProcessBatchDeps): Promise<StepResult | null> {
  if (work.count === 0) return nobodyResult(work);
  if (work.claim.attempts >= work.type.maxAttempts) return unknownResult(work, null);
  const known = deps.directory.verdictOf(work.claim.feedId);
  const verdict = typeof known === 'string' ? known : await known;
  if (verdict === 'hold') return releasedResult(work);
  if (verdict === 'expire') return withheldResult(work, 'expired');
  if (verdict === 'cancel') return withheldResult(work, 'cancelled');
  return leaseOutlastsCall(work, deps) ? null : releasedResult(work);
}

function leaseOutlastsCall({ claimedAtMs, type }: Work, { clock, leaseMs }: ProcessBatchDeps): boolean {
  return claimedAtMs + leaseMs - clock.monotonicMs() > type.timeoutMs + callMarginMs;
}

function canRepeat(work: Work, startedMs: number, deps: ProcessBatchDeps): boolean {
  return deps.clock.monotonicMs() - startedMs < localBudgetMs && leaseOutlastsCall(work, deps);
}

/**
 * W4: one HTTP call for the whole batch; never throws.
 * @param attempt how often the key was sent, this time included. Each claim sends it, so its epoch counts them: calls that were not applied,
 *   which use up no attempt, as well.
 */
async function callEndpoint(work: Work, attempt: number, deps: ProcessBatchDeps): Promise<Reading> {
  const { endpoint, bodyOf, logger } = deps;
  const { feedId, batchNo, step } = work.claim;
  const answer = await endpoint.call({
    actionType: work.actionType,
    idempotencyKey: requestKey(feedId, batchNo, step),
    attempt,
    body: bodyOf(work),
  });
  const reading = readAnswer(work.type.answerForm, work, answer);
  if (reading.kind === 'reported' && reading.unexpected > 0) {
    logger.warn(
      { feedId, batchNo, step, unexpected: reading.unexpected },
      'an answer tells of users that were not asked for',
    );
  }
  return reading;
}

/** The same call again, because users were left out. Without an answer that tells of more of them, the first one stands. */
async function callOnceMore(work: Work, first: Reading, deps: ProcessBatchDeps): Promise<Reading> {
  const second = await callEndpoint(work, work.claim.epoch + 1, deps);
  if (first.kind !== 'reported' || second.kind !== 'reported') return first;
  const stillMissing = new Set(second.missing);
  const missingAtFirst = new Set(first.missing);
  return {
    kind: 'reported',
    failed: [...first.failed, ...second.failed.filter(({ id }) => missingAtFirst.has(id))],
    missing: first.missing.filter((id) => stillMissing.has(id)),
    unexpected: first.unexpected + second.unexpected,
  };
}
