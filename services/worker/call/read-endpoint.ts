import { modeOfStep } from '../../../shared/domain/run/run-kinds.ts';
import { requestKey } from '../../../shared/domain/step/batch.ts';
import { wholeAnswerSettles } from '../../../shared/domain/step/consequences.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import { mergeResults } from '../endpoint/user-results.ts';
import { readAnswer, type FinalReading, type Reading } from '../endpoint/read-answer.ts';
import type { FeedDirectory } from '../claims/feed-directory.ts';
import { leaseOutlastsCall } from '../gates/lease.ts';
import type { BatchEndpoint } from '../endpoint/batch-endpoint.port.ts';
import { classOf, type Work } from '../step/work.ts';
import type { WorkerMeter } from '../report/worker-meter.ts';
import type { StepTraces } from '../report/step-traces.ts';

/** Milliseconds after the first call within which a batch whose answer omits users is called once more. */
const localBudgetMs = 2000;

export interface ReadEndpointDeps {
  directory: FeedDirectory;
  endpoint: BatchEndpoint;
  bodyOf: (work: Work) => Buffer;
  /** Returns true if the shard's rate allows one more call, and takes the tokens for it. */
  takeRate: (topic: string, users: number) => boolean;
  meter: WorkerMeter;
  traces?: StepTraces | undefined;
  leaseMs: number;
  clock: Clock;
}

/**
 * Stage W4 of the worker (docs/execution-path.md): makes one HTTP call for the whole batch, and repeats the call once
 * if its answer omits users.
 */
export async function readEndpoint(work: Work, deps: ReadEndpointDeps): Promise<FinalReading> {
  const startedMs = deps.clock.monotonicMs();
  // A claim makes up to two calls, so each claim has two numbers of attempts that no other claim has.
  const firstAttempt = 2 * work.claim.epoch - 1;
  const first = await callEndpoint(work, firstAttempt, deps);
  if (first.kind !== 'reported') return first;
  const once = { ...first, reopened: false };
  if (first.missing.length === 0) return once;
  const settles = wholeAnswerSettles(classOf(work, deps.clock.now().getTime()));
  const isInTime = deps.clock.monotonicMs() - startedMs < localBudgetMs && leaseOutlastsCall(work, deps);
  if (!settles || !isInTime) return once;
  // If the run was stopped during the first call, no second call is made, not even for users that the answer omits.
  if ((await deps.directory.admissionOf(work.claim.feedId)).verdict !== 'go') return once;
  if (!deps.takeRate(work.topic, work.count)) return once;
  const second = await callEndpoint(work, firstAttempt + 1, deps);
  if (second.kind === 'reported') return { ...once, ...mergeResults(first, second) };
  return second.kind === 'ambiguous' ? { ...once, reopened: true } : once;
}

async function callEndpoint(
  work: Work,
  attempt: number,
  { endpoint, bodyOf, meter, traces, clock, leaseMs }: ReadEndpointDeps,
): Promise<Reading> {
  const { feedId, batchNo, step } = work.claim;
  const { actionType } = work;
  const startedMs = clock.monotonicMs();
  const traced = traces?.beginCall(work);
  const answer = await endpoint.call({
    actionType,
    country: work.context.country,
    mode: modeOfStep(work.context.stepModes, step),
    idempotencyKey: requestKey(feedId, batchNo, step),
    attempt,
    traceparent: traced?.traceparent,
    notAfterMs: work.claimedAtMs + leaseMs - work.type.timeoutMs,
    body: bodyOf(work),
  });
  const reading = readAnswer(work.type, work, answer);
  meter.called(work, reading, clock.monotonicMs() - startedMs);
  if (traced) traces?.endCall(work, traced, { actionType, attempt, reading, startedMs });
  return reading;
}
