import { EventEmitter } from 'node:events';
import type { ClientBase, Pool } from 'pg';
import type { Clock } from '../../ports/clock.ts';
import type { Meter } from '../../ports/meter.ts';
import { processMetrics } from '../../runtime/meter/process-metrics.ts';
import { systemClock } from '../../runtime/system-clock.ts';

/** SQLSTATE `disk_full`: the server could not extend a file. */
export const diskFull = '53100';

/**
 * Time for which the disk counts as full after a refused statement. No statement proves that there is room again: small
 * changes also succeed on a full disk, within existing pages.
 */
const fullForMs = 30_000;

export interface DiskWatch {
  noteRefusal(): void;
  /** Throws while the disk counts as full. */
  require(): void;
}

export function createDiskWatch(clock: Pick<Clock, 'monotonicMs'>, refusals: { add(by?: number): void }): DiskWatch {
  let refusedMs: number | undefined;
  return {
    noteRefusal: () => {
      refusedMs = clock.monotonicMs();
      refusals.add(1);
    },
    require: () => {
      if (refusedMs === undefined) return;
      const agoMs = clock.monotonicMs() - refusedMs;
      if (agoMs >= fullForMs) return;
      throw new Error(`the disk of the database is full: it refused to write ${Math.floor(agoMs / 1000)} s ago`);
    },
  };
}

/** One watch for each process, whose pools share one meter. */
const ofMeters = new WeakMap<Meter, DiskWatch>();
const ofPools = new WeakMap<Pool, DiskWatch>();

/** Records refusals of all statements on the pool's connections. */
export function watchDisk(pool: Pool, meter: Meter): void {
  const watch = ofMeters.get(meter) ?? createDiskWatch(systemClock, meter.counter(processMetrics.diskRefusals).of({}));
  ofMeters.set(meter, watch);
  ofPools.set(pool, watch);
  pool.on('connect', (client) => onRefused(client, () => watch.noteRefusal()));
}

/** Throws while the disk of the pool's server counts as full for this process. */
export function requireRoom(pool: Pool): void {
  ofPools.get(pool)?.require();
}

function onRefused(client: ClientBase, note: () => void): void {
  const connection: unknown = Reflect.get(client, 'connection');
  if (!(connection instanceof EventEmitter)) throw new Error('pg has no connection as in version 8.23');
  connection.on('errorMessage', (error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === diskFull) note();
  });
}
