import type { AttemptResult, UserExplanation } from '../../../../shared/contracts/runs/explanations.ts';
import { requestKey } from '../../../../shared/domain/step/batch.ts';
import { reasons } from '../../../../shared/domain/step/reasons.ts';
import { publicId } from '../../../../shared/domain/ids/ids.ts';
import type { CampaignReach } from '../../../../shared/domain/scopes.ts';
import type { CountedEffect, HistoryAttempt, HistoryBatch, HistoryStep, UserPlace } from './postgres/user-histories.ts';

type ExplainedStep = UserExplanation['steps'][number];
type ExplainedAttempt = ExplainedStep['attempts'][number];

/**
 * Returns the outcome of a user in each step of the chain, from the step with which the user began.
 * @param mayRead returns true if the caller may read a campaign
 */
export function explainSteps(
  place: UserPlace,
  chain: readonly { action: string }[],
  mayRead: (reach: CampaignReach) => boolean,
): ExplainedStep[] {
  return outcomesOf(place, chain).map((line) => ({
    ...line,
    receipt: receiptOf(place, line.step),
    ...(line.reason === reasons.cap && { counted: place.counted.map((effect) => countedView(effect, mayRead)) }),
  }));
}

function countedView(effect: CountedEffect, mayRead: (reach: CampaignReach) => boolean) {
  const { runId, campaignId, campaignName, step, action, at } = effect;
  const isReadable = mayRead(effect);
  return {
    runId: isReadable ? publicId('run', runId) : null,
    campaignId: isReadable ? publicId('campaign', campaignId) : null,
    campaignName: isReadable ? campaignName : null,
    step,
    action,
    at: at.toISOString(),
  };
}

function receiptOf({ receipts }: UserPlace, step: number): ExplainedStep['receipt'] {
  const found = receipts.find((each) => each.step === step);
  if (!found) return null;
  const { delivered, code, at, receivedAt } = found;
  const status = delivered ? 'delivered' : 'undelivered';
  return { status, code, at: at.toISOString(), receivedAt: receivedAt.toISOString() };
}

function outcomesOf(place: UserPlace, chain: readonly { action: string }[]): ExplainedStep[] {
  const lines: ExplainedStep[] = [];
  let entered = place.batches.at(0);
  for (const [index, { action }] of chain.entries()) {
    const step = index + 1;
    if (step < place.fromStep) continue;
    const before = lines.at(-1);
    const named = { ...unstarted, step, action };
    if (before && !hasContinued(before)) {
      lines.push({ ...named, outcome: outcomeAfter(before.outcome) });
      continue;
    }
    if (place.unsendable) {
      lines.push({ ...named, ...failureFields(place.unsendable) });
      continue;
    }
    const tried = batchesOf(step, entered, place.batches);
    lines.push({ ...named, ...stepFields(place.feedId, step, tried) });
    entered = tried.at(-1);
  }
  return lines;
}

const unstarted = {
  reason: null,
  detail: null,
  endedAt: null,
  waitsFor: null,
  nextAttemptAt: null,
  receipt: null,
  attempts: [],
};

/**
 * Returns true if the user continued with the next step. A user whose outcome was settled as succeeded after the run
 * did not continue.
 */
function hasContinued({ outcome, reason }: ExplainedStep): boolean {
  return outcome === 'succeeded' && reason === null;
}

function outcomeAfter(outcome: ExplainedStep['outcome']): ExplainedStep['outcome'] {
  if (outcome === 'pending' || outcome === 'cancelled' || outcome === 'heldOut') return outcome;
  return 'skipped';
}

/** Returns the batch in which the user entered the step, followed by the chain of child batches within the step. */
function batchesOf(step: number, entered: HistoryBatch | undefined, batches: readonly HistoryBatch[]): HistoryBatch[] {
  if (!entered) return [];
  const child = batches.find(({ parent, fromStep }) => parent === entered.batchNo && fromStep === step);
  return [entered, ...batchesOf(step, child, batches)];
}

