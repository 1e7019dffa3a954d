/**
 * What a batch and a job cost, as docs/performance.md and docs/data.md publish it: a test holds these to the pages. CPU
 * in microseconds of one core, sizes in bytes.
 */
export const figures = {
  /** A batch of 100 users through two steps, by how long its calls take; all processes but the endpoints. */
  batch: [
    { latencyMs: 0, us: 236 },
    { latencyMs: 5, us: 227 },
    { latencyMs: 20, us: 319 },
    { latencyMs: 50, us: 512 },
  ],
  /** Those were quick cores: the same took twice as much on those of the day before, as others' may be. */
  slowerCores: 2,
  /** Of the first of them, by process. */
  batchByProcess: { worker: 96, Postgres: 77, trigger: 34, Kafka: 21 },
  /** A callback. Taken singly it costs the API ten times as much as in bulk. */
  job: { api: { bulk: 15, singly: 150 }, Postgres: { bulk: 58, singly: 81 }, scheduler: 15, Kafka: 10, dispatcher: 56 },
  /** The database's log, for a batch of two steps, and for a job from its acceptance to its end. */
  log: { batch: 2746, job: 1465 },
  /** What stays in tables and indexes until its retention ends. */
  kept: { user: 18, step: 410, failure: 200, receipt: 118, job: 380 },
} as const;
