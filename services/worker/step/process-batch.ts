import { wholeAnswerSettles, type ContractClass } from '../../../shared/domain/step/consequences.ts';
import { aloneFromLapses } from '../../../shared/domain/step/suspects.ts';
import { isRefusedTooOften } from '../../../shared/domain/step/refusals.ts';
import type { StepBegin, StepResult } from '../../../shared/ports/step-ledger.ts';
import { askStatus } from '../call/ask-status.ts';
import type { ServedCall } from '../slots/call-slots.ts';
import type { Admission } from '../claims/feed-directory.ts';
import type { HeldSteps } from './held-steps.ts';
import { noteAttempt } from './note-attempt.ts';
import { isAnswer, leaseOutlastsCall, readEndpoint, type ReadEndpointDeps } from '../call/read-endpoint.ts';
import type { RetryBudget } from '../slots/retry-budget.ts';
import type { SuspectGate } from './suspect-gate.ts';
import { beginTrial, endProbe } from './refusal-trials.ts';
import {
  budgetResult,
  classOf,
  heldResult,
  nobodyResult,
  refusedResult,
  releasedResult,
  resultOf,
  suspectResult,
  mayStillBeApplied,
  unknownResult,
  untilAppliedResult,
  withheldResult,
  type FinalReading,
  type ResultTerms,
} from './step-result.ts';
import type { FinishedStep, Refusal, Work } from '../work.ts';

/** What is put back is written a flush later, and counts its wait from there. */
const flushMarginMs = 100;

export interface ProcessBatchDeps extends ReadEndpointDeps {
  heldSteps: HeldSteps;
  /** Marks that the call of a step begins whose lease lapsed before. False when the step is another's by now. */
  markBegun: (begin: StepBegin) => Promise<boolean>;
  /** One suspect at a time. */
  suspects: SuspectGate;
  /** Of the shard with this topic. */
  retryBudgetOf: (topic: string) => RetryBudget;
  /** In [0, 1). */
  random: () => number;
}

/** What became of a claimed step, and of those that waited for it. */
export interface Processed {
  /** To be recorded. Empty where the step waits for a trial, or is another's by now. */
  finished: readonly FinishedStep[];
  /** Waited for a trial, and can be called now. */
  again: readonly Work[];
  /** Null when no call was made. */
  call: ServedCall | null;
}

/** One step of one batch: W3 and W4 of the protocol. What comes back is recorded, forwarded and acknowledged by the worker's turn. */
export async function processBatch(work: Work, deps: ProcessBatchDeps): Promise<Processed> {
  const known = deps.directory.admissionOf(work.claim.feedId);
  const admission = known instanceof Promise ? await known : known;
  const refusal = refusalOf(work, admission, deps);
  if (refusal) return afterProbe(work, withoutCall(work, refusal), admission, deps);
  if (work.standing.trial && !work.isProbe) {
    work.standing.trial.parked.push(work);
    return nothing;
  }
  const mayCall = work.isProbe || deps.heldSteps.mayCall(work.standing);
  if (!(mayCall instanceof Promise ? await mayCall : mayCall)) return withoutCall(work, heldResult(work));
  if (work.claim.lapses < aloneFromLapses) return callFor(work, admission, deps);
  if (!deps.suspects.enter())
    return afterProbe(work, withoutCall(work, suspectResult(work, deps.random())), admission, deps);
  try {
    return await callFor(work, admission, deps);
  } finally {
    deps.suspects.leave();
  }
}

/** The call itself, and what it means. */
async function callFor(work: Work, admission: Admission, deps: ProcessBatchDeps): Promise<Processed> {
  // Before anything is taken from the budget: a question is no call.
  if (work.claim.open && classOf(work, deps.clock.now().getTime()) === 'C') {
    const asked = await askStatus(work, () => termsOf(admission, deps), deps);
    if (asked.kind === 'record') return afterProbe(work, withoutCall(work, asked.result), admission, deps);
    // The question took its time: whether the call may be made is asked anew, its key is closed now.
    return processBatch(asked.work, deps);
  }
  const budget = deps.retryBudgetOf(work.topic);
  const nowMs = deps.clock.monotonicMs();
  const isAgain = isRetry(work);
  const taken = isAgain ? budget.take(nowMs) : null;
  if (!isAgain) budget.onCall(nowMs);
  else if (taken === null) {
    const waiting = budgetResult(work, termsOf(admission, deps));
    return afterProbe(work, withoutCall(work, waiting), admission, deps);
  }
  if (work.claim.lapses > 0) {
    if (!(await deps.markBegun(work.claim))) return afterProbe(work, nothing, admission, deps);
    // Writing the mark may take as long as the database likes.
    const late = refusalOf(work, await deps.directory.admissionOf(work.claim.feedId), deps);
    if (late) return afterProbe(work, withoutCall(work, late), admission, deps);
  }

  const reading = await readEndpoint(work, budget, deps);
  if (taken !== null && isAnswer(reading)) budget.giveBack(taken);
  const isOrdinary = reading.kind === 'reported' && work.standing.hold === null;
  // The usual way does not wait for anything.
  const processed = isOrdinary
    ? recorded(work, reading, admission, deps)
    : await conclude(work, reading, admission, deps);
  for (const { result } of processed.finished) noteAttempt(result, reading);
  return work.isProbe ? afterProbe(work, processed, admission, deps) : processed;
}

/** A call for these users met something before, or may have. */
function isRetry({ claim }: Work): boolean {
  return claim.attempts > 0 || claim.open;
}

