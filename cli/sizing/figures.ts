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
  /**
   * The database's log: of a batch of two steps, of a job from its acceptance to its end, of a failed user in the flush
   * that records the batch, and of a receipt in a group of 1,000.
   */
  log: { batch: 2746, job: 1465, failure: 241, receipt: 275 },
  /** What stays in tables and indexes until its retention ends. */
  kept: { user: 18, step: 410, failure: 200, receipt: 118, job: 380 },
  /** User ids had this many characters when `kept` and `log` were measured. */
  idLength: 12,
  /** Bytes that each further character of an id adds: once in a batch, in table and index of failures and receipts. */
  perIdCharacter: { kept: { user: 1, failure: 2.2, receipt: 2.7 }, log: { user: 1, failure: 2.1, receipt: 2.9 } },
  /**
   * One primary server at the most: the cores of a large machine, the log that one disk and one standby take
   * continuously, what a base backup can still copy in a day, and sessions that need no pooler in front.
   */
  oneDatabase: { cores: 64, logBytesASecond: 100 * 2 ** 20, keptBytes: 8 * 2 ** 40, connections: 2000 },
} as const;
