import type { NewJob } from './added-jobs.ts';

/** Adds jobs that are due in a day, each under its key. A second job with the same key is not added. */
export interface Adder {
  /**
   * Resolves when the jobs are stored. If the adder supports it, a single job shares a statement with other single jobs
   * that arrive at the same time.
   */
  add(jobs: readonly NewJob[]): Promise<void>;
  /** Deletes the jobs of earlier turns. */
  empty(): Promise<void>;
  close(): Promise<void>;
}
