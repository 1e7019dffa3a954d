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

/**
 * Milliseconds until the next flush writes the result of a waiting step. The delay of the step is counted from that
 * write.
 */
const flushMarginMs = 100;

export interface ProcessBatchDeps extends ReadEndpointDeps, CallDeps {
  refusalCounts: RefusalCounts;
  /**
   * Marks the call of a step as begun. Needed for a step whose lease has lapsed before. Returns false if another worker
   * has claimed the step meanwhile.
   */
  markBegun: (begin: StepBegin) => Promise<boolean>;
}

export interface Processed {
  /** Steps to record. Empty if the step waits for a trial, or if another worker has claimed the step meanwhile. */
  finished: readonly FinishedStep[];
  /** Claimed steps that waited for a trial, and that can be called now. */
  again: readonly Work[];
  /** The call for the statistics of its shard; null if no call was made. */
  call: ServedCall | null;
}

const nothing: Processed = { finished: [], again: [], call: null };

/**
 * Processes one step of one batch: stages W3 and W4 in docs/execution-path.md. The worker's turn then records, forwards
 * and acknowledges the result. For an ordinary step, this function awaits only the call: gates and admissions return
 * promises only if they have to wait.
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

/**
 * A last check before a call. A result ends the step without a call. Null without a promise means that there is nothing
 * to check.
 */
type Check = (work: Work, admission: Admission, deps: ProcessBatchDeps) => Promise<Processed | null> | null;

/**
 * Last checks in their order. A status request takes time, and may close the key. The mark of the begin comes last,
 * because a call must follow it.
 */
const lastChecks: readonly Check[] = [statusFirst, markedAsBegun];

async function callFor(work: Work, admission: Admission, deps: ProcessBatchDeps): Promise<Processed> {
  for (const check of lastChecks) {
    const checking = check(work, admission, deps);
    const ended = checking && (await checking);
    if (ended) return ended;
  }
  const startedMs = deps.clock.monotonicMs();
  const reading = await readEndpoint(work, deps);
  const isOrdinary = reading.kind === 'reported' && work.standing.fault.current === null;
  const concluded = isOrdinary ? null : await conclude(work, reading, deps);
  const finished = concluded ?? recorded(work, reading, admission, deps);
  for (const { result } of finished) noteAttempt(result, reading);
  const processed = { finished, again: [], call: servedCallOf(work, reading, startedMs) };
  return work.isProbe ? afterProbe(work, processed, admission, deps) : processed;
}

/** For class C with an open key, requests the status of the lost call before another call. */
function statusFirst(work: Work, admission: Admission, deps: ProcessBatchDeps): Promise<Processed | null> | null {
  const needsStatus = work.claim.open && classOf(work, deps.clock.now().getTime()) === 'C';
  return needsStatus ? afterStatus(work, admission, deps) : null;
}

async function afterStatus(work: Work, admission: Admission, deps: ProcessBatchDeps): Promise<Processed> {
  const result = await askStatus(work, () => termsOf(admission, deps), deps);
  if (result) return withoutCall(work, result, admission, deps);
  // The status request took time, so the gates are evaluated again. The key is closed now.
  return processBatch({ ...work, claim: { ...work.claim, open: false } }, deps);
}

/**
 * Stores the begin of the call before the call itself, if the step's lease has lapsed before or a check was made. If
 * the lease lapses again, it is then certain that the call had begun.
 */
function markedAsBegun(work: Work, admission: Admission, deps: ProcessBatchDeps): Promise<Processed | null> | null {
  return work.claim.lapses !== 0 ? marked(work, admission, deps) : null;
}

async function marked(work: Work, admission: Admission, deps: ProcessBatchDeps): Promise<Processed | null> {
  if (!(await deps.markBegun(work.claim))) return afterProbe(work, nothing, admission, deps);
  // Writing the mark may take long, so the gates that depend on time are evaluated again.
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

/**
 * Ends the trial of a single user, whatever its outcome, because other steps wait for it. Has no effect if the step is
 * not part of a trial.
 */
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

/**
 * Returns what the end of a call tells about the endpoint.
 * @param startedMs monotonic time at which the call was sent
 */
export function servedCallOf({ actionType, context }: Work, reading: Reading, startedMs: number): ServedCall {
  if (reading.kind === 'reported' || reading.kind === 'refused') {
    return { startedMs, end: 'answered', cause: '', pressure: null, retryAfterMs: null };
  }
  const end = reading.kind === 'misconfigured' ? 'misconfigured' : 'unanswered';
  const pressure = reading.kind === 'misconfigured' ? null : (reading.pressure ?? null);
  const retryAfterMs = reading.kind === 'not-applied' ? reading.retryAfterMs : null;
  return { startedMs, end, cause: `${actionType} in ${context.country}: ${reading.cause}`, pressure, retryAfterMs };
}
