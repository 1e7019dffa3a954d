import { aloneFromLapses } from '../../../shared/domain/step/suspects.ts';
import type { StepBegin } from '../../../shared/ports/step-ledger.ts';
import { classOf } from '../call/contract-class.ts';
import type { Reading } from '../call/read-answer.ts';
import { readEndpoint, type FinalReading, type ReadEndpointDeps } from '../call/read-endpoint.ts';
import type { Admission } from '../claims/feed-directory.ts';
import type { ServedCall } from '../slots/learn-from-call.ts';
import { askStatus } from './ask-status.ts';
import { refusalOf, resultWithoutCall, type NoCall } from './before-call.ts';
import { conclude } from './conclude.ts';
import type { HeldSteps } from './held-steps.ts';
import { isHeldByHours, quietResult, type QuietHours } from './quiet-hours.ts';
import { noteAttempt } from './note-attempt.ts';
import type { RefusalCounts } from './refusal-counts.ts';
import { endProbe } from './refusal-trials.ts';
import { resultOf } from './result-of-answer.ts';
import type { SuspectGate } from './suspect-gate.ts';
import type { ResultTerms } from './waiting-result.ts';
import type { FinishedStep, Work } from '../work.ts';

/** What is put back is written a flush later, and counts its wait from there. */
const flushMarginMs = 100;

export interface ProcessBatchDeps extends ReadEndpointDeps {
  heldSteps: HeldSteps;
  refusalCounts: RefusalCounts;
  quietHours: Pick<QuietHours, 'of'>;
  /** Marks that the call of a step begins whose lease lapsed before. False when the step is another's by now. */
  markBegun: (begin: StepBegin) => Promise<boolean>;
  /** One suspect at a time. */
  suspects: SuspectGate;
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

const nothing: Processed = { finished: [], again: [], call: null };

/**
 * One step of one batch: W3 and W4 of the protocol. What comes back is recorded, forwarded and acknowledged by the
 * worker's turn. What is known at once is not awaited: of the usual step, only the call is.
 */
export async function processBatch(work: Work, deps: ProcessBatchDeps): Promise<Processed> {
  const known = deps.directory.admissionOf(work.claim.feedId);
  const admission = known instanceof Promise ? await known : known;
  const refusal = refusalOf(work, admission, deps);
  if (refusal) return withoutCall(work, refusal, admission, deps);
  const quiet = deps.quietHours.of(work.actionType, work.context.country);
  if (quiet) {
    const result = await quietResult(work, quiet, deps);
    return afterProbe(work, { ...nothing, finished: [{ work, result }] }, admission, deps);
  }
  if (isHeldByHours(work)) await deps.heldSteps.lift(work.standing);
  if (work.standing.trial && !work.isProbe) {
    work.standing.trial.parked.push(work);
    return nothing;
  }
  const mayCall = work.isProbe || deps.heldSteps.mayCall(work.standing);
  if (!(mayCall instanceof Promise ? await mayCall : mayCall)) {
    return withoutCall(work, { kind: 'held' }, admission, deps);
  }
  if (work.claim.lapses < aloneFromLapses) return callFor(work, admission, deps);
  if (!deps.suspects.enter()) return withoutCall(work, { kind: 'suspect' }, admission, deps);
  try {
    return await callFor(work, admission, deps);
  } finally {
    deps.suspects.leave();
  }
}

/** Ends the step before its call, or lets it go on. Null at once where it has nothing to do. */
type Check = (work: Work, admission: Admission, deps: ProcessBatchDeps) => Promise<Processed | null> | null;

/** In this order: a question may close the key, and takes its time; a mark is written only for a call that follows. */
const lastChecks: readonly Check[] = [askedFirst, markedAsBegun];

/** The call itself, and what it means. */
async function callFor(work: Work, admission: Admission, deps: ProcessBatchDeps): Promise<Processed> {
  for (const check of lastChecks) {
    const checking = check(work, admission, deps);
    const ended = checking && (await checking);
    if (ended) return ended;
  }
  const reading = await readEndpoint(work, deps);
  const isOrdinary = reading.kind === 'reported' && work.standing.hold === null;
  const concluded = isOrdinary ? null : await conclude(work, reading, deps);
  const finished = concluded ?? recorded(work, reading, admission, deps);
  for (const { result } of finished) noteAttempt(result, reading);
  const processed = { finished, again: [], call: servedCallOf(work, reading) };
  return work.isProbe ? afterProbe(work, processed, admission, deps) : processed;
}

/** Class C, with an open key: the endpoint is asked what the lost call did. */
function askedFirst(work: Work, admission: Admission, deps: ProcessBatchDeps): Promise<Processed | null> | null {
  const isAsked = work.claim.open && classOf(work, deps.clock.now().getTime()) === 'C';
  return isAsked ? asked(work, admission, deps) : null;
}

async function asked(work: Work, admission: Admission, deps: ProcessBatchDeps): Promise<Processed> {
  const status = await askStatus(work, () => termsOf(admission, deps), deps);
  // The question took its time: whether the call may be made is asked anew, its key is closed now.
  if (status.kind === 'call') return processBatch(status.work, deps);
  return afterProbe(work, { ...nothing, finished: [{ work, result: status.result }] }, admission, deps);
}

/**
 * A step whose lease lapsed before, or that was checked: that it is called is written first, so that one more lapse is
 * known for certain.
 */
function markedAsBegun(work: Work, admission: Admission, deps: ProcessBatchDeps): Promise<Processed | null> | null {
  return work.claim.lapses !== 0 ? marked(work, admission, deps) : null;
}

async function marked(work: Work, admission: Admission, deps: ProcessBatchDeps): Promise<Processed | null> {
  if (!(await deps.markBegun(work.claim))) return afterProbe(work, nothing, admission, deps);
  // Writing the mark may take as long as the database likes.
  const late = refusalOf(work, await deps.directory.admissionOf(work.claim.feedId), deps);
  return late && withoutCall(work, late, admission, deps);
}

/** What the answer says, as the result to record. */
function recorded(work: Work, reading: FinalReading, admission: Admission, deps: ProcessBatchDeps): FinishedStep[] {
  if (reading.kind === 'reported') work.standing.isAccepted = true;
  return [{ work, result: resultOf(work, reading, termsOf(admission, deps)) }];
}

function withoutCall(work: Work, why: NoCall, admission: Admission, deps: ProcessBatchDeps): Promise<Processed> {
  const result = resultWithoutCall(work, why, deps);
  return afterProbe(work, { ...nothing, finished: [{ work, result }] }, admission, deps);
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

export function termsOf(
  { deadlineAtMs }: Admission,
  { clock, random }: Pick<ProcessBatchDeps, 'clock' | 'random'>,
): ResultTerms {
  return {
    random: random(),
    nowMs: clock.now().getTime(),
    deadlineInMs: deadlineAtMs - clock.monotonicMs() - flushMarginMs,
  };
}

const answered: ServedCall = { end: 'answered', cause: '', pressure: null, retryAfterMs: null };

export function servedCallOf({ actionType, context }: Work, reading: Reading): ServedCall {
  if (reading.kind === 'reported' || reading.kind === 'refused') return answered;
  const end = reading.kind === 'misconfigured' ? 'misconfigured' : 'unanswered';
  const pressure = reading.kind === 'misconfigured' ? null : (reading.pressure ?? null);
  const retryAfterMs = reading.kind === 'not-applied' ? reading.retryAfterMs : null;
  return { end, cause: `${actionType} in ${context.country}: ${reading.cause}`, pressure, retryAfterMs };
}
