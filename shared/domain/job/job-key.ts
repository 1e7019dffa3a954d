import type { StoredPriority } from './priority-bands.ts';

/** Key of a pending job. Moving a job changes its key: a process with the old key finds no job. */
export interface JobKey {
  partition: number;
  /** Microseconds since 1970: the precision of Postgres. */
  dueUs: number;
  jobId: string;
}

export interface JobReference extends JobKey {
  clientId: string;
  /** Priority of the job; undefined means normal priority. */
  priority?: StoredPriority | undefined;
}

/** Compares in the order of Postgres (partition, due time, id): statements that lock in this order never deadlock. */
export function compareKeys(a: JobKey, b: JobKey): number {
  return a.partition - b.partition || a.dueUs - b.dueUs || (a.jobId < b.jobId ? -1 : a.jobId > b.jobId ? 1 : 0);
}
