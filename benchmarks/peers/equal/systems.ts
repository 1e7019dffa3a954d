import type { SystemName } from './load-system.ts';

/** A system that is compared with Muster at equal promises. */
export interface System {
  readonly name: SystemName;
  /** Name in tables. */
  readonly title: string;
  /** Share of a turn's batches that it runs, so that a turn of a slow system does not take a minute. */
  readonly share: number;
}

export const systems: readonly System[] = [
  { name: 'graphile-worker', title: 'graphile-worker', share: 1 },
  { name: 'pg-boss', title: 'pg-boss', share: 1 },
  { name: 'bullmq', title: 'BullMQ', share: 1 },
  { name: 'restate', title: 'Restate', share: 0.3 },
  { name: 'dbos', title: 'DBOS Transact', share: 0.1 },
];
