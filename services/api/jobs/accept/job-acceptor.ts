import type { Clock } from '../../../../shared/ports/clock.ts';
import type { JobIntake, JobToStore, KnownJob } from '../../../../shared/ports/job-intake.ts';
import type { Meter } from '../../../../shared/ports/meter.ts';
import type { Logger } from '../../../../shared/runtime/logger.ts';
import { totalsSlotOf } from '../../../../shared/domain/step/totals-slot.ts';
import { databaseUnavailable, isDatabaseFull } from '../../frame/server/database-unavailable.ts';
import { createFlushLane } from './flush-lane.ts';
import { HttpProblem } from '../../frame/http-problem.ts';
import { apiMetrics } from '../../frame/metrics.ts';

/**
 * Maximum number of jobs in a statement. Larger statements are not cheaper, and more requests would wait for one
 * commit.
 */
export const maxFlushJobs = 500;
/**
 * Minimum number of jobs for a second concurrent flush of single jobs. With two flushes, this process works while the
 * database works, which raised the throughput by a twelfth in measurements. With fewer jobs, or with a third flush,
 * Postgres spends a quarter more on each job without a gain. Bulk requests fill flushes of their own.
 */
const minSinglesWhileBusy = 24;
/** Maximum number of jobs that this process has read from requests and not committed yet. */
const maxInsideJobs = 30_000;
const maxInsideBytes = 64 * 1024 * 1024;
/** Milliseconds during which this process tries to find out whether a commit succeeded. */
const resolveForMs = 10_000;
const resolveEveryMs = 250;

export type Acceptance =
  | { kind: 'accepted'; jobId: string; dueAtMs: number | null }
  /** `duplicate`: the key was used before for the same call. */
  | { kind: 'duplicate'; jobId: string; dueAtMs: number | null }
  /** `reused`: the key was used before for another call, and this job is not stored. */
  | { kind: 'reused'; jobId: string }
  /** `unknown`: the result of the commit is unknown. A repeat with the same key stores the job only once. */
  | { kind: 'unknown'; problem: HttpProblem };

export interface JobAcceptor {
  /**
   * Stores a job, and resolves after the commit, which concurrent requests share.
   * @throws {HttpProblem} 429, 503
   */
  accept(job: JobToStore): Promise<Acceptance>;
  /**
   * Stores many jobs in several commits. The commits are sequential if a job has an ordering key. Returns results in
   * the order of the jobs.
   * @throws {HttpProblem} if no commit succeeded
   */
  acceptAll(jobs: readonly JobToStore[]): Promise<Acceptance[]>;
}

export interface JobAcceptorDeps {
  intake: JobIntake;
  /** Id of this process. Its totals are counted separately from those of other processes. */
  owner: string;
  clock: Clock;
  logger: Logger;
  meter?: Meter | undefined;
}

export function createJobAcceptor({ intake, owner, clock, logger, meter }: JobAcceptorDeps): JobAcceptor {
  const inside = { jobs: 0, bytes: 0 };
  const counted = meter?.counter(apiMetrics.jobsTaken);
  meter?.gauge({ ...apiMetrics.beforeCommit, collect: (gauge) => gauge.of({}).set(inside.jobs) });
  const slot = (lane: number) => totalsSlotOf(`${owner}/${lane}`);
  const lane = (slots: readonly number[], minItemsWhileBusy = 1) =>
    createFlushLane<JobToStore, Acceptance>({
      maxItems: maxFlushJobs,
      inFlight: slots.length,
      minItemsWhileBusy,
      flush: (jobs, place) => storeGroup(jobs, slots[place] ?? slot(0)),
    });
  const singles = lane([slot(0), slot(4)], minSinglesWhileBusy);
  const bulk = lane([slot(1), slot(2)]);
  /**
   * Jobs with an ordering key have a lane of their own with one flush at a time, because concurrent flushes could
   * change the order of jobs. These flushes may be slow, because they make the next jobs of many keys due.
   */
  const ordered = lane([slot(3)]);

  async function storeGroup(jobs: readonly JobToStore[], slotNo: number): Promise<Acceptance[]> {
    const byId = new Map<string, JobToStore>();
    for (const job of jobs) if (!byId.has(job.jobId)) byId.set(job.jobId, job);
    const stored = await storeWithRetry([...byId.values()], slotNo);
    const others = jobs.filter(({ jobId }) => !stored.has(jobId));
    const known = others.length === 0 ? [] : await intake.known(others);
    const knownOf = new Map(others.map((job, place) => [job, known[place]]));
    return jobs.map((job) =>
      acceptanceOf(job, { first: byId.get(job.jobId), due: stored.get(job.jobId), known: knownOf.get(job) }),
    );
  }

  /**
   * Stores jobs. If the connection breaks, stores the same ids again, which shows whether the first commit succeeded.
   */
  async function storeWithRetry(jobs: readonly JobToStore[], slotNo: number): Promise<ReadonlyMap<string, number>> {
    const giveUpAtMs = clock.monotonicMs() + resolveForMs;
    for (let lost: Error | undefined; ;) {
      try {
        return await intake.store(jobs, slotNo, lost !== undefined);
      } catch (error) {
        if (isTimeout(error)) throw lost ?? busy();
        if (isDatabaseFull(error)) throw lost ?? error;
        if (!databaseUnavailable(error) || clock.monotonicMs() >= giveUpAtMs) throw error;
        lost = asError(error);
        logger.warn({ err: error, jobs: jobs.length }, 'unknown whether jobs were stored: they are stored again');
        await clock.sleep(resolveEveryMs);
      }
    }
  }

  async function within<Result>(jobs: readonly JobToStore[], work: () => Promise<Result>): Promise<Result> {
    const bytes = jobs.reduce((sum, job) => sum + weightOf(job), 0);
    if (inside.jobs + jobs.length > maxInsideJobs || inside.bytes + bytes > maxInsideBytes) throw full();
    inside.jobs += jobs.length;
    inside.bytes += bytes;
    try {
      return await work();
    } finally {
      inside.jobs -= jobs.length;
      inside.bytes -= bytes;
    }
  }

  const results = {
    accepted: counted?.of({ result: 'accepted' }),
    duplicate: counted?.of({ result: 'duplicate' }),
    reused: counted?.of({ result: 'reused' }),
    unknown: undefined,
  };

  async function add(to: typeof singles, jobs: readonly JobToStore[]): Promise<readonly Acceptance[]> {
    const acceptances = await to.add(jobs);
    for (const { kind } of acceptances) results[kind]?.add();
    return acceptances;
  }

  return {
    accept: (job) =>
      within([job], async () => {
        const [acceptance] = await add(job.ordering ? ordered : singles, [job]);
        if (!acceptance) throw new Error('a flush returned fewer results than jobs');
        return acceptance;
      }),
    acceptAll: (jobs) =>
      within(jobs, async () => {
        const parts = partsOf(jobs);
        const settled = jobs.some(({ ordering }) => ordering)
          ? await settledInTurn(parts, (part) => add(ordered, part))
          : await Promise.allSettled(parts.map((part) => add(bulk, part)));
        const [first] = settled;
        if (first?.status === 'rejected' && settled.every(({ status }) => status === 'rejected'))
          throw asError(first.reason);
        return settled.flatMap((part, index): readonly Acceptance[] => {
          if (part.status === 'fulfilled') return part.value;
          const unknown: Acceptance = { kind: 'unknown', problem: problemOf(part.reason) };
          return (parts[index] ?? []).map(() => unknown);
        });
      }),
  };
}

