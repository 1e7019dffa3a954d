import type { JobReference } from '../../shared/domain/job/job-key.ts';
import type { JobCall } from './call/call-job.ts';
import type { ReleasedJob } from './released-jobs.ts';
import type { HeldJob } from './jobs/held-job.ts';
import type { CallLedger, Flushed, JobClaim, JobResult } from './ports/call-ledger.ts';

const maxResults = 500;

/** The jobs that this process has, from their claims until what became of them is written. */
export interface HeldJobs {
  /** What became of jobs and is not written yet. */
  readonly unwritten: number;
  /**
   * One that is due at another time is no repeat: what came of the time before is stored, though that may not have been
   * heard yet.
   */
  has(reference: JobReference): boolean;
  add(jobs: readonly HeldJob[]): void;
  end(call: JobCall): void;
  /** What was claimed and not begun is due again at once, for others. */
  giveBack(jobs: readonly HeldJob[]): void;
  /** Releases jobs, each of which is due again after its own delay. */
  release(jobs: readonly ReleasedJob[]): void;
  /** Writes what came of calls, and claims, in one statement. Null when there is nothing to write and to claim. */
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
    giveBack: (jobs) => release(jobs.map((job) => ({ job, delayMs: 0 }))),
    release,
    flush: async (claims, leaseMs) => {
      const calls = finished.splice(0, maxResults);
      if (claims.length + calls.length === 0) return null;
      const flushed = await ledger.flush({ results: calls.map(resultOf), claims, leaseMs }).catch((error: unknown) => {
        // Nothing is lost: results are written with the next flush, or refused there because another has the job
        // meanwhile.
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
