import { heavySlotsOfProcess } from '../../domain/quotas.ts';

/**
 * Maximum connections to Postgres by process and pool, named as in pg_stat_activity. The purpose and size of a pool are
 * explained where it is created. Each process has one more connection, which only listens.
 */
export const poolSizes = {
  api: {
    'muster-api': 10,
    'muster-api-jobs': 4,
    'muster-api-job-lists': 2,
    'muster-api-receipts': 3,
    'muster-api-receipt-exports': 2,
    // One connection for each slot of heavy requests.
    'muster-api-uploads': heavySlotsOfProcess,
    'muster-api-heavy': heavySlotsOfProcess,
  },
  scheduler: { 'muster-scheduler': 4, 'muster-scheduler-jobs': 6 },
  trigger: { 'muster-trigger': 4, 'muster-trigger-feeds': 10 },
  worker: { 'muster-worker': 4, 'muster-worker-dead-letters': 1 },
  dispatcher: { 'muster-dispatcher': 5 },
} as const;

export type PoolOwner = keyof typeof poolSizes;

/** Returns the process's maximum connections, including the one that listens. */
export function connectionsOf(service: PoolOwner): number {
  return Object.values(poolSizes[service]).reduce((sum: number, size: number) => sum + size, 1);
}