interface Found {
  first: JobToStore | undefined;
  due: number | undefined;
  known: KnownJob | undefined;
}

function acceptanceOf(job: JobToStore, { first, due, known }: Found): Acceptance {
  const { jobId } = job;
  if (due !== undefined) {
    if (first === job) return { kind: 'accepted', jobId, dueAtMs: due };
    return first && isSameCall(job, first) ? { kind: 'duplicate', jobId, dueAtMs: due } : { kind: 'reused', jobId };
  }
  const dueAtMs = known?.dueAtMs ?? null;
  // Without a key, only this process can have stored a job with this id. The answer to its first commit was lost.
  if (job.key === null) return { kind: 'accepted', jobId, dueAtMs };
  return known?.isSameCall === false ? { kind: 'reused', jobId } : { kind: 'duplicate', jobId, dueAtMs };
}

/** Compares two calls by the same fields as the statement that compares a new job with stored jobs. */
function isSameCall(job: JobToStore, other: JobToStore): boolean {
  const { method, url, headers, body } = other;
  return job.method === method && job.url === url && job.headers === headers && job.body === body;
}

function partsOf(jobs: readonly JobToStore[]): JobToStore[][] {
  const parts = Math.ceil(jobs.length / maxFlushJobs);
  return Array.from({ length: parts }, (_, part) => jobs.slice(part * maxFlushJobs, (part + 1) * maxFlushJobs));
}

/**
 * Runs the parts one after the other. Parts after a failed part are not stored, so that a repeat of the request keeps
 * the order.
 */
async function settledInTurn<Part, Result>(
  parts: readonly Part[],
  work: (part: Part) => Promise<Result>,
): Promise<PromiseSettledResult<Result>[]> {
  const settled: PromiseSettledResult<Result>[] = [];
  for (const part of parts) {
    const before = settled.at(-1);
    if (before?.status === 'rejected') settled.push(before);
    else settled.push(...(await Promise.allSettled([work(part)])));
  }
  return settled;
}

function weightOf({ body, headers, url }: JobToStore): number {
  return (body?.length ?? 0) + (headers?.length ?? 0) + url.length;
}

/** SQLSTATE of a statement that was cancelled after its timeout. Such a statement has no effect. */
const queryCanceled = '57014';

function isTimeout(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === queryCanceled;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

function problemOf(error: unknown): HttpProblem {
  if (error instanceof HttpProblem) return error;
  const detail = 'an internal error occurred: repeat the job with its key; it is stored only once';
  return databaseUnavailable(error) ?? new HttpProblem({ status: 500, code: 'internal-error', detail });
}

function full(): HttpProblem {
  const detail = 'too many jobs are waiting to be stored; retry-after is the time to wait';
  return new HttpProblem({ status: 429, code: 'too-many-jobs', detail, headers: { 'retry-after': '1' } });
}

function busy(): HttpProblem {
  const detail = 'the database took too long to store the jobs and stored none of them; try again in 2 seconds';
  return new HttpProblem({ status: 503, code: 'database-busy', detail, headers: { 'retry-after': '2' } });
}
