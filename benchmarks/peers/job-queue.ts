/** One batch as a job carries it: a queue has no place of its own for users. */
export interface BatchJob {
  batch: number;
  /** Ids separated by commas: cheaper to store and to read than a list, and quotes would have to be escaped. */
  users: string;
  count: number;
}

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
  /** Takes jobs, at most `atOnce` of them in work, until what it resolves with is called. A job whose promise resolves is done. */
  work(serve: (job: BatchJob) => Promise<void>, atOnce: number): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

export type OpenQueue = (servers: QueueServers) => Promise<JobQueue>;
