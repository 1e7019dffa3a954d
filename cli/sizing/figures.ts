/**
 * Cost of a batch and a job. A test checks that docs/performance.md and docs/data.md publish the same figures. CPU in
 * microseconds of one core, sizes in bytes.
 */
export const figures = {
  /**
   * CPU of a batch of 100 users through two steps, over all processes except the endpoints, by latency of the calls.
   */
  batch: [
    { latencyMs: 0, us: 236 },
    { latencyMs: 5, us: 227 },
    { latencyMs: 20, us: 319 },
    { latencyMs: 50, us: 512 },
  ],
  /** Factor for slower cores: the same work took twice as long on them as on the measured ones. */
  slowerCores: 2,
  /** CPU of the batch with latency 0, by process. */
  batchByProcess: { worker: 96, Postgres: 77, trigger: 34, Kafka: 21 },
  /**
   * CPU of all processes that a cap adds to each step of a batch that it counts, while no users are near the cap.
   */
  cappedStepUs: 285,
  /** A callback. Submitted singly, it costs the API ten times as much as in bulk. */
  job: { api: { bulk: 15, singly: 150 }, Postgres: { bulk: 58, singly: 81 }, scheduler: 15, Kafka: 10, dispatcher: 56 },
  /**
   * Bytes of the database's log: a batch of two steps, a job from acceptance to end, a failed user recorded with its
   * batch, and a receipt in a group of 1,000.
   */
  log: { batch: 2746, job: 1465, failure: 241, receipt: 275 },
  /** Bytes in tables and indexes until retention deletes them. */
  kept: { user: 18, step: 410, failure: 200, receipt: 118, job: 380, effect: 22 },
  /** Characters of the user ids with which `kept` and `log` were measured. */
  idLength: 12,
  /** Bytes that each further character of an id adds: once per batch, and per failure, receipt or effect. */
  perIdCharacter: {
    kept: { user: 1, failure: 2.2, receipt: 2.7, effect: 0.8 },
    log: { user: 1, failure: 2.1, receipt: 2.9 },
  },
  /**
   * Limits of one primary server. Cores: a large machine. Log: the rate that one disk and one standby sustain. Size:
   * what a daily base backup can copy. Connections: sessions without a pooler.
   */
  oneDatabase: { cores: 64, logBytesASecond: 100 * 2 ** 20, keptBytes: 8 * 2 ** 40, connections: 2000 },
} as const;
