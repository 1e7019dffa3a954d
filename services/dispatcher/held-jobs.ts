import type { JobReference } from '../../shared/domain/job/job-key.ts';
import type { JobCall } from './call/call-job.ts';
import type { ReleasedJob } from './released-jobs.ts';
import type { HeldJob } from './jobs/held-job.ts';
import type { CallLedger, Flushed, JobClaim, JobResult } from './ports/call-ledger.ts';

const maxResults = 500;

/** Jobs that this process holds, from their claims until their outcomes are written. */
export interface HeldJobs {
  readonly unwritten: number;
  /**
   * Returns true if this process holds the job for the due time of the reference. A reference with another due time is
   * not a repeat. It means that the result for the earlier due time is stored, even if the write has not returned yet.
   */
  has(reference: JobReference): boolean;
  add(jobs: readonly HeldJob[]): void;
  end(call: JobCall): void;
  /** Releases claimed jobs that have not begun. Each is due again at once, for any dispatcher. */
  releaseAll(jobs: readonly HeldJob[]): void;
  release(jobs: readonly ReleasedJob[]): void;
  /** Writes outcomes of calls, and claims, in one statement. Returns null if there is nothing to write or claim. */
  flush(claims: readonly JobClaim[], leaseMs: number): Promise<Written | null>;
}

export interface Written extends Flushed {
  calls: readonly JobCall[];
}

export function createHeldJobs(ledger: CallLedger): HeldJobs {
  const held = new Map<string, HeldJob>();
  let finished: JobCall[] = [];

  function release(jobs: readonly ReleasedJob[]): void {
    const note = { status: null, latencyMs: null, error: null, answer: null };
    for (const { job, delayMs } of jobs) {
      const verdict = { kind: 'released', delayMs } as const;
      finished.push({ job, host: job.host, verdict, note, sign: 'none', terms: undefined });
    }
  }

  return {
    get unwritten() {
      return finished.length;
    },
    has: ({ jobId, dueUs }) => held.get(jobId)?.dueUs === dueUs,
    add: (jobs) => {
      for (const job of jobs) held.set(job.jobId, job);
    },
    end: (call) => {
      finished.push(call);
    },
    releaseAll: (jobs) => release(jobs.map((job) => ({ job, delayMs: 0 }))),
    release,
    flush: async (claims, leaseMs) => {
      const calls = finished.splice(0, maxResults);
      if (claims.length + calls.length === 0) return null;
      const flushed = await ledger.flush({ results: calls.map(resultOf), claims, leaseMs }).catch((error: unknown) => {
        // If the write fails, the next flush writes the results. If another dispatcher has claimed a job meanwhile,
        // Postgres refuses the result of this process.
        finished = [...calls, ...finished];
        throw error;
      });
      for (const { job } of calls) if (held.get(job.jobId) === job) held.delete(job.jobId);
      return { ...flushed, calls };
    },
  };
}

function resultOf({ job, verdict, note, terms }: JobCall): JobResult {
  const { partition, dueUs, jobId, epoch } = job;
  return { partition, dueUs, jobId, epoch, verdict, note, forgetsBody: terms?.keepsBodies === false };
}
