import { requestKey } from '../../shared/domain/batch.ts';
import type { BatchEndpoint } from './ports/batch-endpoint.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { StepRecord } from '../../shared/ports/step-ledger.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import { readAnswer, type Reading } from './answers/read-answer.ts';
import type { FeedDirectory } from './feed-directory.ts';
import { nobodyRecord, recordOf, releasedRecord, unknownRecord, withheldRecord } from './record-of.ts';
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
export async function processBatch(work: Work, deps: ProcessBatchDeps): Promise<StepRecord> {
  const refusal = await refusalOf(work, deps);
  if (refusal) return refusal;

  const startedMs = deps.clock.monotonicMs();
  const reading = await callEndpoint(work, work.claim.epoch, deps);
  const complete = reading.kind !== 'told' || reading.untold.length === 0;
  const again = complete || !canRepeat(work, startedMs, deps) ? reading : await callOnceMore(work, reading, deps);

  return recordOf(work, again, deps.random());
}

/** W3: why the call must not be made now, as the record to write instead. */
async function refusalOf(work: Work, deps: ProcessBatchDeps): Promise<StepRecord | null> {
  if (work.count === 0) return nobodyRecord(work);
  if (work.claim.attempt > work.type.maxAttempts) return unknownRecord(work, null);
  const known = deps.directory.verdictOf(work.context.run);
  const verdict = typeof known === 'string' ? known : await known;
  if (verdict === 'hold') return releasedRecord(work);
  if (verdict === 'expire') return withheldRecord(work, 'expired');
  if (verdict === 'cancel') return withheldRecord(work, 'cancelled');
  return leaseOutlastsCall(work, deps) ? null : releasedRecord(work);
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
  const { feed, batchNo, step } = work.claim;
  const answer = await endpoint.call({
    actionType: work.actionType,
    idempotencyKey: requestKey(feed, batchNo, step),
    attempt,
    body: bodyOf(work),
  });
  const reading = readAnswer(work.type.answerForm, work, answer);
  if (reading.kind === 'told' && reading.strangers > 0) {
    logger.warn(
      { feed, batchNo, step, strangers: reading.strangers },
      'an answer tells of users that were not asked for',
    );
  }
  return reading;
}

/** The same call again, because users were left out. Without an answer that tells of more of them, the first one stands. */
async function callOnceMore(work: Work, first: Reading, deps: ProcessBatchDeps): Promise<Reading> {
  const second = await callEndpoint(work, work.claim.epoch + 1, deps);
  if (first.kind !== 'told' || second.kind !== 'told') return first;
  const stillUntold = new Set(second.untold);
  const untoldAtFirst = new Set(first.untold);
  return {
    kind: 'told',
    failed: [...first.failed, ...second.failed.filter(({ id }) => untoldAtFirst.has(id))],
    untold: first.untold.filter((id) => stillUntold.has(id)),
    strangers: first.strangers + second.strangers,
  };
}
