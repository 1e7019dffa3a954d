import type { SaidPriority } from './priority-bands.ts';

/** The key of a pending job. A job that was moved has another: who holds the old one finds nothing. */
export interface JobKey {
  partition: number;
  /** Microseconds since 1970: what Postgres keeps. */
  dueUs: number;
  jobId: string;
}

/** A job that is due, and whose it is. */
export interface JobReference extends JobKey {
  clientId: string;
  /** Normal unless given. */
  priority?: SaidPriority | undefined;
}

/**
 * By partition, due time and id, as Postgres sorts its uuids: statements that lock in this order never wait for each
 * other in a circle.
 */
export function compareKeys(a: JobKey, b: JobKey): number {
  return a.partition - b.partition || a.dueUs - b.dueUs || (a.jobId < b.jobId ? -1 : a.jobId > b.jobId ? 1 : 0);
}
