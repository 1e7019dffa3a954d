import { z } from 'zod';

/**
 * One batch as a job carries it: a queue has no place of its own for users.
 * - `users`: ids separated by commas: cheaper to store and to read than a list, and quotes would have to be escaped.
 * - `dueMs`: in whole milliseconds since 1970; a job without it is due at once.
 */
export const batchJob = z.object({ batch: z.int(), users: z.string(), count: z.int(), dueMs: z.int().optional() });

export type BatchJob = z.infer<typeof batchJob>;

export interface QueueServers {
  redisPort: number;
  /** A database of the queue's own. */
  databaseUrl: string;
}

/** A job queue the way its users run it, set up as its documentation recommends for many short jobs. */
export interface JobQueue {
  /** Throws away what earlier turns left. */
  empty(): Promise<void>;
  /** Many jobs in as few round trips as the queue allows; in its store when this resolves. */
  enqueue(jobs: readonly BatchJob[]): Promise<void>;
  /**
   * Takes jobs, at most `atOnce` of them in work, until what it resolves with is called. A job whose promise resolves
   * is done.
   * @param lookEveryMs between two looks for jobs that have become due, where the queue looks and can be told how often
   */
  work(serve: (job: BatchJob) => Promise<void>, atOnce: number, lookEveryMs?: number): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

export type OpenQueue = (servers: QueueServers) => Promise<JobQueue>;
