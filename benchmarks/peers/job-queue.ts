import { z } from 'zod';

/**
 * One batch in the form that a job carries. The job contains the users, because a queue has no other storage for them.
 * - `users`: ids separated by commas, which is cheaper to store and to read than a list with escaped quotes.
 * - `dueMs`: due time in whole milliseconds since 1970; undefined means due at once.
 */
export const batchJob = z.object({ batch: z.int(), users: z.string(), count: z.int(), dueMs: z.int().optional() });

export type BatchJob = z.infer<typeof batchJob>;

export interface QueueServers {
  redisPort: number;
  /** URL of a database that only the queue uses. */
  databaseUrl: string;
}

/** A job queue set up as its documentation recommends for many short jobs. */
export interface JobQueue {
  /** Deletes the jobs of earlier turns. */
  empty(): Promise<void>;
  /** Stores many jobs in as few round trips as the queue allows. Resolves when the queue has stored them. */
  enqueue(jobs: readonly BatchJob[]): Promise<void>;
  /**
   * Works on jobs, at most `atOnce` at a time, until the function that it resolves with is called. A job is done when
   * its promise resolves.
   * @param pollEveryMs poll interval for due jobs, in milliseconds, if the queue polls and its interval can be set
   */
  work(serve: (job: BatchJob) => Promise<void>, atOnce: number, pollEveryMs?: number): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

export type OpenQueue = (servers: QueueServers) => Promise<JobQueue>;
