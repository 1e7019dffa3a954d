import type { StepBegin, StepResult } from '../../../shared/ports/step-ledger.ts';
import type { FinalReading, Reading } from '../endpoint/read-answer.ts';
import { readEndpoint, type ReadEndpointDeps } from './read-endpoint.ts';
import type { Admission } from '../claims/feed-directory.ts';
import type { CallDeps } from '../gates/gate.ts';
import { callGates, lateGates, passGates } from '../gates/gates.ts';
import { isSuspect } from '../gates/suspect.ts';
import type { ServedCall } from '../slots/learn-from-call.ts';
import { askStatus } from './ask-status.ts';
import { conclude, endProbe, noteAttempt } from './conclude.ts';
import type { RefusalCounts } from '../step/refusal-counts.ts';
import { type ResultTerms, resultOfAnswer } from '../step/step-results.ts';
import { classOf, type FinishedStep, type Work } from '../step/work.ts';

/** Milliseconds by which a waiting step is written later, in the next flush; its delay counts from there. */
const flushMarginMs = 100;

export interface ProcessBatchDeps extends ReadEndpointDeps, CallDeps {
  refusalCounts: RefusalCounts;
  /** Marks the begin of a call whose lease lapsed before. Returns false if another worker has the step by now. */
  markBegun: (begin: StepBegin) => Promise<boolean>;
}

export interface Processed {
  /** Steps to record. Empty if the step waits for a trial, or if another worker has it by now. */
  finished: readonly FinishedStep[];
  /** Works that waited for a trial and can be called now. */
  again: readonly Work[];
  /** Null if no call was made. */
  call: ServedCall | null;
}

const nothing: Processed = { finished: [], again: [], call: null };

/**
 * Processes one step of one batch: W3 and W4 of the protocol. The worker's turn records, forwards and acknowledges the
 * result. Values that are known at once are not awaited: for an ordinary step, only the call is.
 */
export async function processBatch(work: Work, deps: ProcessBatchDeps): Promise<Processed> {
  const known = deps.directory.admissionOf(work.claim.feedId);
  const admission = known instanceof Promise ? await known : known;
  const passing = passGates(callGates, work, admission, deps);
  const ruling = passing instanceof Promise ? await passing : passing;
  if (ruling === 'trial') return nothing;
  if (ruling !== null) {
    deps.suspects.leave(work);
    return withoutCall(work, ruling, admission, deps);
  }
  if (!isSuspect(work)) return callFor(work, admission, deps);
  try {
    return await callFor(work, admission, deps);
  } finally {
    deps.suspects.leave(work);
  }
}

/** Last check before a call: a result ends the step. Null without a promise means nothing to do. */
type Check = (work: Work, admission: Admission, deps: ProcessBatchDeps) => Promise<Processed | null> | null;

/** The order matters: a status request may close the key, and takes time; a mark needs a call to follow. */
const lastChecks: readonly Check[] = [statusFirst, markedAsBegun];

async function callFor(work: Work, admission: Admission, deps: ProcessBatchDeps): Promise<Processed> {
  for (const check of lastChecks) {
    const checking = check(work, admission, deps);
    const ended = checking && (await checking);
    if (ended) return ended;
  }
  const reading = await readEndpoint(work, deps);
  const isOrdinary = reading.kind === 'reported' && work.standing.fault.current === null;
  const concluded = isOrdinary ? null : await conclude(work, reading, deps);
  const finished = concluded ?? recorded(work, reading, admission, deps);
  for (const { result } of finished) noteAttempt(result, reading);
  const processed = { finished, again: [], call: servedCallOf(work, reading) };
  return work.isProbe ? afterProbe(work, processed, admission, deps) : processed;
}

/** Requests the status of a lost call first, for class C with an open key. */
function statusFirst(work: Work, admission: Admission, deps: ProcessBatchDeps): Promise<Processed | null> | null {
  const needsStatus = work.claim.open && classOf(work, deps.clock.now().getTime()) === 'C';
  return needsStatus ? afterStatus(work, admission, deps) : null;
}

async function afterStatus(work: Work, admission: Admission, deps: ProcessBatchDeps): Promise<Processed> {
  const result = await askStatus(work, () => termsOf(admission, deps), deps);
  if (result) return withoutCall(work, result, admission, deps);
  // The status request took time: the gates are evaluated again, and the key is closed now.
  return processBatch({ ...work, claim: { ...work.claim, open: false } }, deps);
}

/** Writes the begin of the call first, if a lease lapsed before or a check ran: a further lapse is then certain. */
function markedAsBegun(work: Work, admission: Admission, deps: ProcessBatchDeps): Promise<Processed | null> | null {
  return work.claim.lapses !== 0 ? marked(work, admission, deps) : null;
}

async function marked(work: Work, admission: Admission, deps: ProcessBatchDeps): Promise<Processed | null> {
  if (!(await deps.markBegun(work.claim))) return afterProbe(work, nothing, admission, deps);
  // Writing the mark may take long.
  const late = await passGates(lateGates, work, await deps.directory.admissionOf(work.claim.feedId), deps);
  return late && withoutCall(work, late, admission, deps);
}

function recorded(work: Work, reading: FinalReading, admission: Admission, deps: ProcessBatchDeps): FinishedStep[] {
  if (reading.kind === 'reported') work.standing.isAccepted = true;
  const terms = termsOf(admission, deps);
  return [{ work, result: resultOfAnswer(work, reading, terms) }];
}

function withoutCall(work: Work, result: StepResult, admission: Admission, deps: ProcessBatchDeps): Promise<Processed> {
  return afterProbe(work, { ...nothing, finished: [{ work, result }] }, admission, deps);
}

/** Ends the probe of a user tried alone, whatever its outcome: others wait for it. No effect for other works. */
export async function afterProbe(
  work: Work,
  processed: Processed,
  admission: Admission,
  deps: ProcessBatchDeps,
): Promise<Processed> {
  if (!work.isProbe) return processed;
  const terms = termsOf(admission, deps);
  const { finished, again } = await endProbe(work, { heldSteps: deps.heldSteps, terms });
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
