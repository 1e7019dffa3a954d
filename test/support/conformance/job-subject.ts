import type { JobOrdering } from '../../../shared/ports/job-intake.ts';
import type { JobNodes } from '../../../shared/ports/job-nodes.ts';
import type { StoredPriority } from '../../../shared/domain/job/priority-bands.ts';
import type { JobKey } from '../../../shared/domain/job/job-key.ts';

/** A job to begin with. */
export interface SeedJob {
  jobId: string;
  clientId: string;
  /** From now, by the database's clock; negative when it was due before. */
  dueInMs: number;
  /** From now; never when left out. */
  expiresInMs?: number;
  attempt?: number;
  url?: string;
  body?: string;
  /** Normal unless given. */
  priority?: StoredPriority | undefined;
  /** Sidelined for this host. */
  sideline?: string;
  /** Order of an accepted job: it waits for its turn, and has woken its key. Due now unless a delay is given. */
  ordering?: JobOrdering;
  /** Among those that are accepted at once. */
  place?: number;
}

/** Rows of the tables that tests read. */
export interface JobRows {
  pending: {
    jobId: string;
    attempt: number;
    /** Null while it is sidelined, or waits for its turn. */
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
  /** Sorted by job and, attempts, by attempt. */
  rows(): Promise<JobRows>;
  /** Live nodes. */
  nodes: JobNodes;
  passTime(ms: number): Promise<void>;
  /** Makes the region's epoch another one. */
  switchRegion(name: string): Promise<void>;
}

/** A job's id, recognisable. */
export function jobIdOf(number: number): string {
  return `00000000-0000-8000-8000-${number.toString(16).padStart(12, '0')}`;
}

export function clientIdOf(number: number): string {
  return `11111111-0000-7000-8000-${number.toString(16).padStart(12, '0')}`;
}