const nothing: Processed = { finished: [], again: [], call: null };

function withoutCall(work: Work, result: StepResult): Processed {
  return { finished: [{ work, result }], again: [], call: null };
}

/** W3: why the call must not be made now, as the result to record instead. */
function refusalOf(work: Work, { verdict, deadlineAtMs }: Admission, deps: ProcessBatchDeps): StepResult | null {
  if (work.count === 0) return nobodyResult(work);
  if (verdict === 'hold') return releasedResult(work);
  if (verdict === 'cancel') return withheldResult(work, 'cancelled');
  if (verdict === 'expire' || deadlineAtMs <= deps.clock.monotonicMs()) return withheldResult(work, 'expired');
  if (work.claim.open) {
    const settledBy = settlingOf(classOf(work, deps.clock.now().getTime()));
    if (settledBy === 'nothing') return unknownResult(work, unsettledCause(work));
    if (settledBy === 'status' && mayStillBeApplied(work)) return untilAppliedResult(work);
  }
  return leaseOutlastsCall(work, deps) ? null : releasedResult(work);
}

/** What can still tell what a call did whose answer was lost. */
function settlingOf(of: ContractClass): 'answer' | 'status' | 'nothing' {
  if (wholeAnswerSettles(of)) return 'answer';
  return of === 'C' ? 'status' : 'nothing';
}

function unsettledCause({ type }: Work): string {
  return type.class === 'D' ? 'the call was lost with its worker' : 'the endpoint has forgotten its key';
}

/** What the answer says, as the result to record. */
function recorded(work: Work, reading: FinalReading, admission: Admission, deps: ProcessBatchDeps): Processed {
  if (reading.kind === 'reported') work.standing.isAccepted = true;
  const result = resultOf(work, reading, termsOf(admission, deps));
  return { finished: [{ work, result }], again: [], call: servedCallOf(work, reading) };
}

/** What the answer says of the step as a whole: it is held no longer, a person has to act, or nobody was ever accepted. */
async function conclude(
  work: Work,
  reading: FinalReading,
  admission: Admission,
  deps: ProcessBatchDeps,
): Promise<Processed> {
  const { standing, actionType } = work;
  if (reading.kind === 'reported' && standing.hold) await deps.heldSteps.lift(standing);
  if (reading.kind === 'misconfigured') {
    const advice = `${actionType} refuses the call: check its configuration and the parameters of this step`;
    await deps.heldSteps.hold(standing, `${reading.cause} (${advice})`);
  }
  if (reading.kind === 'refused' && !reading.tooLarge && !work.claim.open) {
    const processed = await concludeRefusal(work, reading, termsOf(admission, deps), deps);
    return { ...processed, call: servedCallOf(work, reading) };
  }
  return recorded(work, reading, admission, deps);
}

/** People or parameters? As long as nobody was ever accepted in the step, single users are tried first. */
async function concludeRefusal(
  work: Work,
  refusal: Refusal,
  terms: ResultTerms,
  { heldSteps }: ProcessBatchDeps,
): Promise<Processed> {
  const { standing } = work;
  if (!standing.isAccepted) {
    if (standing.trial) {
      (work.isProbe ? standing.trial.refusedAlone : standing.trial.refused).push({ work, refusal });
      return nothing;
    }
    if (work.count > 1) return { ...nothing, finished: [beginTrial(work)] };
    // With one user, trying another cannot show whether the parameters are wrong: but they were refused before.
    if (standing.hold) {
      await heldSteps.hold(standing, standing.hold.cause);
      return withoutCall(work, heldResult(work));
    }
  }
  if (work.count === 1) {
    standing.refusedSince++;
    const refused = standing.refused + standing.refusedSince - standing.refusedAtLift;
    if (isRefusedTooOften({ succeeded: standing.succeeded, refused }, work.type.refusedPercentLimit)) {
      await heldSteps.hold(standing, `${refusal.cause} (the endpoint refused ${refused} users of this step)`);
      return withoutCall(work, heldResult(work));
    }
  }
  return withoutCall(work, refusedResult(work, refusal, terms));
}

/** Whatever became of a user that was tried alone, the others wait for it. No effect for other works. */
export async function afterProbe(
  work: Work,
  processed: Processed,
  admission: Admission,
  deps: ProcessBatchDeps,
): Promise<Processed> {
  if (!work.isProbe) return processed;
  const { finished, again } = await endProbe(work, { heldSteps: deps.heldSteps, terms: termsOf(admission, deps) });
  return {
    finished: [...processed.finished, ...finished],
    again: [...processed.again, ...again],
    call: processed.call,
  };
}

function termsOf({ deadlineAtMs }: Admission, { clock, random }: ProcessBatchDeps): ResultTerms {
  return {
    random: random(),
    nowMs: clock.now().getTime(),
    deadlineInMs: deadlineAtMs - clock.monotonicMs() - flushMarginMs,
  };
}

const answered: ServedCall = { end: 'answered', cause: '', pressure: null, retryAfterMs: null };

function servedCallOf({ actionType, context }: Work, reading: FinalReading): ServedCall {
  if (reading.kind === 'reported' || reading.kind === 'refused') return answered;
  const end = reading.kind === 'misconfigured' ? 'misconfigured' : 'unanswered';
  const pressure = reading.kind === 'misconfigured' ? null : (reading.pressure ?? null);
  const retryAfterMs = reading.kind === 'not-applied' ? reading.retryAfterMs : null;
  return { end, cause: `${actionType} in ${context.country}: ${reading.cause}`, pressure, retryAfterMs };
}
