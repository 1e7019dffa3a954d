import type { JobOrdering } from '../../../shared/ports/job-intake.ts';
import type { JobNodes } from '../../../shared/ports/job-nodes.ts';
import type { StoredPriority } from '../../../shared/domain/job/priority-bands.ts';
import type { JobKey } from '../../../shared/domain/job/job-key.ts';

/** A job that a test starts with. */
export interface SeedJob {
  jobId: string;
  clientId: string;
  /** Milliseconds from now by the database's clock; negative if the job was due before. */
  dueInMs: number;
  /** Milliseconds from now until the job expires; never by default. */
  expiresInMs?: number;
  attempt?: number;
  url?: string;
  body?: string;
  /** Normal unless given. */
  priority?: StoredPriority | undefined;
  /** Sidelined for this host. */
  sideline?: string;
  /**
   * Order of an accepted job, which waits for its turn and has woken its key. The job is due now unless a delay is
   * given.
   */
  ordering?: JobOrdering;
  /** Position among jobs that are accepted at once. */
  place?: number;
}

/** Rows of the tables that tests read. */
export interface JobRows {
  pending: {
    jobId: string;
    attempt: number;
    /** Null while the job is sidelined or waits for its turn. */
    dueInMs: number | null;
    sideline: string | null;
  }[];
  fires: { jobId: string; owner: string; epoch: number }[];
  ended: {
    jobId: string;
    outcome: string;
    attempt: number;
    status: number | null;
    error: string | null;
    answer: string | null;
  }[];
  attempts: { jobId: string; attempt: number; status: number | null }[];
  dead: { jobId: string; cause: string }[];
  totals: { clientId: string; called: number; expired: number; dead: number }[];
}

/** Jobs of either store, for tests that both have to pass. */
export interface JobSubject {
  add(jobs: readonly SeedJob[]): Promise<JobKey[]>;
  /** Keys of all jobs that are neither sidelined nor waiting for their turn. */
  keys(): Promise<JobKey[]>;
  cancel(jobId: string): Promise<void>;
  /** Rows sorted by job, attempts also by attempt. */
  rows(): Promise<JobRows>;
  /** Live nodes. */
  nodes: JobNodes;
  passTime(ms: number): Promise<void>;
  /** Changes the epoch of the region. */
  switchRegion(name: string): Promise<void>;
}

/** Returns an id of a job from which the number can be read. */
export function jobIdOf(number: number): string {
  return `00000000-0000-8000-8000-${number.toString(16).padStart(12, '0')}`;
}

export function clientIdOf(number: number): string {
  return `11111111-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;
}