function stepFields(
  feedId: string,
  step: number,
  tried: readonly HistoryBatch[],
): Omit<ExplainedStep, 'step' | 'action'> {
  const rows = tried.flatMap(({ batchNo, steps }) => {
    const row = steps.find((each) => each.step === step);
    return row ? [{ batchNo, row }] : [];
  });
  const last = tried.at(-1)?.steps.find((each) => each.step === step);
  const earlier = rows.flatMap(({ batchNo, row }) =>
    row.attempts.filter(isOfUser).map((attempt) => ({ ...earlierAttempt(attempt), batchNo })),
  );
  const final = last ? finalAttempt(last, tried.at(-1)?.batchNo ?? 0) : [];
  const attempts = [...earlier, ...final].map((attempt, index) => ({
    attempt: index + 1,
    ...attempt,
    idempotencyKey: requestKey(feedId, attempt.batchNo, step),
  }));
  return { ...outcomeFields(last), attempts };
}

function outcomeFields(row: HistoryStep | undefined): Omit<ExplainedStep, 'step' | 'action' | 'attempts'> {
  if (!row) return { ...unstarted, outcome: 'pending' };
  if (row.state !== 'done') {
    const waitsFor = row.cause ?? (row.state === 'running' ? 'its call' : null);
    return { ...unstarted, outcome: 'pending', waitsFor, nextAttemptAt: row.nextAttemptAt?.toISOString() ?? null };
  }
  if (row.failure) return failureFields(row.failure);
  return { ...unstarted, outcome: row.rest ?? 'pending', endedAt: row.endedAt?.toISOString() ?? null };
}

function failureFields({ outcome, reason, detail, failedAt }: NonNullable<HistoryStep['failure']>) {
  return { ...unstarted, outcome, reason, detail, endedAt: failedAt.toISOString() };
}

/**
 * Returns false for an answer that contained results of other users only. For this user, that call is the final call,
 * which `finalAttempt` returns.
 */
function isOfUser({ reading, code }: HistoryAttempt): boolean {
  return reading !== 'reported' || code !== null;
}

type UnnumberedAttempt = Omit<ExplainedAttempt, 'attempt' | 'idempotencyKey'>;

function earlierAttempt({ at, reading, cause, code, detail }: HistoryAttempt): Omit<UnnumberedAttempt, 'batchNo'> {
  return { at: at.toISOString(), result: resultOf(reading, code), code, message: detail ?? cause };
}

function resultOf(reading: HistoryAttempt['reading'], code: string | null): AttemptResult {
  if (reading !== 'reported') return reading;
  return code === reasons.noResult ? 'missing' : 'retryable';
}

/** Reasons of failures without a call, for which there is no attempt to show. */
const withoutCall: readonly string[] = [reasons.invalidUserId, reasons.quarantined];

/** Returns the call that decided the outcome, with the time at which its result was recorded. */
function finalAttempt({ state, endedAt, rest, failure }: HistoryStep, batchNo: number): UnnumberedAttempt[] {
  if (state !== 'done') return [];
  if (failure) {
    if (withoutCall.includes(failure.reason)) return [];
    const { outcome, reason, detail, failedAt } = failure;
    // The user was suppressed by a rule before any call, so there is no call to show.
    if (outcome === 'suppressed') return [];
    const call = { at: failedAt.toISOString(), batchNo };
    // The outcome was settled later, by a person or the status endpoint. The result of the call itself was unknown.
    if (outcome === 'succeeded') return [{ ...call, result: 'unknown', code: null, message: null }];
    return [{ ...call, result: outcome, code: reason, message: detail }];
  }
  const isCalled = rest === 'succeeded' && endedAt !== null;
  return isCalled ? [{ at: endedAt.toISOString(), batchNo, result: 'succeeded', code: null, message: null }] : [];
}
