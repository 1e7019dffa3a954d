import { awaitedReport } from '../../../shared/contracts/jobs/job-reports.ts';
import { readOwnTerms } from '../../../shared/contracts/jobs/call-terms.ts';
import {
  exclusiveMarginMs,
  usualTimeoutMs,
  type CallLedger,
  type ClaimedJob,
  type JobClaim,
  type JobResult,
} from '../../../services/dispatcher/ports/call-ledger.ts';
import { compareKeys, type JobKey, type JobReference } from '../../../shared/domain/job/job-key.ts';
import { deadAfterMs } from '../../../shared/ports/job-nodes.ts';
import { atOnce } from './at-once.ts';
import type { CallbackTables } from './callback-tables.ts';
import { isDead } from './job-nodes.ts';
import { wakeKey } from './key-advancer.ts';
import { countJobs, type StoredJobRow } from './job-tables.ts';

export interface MemoryCallLedgerDeps {
  tables: CallbackTables;
  owner: string;
  leaseMs: number;
  region?: () => { name: string; epoch: number };
}

export function createMemoryCallLedger(deps: MemoryCallLedgerDeps): CallLedger {
  const { tables, owner, leaseMs: usualMs, region = () => ({ name: 'local', epoch: 1 }) } = deps;
  const { clock, jobs, fires, nodes } = tables;

  function mayTakeOver(from: string): boolean {
    const nowMs = clock.nowMs();
    const beatsAreStored = [...nodes.values()].some(
      ({ expiresAtMs, aliveSinceMs }) => expiresAtMs >= nowMs && aliveSinceMs < nowMs - deadAfterMs,
    );
    return isDead(tables, from) && beatsAreStored;
  }

  function earlyOf({ partition, jobId, dueUs }: JobKey): JobReference | undefined {
    const job = jobs.get(jobId);
    const isEarly = job?.dueAtMs === dueUs / 1000 && job.dueAtMs > clock.nowMs();
    return isEarly ? { partition, jobId, dueUs, clientId: job.clientId } : undefined;
  }

  function claim({ timeoutMs = usualTimeoutMs, ...key }: JobClaim, leaseMs: number): ClaimedJob | undefined {
    const job = jobs.get(key.jobId);
    if (job?.dueAtMs !== key.dueUs / 1000 || job.dueAtMs > clock.nowMs()) return undefined;
    const fire = fires.get(key.jobId);
    const isUncalled = (fire?.exclusiveUntilMs ?? -Infinity) < clock.nowMs();
    if (fire && fire.leaseUntilMs >= clock.nowMs() && !(isUncalled && mayTakeOver(fire.owner))) return undefined;
    const epoch = (fire?.epoch ?? 0) + 1;
    const exclusiveMs = job.ordering
      ? (readOwnTerms(job.terms ?? null).timeoutMs ?? timeoutMs) + exclusiveMarginMs
      : null;
    const alone = exclusiveMs === null ? {} : { exclusiveUntilMs: clock.nowMs() + exclusiveMs };
    fires.set(key.jobId, { jobId: key.jobId, owner, epoch, leaseUntilMs: clock.nowMs() + leaseMs, ...alone });
    const { clientId, attempt, scheduledForMs, method, url, headers, body } = job;
    const expiresInMs = job.expiresAtMs === null ? null : job.expiresAtMs - clock.nowMs();
    const calls = {
      claimedAtMs: clock.nowMs(),
      expiresInMs,
      method,
      url,
      headers,
      body,
      repeats: job.repeats ?? null,
      terms: job.terms ?? null,
      orderingKey: job.ordering?.key ?? null,
      exclusiveMs,
      report: job.report ?? null,
    };
    return { ...key, clientId, epoch, attempt, scheduledForMs, ...calls };
  }

  return {
    flush: ({ results, claims, leaseMs = usualMs }) =>
      atOnce(() => {
        const ours = results.filter(
          ({ jobId, dueUs, epoch }) =>
            fires.get(jobId)?.epoch === epoch && (jobs.get(jobId)?.dueAtMs ?? dueUs / 1000) === dueUs / 1000,
        );
        for (const result of ours) record(tables, result);
        const { name, epoch } = region();
        const known = tables.regions.get(name);
        const mayClaim = known?.active === true && known.epoch === epoch;
        const claimed = mayClaim ? claims.toSorted(compareKeys).flatMap((key) => claim(key, leaseMs) ?? []) : [];
        const early = mayClaim ? claims.toSorted(compareKeys).flatMap((key) => earlyOf(key) ?? []) : [];
        return { recorded: new Set(ours.map(({ jobId }) => jobId)), claimed, early };
      }),
  };
}

function record(tables: CallbackTables, result: JobResult): void {
  tables.fires.delete(result.jobId);
  const job = tables.jobs.get(result.jobId);
  if (!job) return;
  const { kind } = result.verdict;
  if (kind === 'called' || kind === 'expired' || kind === 'dead') end(tables, job, result);
  else move(tables, job, result);
}

function end(tables: CallbackTables, job: StoredJobRow, { verdict, note }: JobResult): void {
  const { jobId, clientId } = job;
  const endedAtMs = tables.clock.nowMs();
  const outcome = verdict.kind === 'called' || verdict.kind === 'expired' ? verdict.kind : 'dead';
  tables.jobs.delete(jobId);
  wakeKey(tables, job);
  tables.ended.push({ ...job, ...note, endedAtMs, outcome });
  countJobs(tables, clientId, { [outcome]: 1 });
  if (verdict.kind === 'dead')
    tables.dead.set(jobId, { jobId, clientId, diedAtMs: endedAtMs, cause: verdict.cause, job });
}

function move(tables: CallbackTables, job: StoredJobRow, { verdict, note }: JobResult): void {
  const { clock, jobs, attempts } = tables;
  const { jobId, attempt } = job;
  if (verdict.kind === 'retry' || verdict.kind === 'reporting')
    attempts.push({ jobId, atMs: clock.nowMs(), attempt, ...note });
  const delayMs = 'delayMs' in verdict ? Math.round(verdict.delayMs) : Infinity;
  const kept = verdict.kind === 'retry' ? null : (job.report ?? null);
  if (verdict.kind === 'retry' && !job.ordering?.isInOrder) wakeKey(tables, job);
  jobs.set(jobId, {
    ...job,
    ...(verdict.kind === 'retry' && job.ordering && { readyAtMs: clock.nowMs() + delayMs }),
    dueAtMs: clock.nowMs() + delayMs,
    attempt: verdict.kind === 'retry' ? attempt + 1 : attempt,
    sideline: verdict.kind === 'sidelined' ? verdict.host : null,
    report: verdict.kind === 'reporting' ? awaitedReport : kept,
  });
}
