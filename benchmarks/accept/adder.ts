import type { AddedJob } from './added-jobs.ts';

/** Adds jobs that are due in a day, each under its key: a second one with the same key is not added. */
export interface Adder {
  /**
   * Resolves when they are stored. One job: it shares a statement with those that come meanwhile, where the adder does
   * that.
   */
  add(jobs: readonly AddedJob[]): Promise<void>;
  /** Throws away what earlier turns added. */
  empty(): Promise<void>;
  close(): Promise<void>;
}
