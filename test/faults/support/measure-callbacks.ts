import {
  doubledCalls,
  type RequestedJob,
  type CallbackEvidence,
  type ReceivedCall,
} from '../../support/callback-evidence.ts';
import type { ScenarioFigures } from './figures.ts';
import type { Injection } from './injections.ts';
import { quantile } from './measure-run.ts';

type Measured = Omit<ScenarioFigures, 'rows' | 'scenario' | 'faults' | 'violations' | 'measured'>;

/** Computes the figures of callbacks in the columns of runs: a batch is a call, a user is a job. */
export function measureCallbacks(evidence: CallbackEvidence, injections: readonly Injection[]): Measured {
  const { accepted, stored, ended, claims, calls } = evidence;
  const known = new Set([...stored, ...ended.map(({ jobId }) => jobId)]);
  const takenOver = claims.filter(({ kind }) => kind === 'taken-over').length;
  const interrupted = [...Map.groupBy(calls, ({ jobId }) => jobId).values()].flatMap(secondsToRepeat);
  return {
    batches: calls.length,
    users: ended.length,
    lost: [...accepted.keys()].filter((jobId) => !known.has(jobId)).length,
    doubled: doubledCalls(evidence),
    duplicatesSuppressed: 0,
    unknown: stored.length,
    redeliveriesPer1000: calls.length === 0 ? 0 : (1000 * takenOver) / calls.length,
    recoverySeconds:
      interrupted.length === 0
        ? null
        : { p50: quantile(interrupted, 0.5), p95: quantile(interrupted, 0.95), max: quantile(interrupted, 1) },
    usersPerSecond: rates(calls, injections),
  };
}

/** Returns the seconds from each call that failed, or whose answer was lost, to the next call of its job. */
function secondsToRepeat(calls: readonly ReceivedCall[]): number[] {
  const sorted = calls.toSorted((a, b) => a.atMs - b.atMs);
  return sorted.slice(1).map(({ atMs }, index) => (atMs - (sorted[index]?.atMs ?? atMs)) / 1000);
}

function rates(calls: readonly ReceivedCall[], injections: readonly Injection[]): Measured['usersPerSecond'] {
  const times = calls.map(({ atMs }) => atMs);
  const [firstMs, lastMs] = [Math.min(...times), Math.max(...times)];
  const brokenMs = Math.min(...injections.map(({ fromMs }) => fromMs), lastMs);
  const healedMs = Math.max(...injections.map(({ untilMs, fromMs }) => untilMs ?? fromMs), brokenMs);
  const rate = (fromMs: number, toMs: number) => {
    const within = times.filter((atMs) => atMs >= fromMs && atMs < toMs).length;
    return toMs - fromMs < 500 ? null : (within * 1000) / (toMs - fromMs);
  };
  return { before: rate(firstMs, brokenMs), during: rate(brokenMs, healedMs), after: rate(healedMs, lastMs + 1) };
}

/** Returns how late the first call of each job was. */
export function latenessOf(
  accepted: ReadonlyMap<string, RequestedJob>,
  calls: readonly ReceivedCall[],
): { jobId: string; dueAtMs: number; lateMs: number }[] {
  const first = new Map<string, number>();
  for (const { jobId, atMs } of calls) first.set(jobId, Math.min(atMs, first.get(jobId) ?? Infinity));
  return [...accepted].flatMap(([jobId, { dueAtMs }]) => {
    const atMs = first.get(jobId);
    return atMs === undefined ? [] : [{ jobId, dueAtMs, lateMs: atMs - dueAtMs }];
  });
}

interface CalledJobs {
  accepted: ReadonlyMap<string, RequestedJob>;
  receiver: { calls(): readonly ReceivedCall[] };
}

/** Returns how late the first calls of these jobs were, for jobs that were called by now, in milliseconds. */
export function lateMsOf({ accepted, receiver }: CalledJobs, ids: readonly string[]): number[] {
  const wanted = new Set(ids);
  return latenessOf(accepted, receiver.calls()).flatMap(({ jobId, lateMs }) => (wanted.has(jobId) ? [lateMs] : []));
}
