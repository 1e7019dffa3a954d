import type { KeyAdvancer, OrderedKey } from '../../../shared/ports/ordered-keys.ts';
import { atOnce } from './at-once.ts';
import type { CallbackTables } from './callback-tables.ts';
import { countJobs, type StoredJobRow } from './job-tables.ts';

const sweptAfterMs = 1000;

/** Corresponds to `advance_key` in migrations/…_schema/ordered-jobs.sql. */
export function createMemoryKeyAdvancer({ tables }: { tables: CallbackTables }): KeyAdvancer {
  const { jobs, fires, wakes, clock } = tables;

  function jobsOf({ clientId, key }: OrderedKey): StoredJobRow[] {
    return [...jobs.values()].filter((job) => job.clientId === clientId && job.ordering?.key === key);
  }

  function waitingOf(of: OrderedKey): StoredJobRow[] {
    return jobsOf(of)
      .filter(({ dueAtMs, sideline }) => dueAtMs === Infinity && sideline === null)
      .sort(inTurn);
  }

  function advanceOne(of: OrderedKey): void {
    for (const wake of wakes) if (wake.clientId === of.clientId && wake.key === of.key) wakes.delete(wake);
    const [next] = waitingOf(of);
    const active = jobsOf(of).find(({ dueAtMs, sideline }) => dueAtMs < Infinity || sideline !== null);
    if (!next || (active && !mayGiveWay(active, next))) return;
    if (active) jobs.set(active.jobId, { ...active, dueAtMs: Infinity });
    jobs.set(next.jobId, { ...next, dueAtMs: Math.max(readyAtMs(next), clock.nowMs()) });
    if (isOver(next)) for (const job of waitingOf(of).slice(0, 1000).filter(isOver)) expire(job);
  }

  function mayGiveWay(active: StoredJobRow, next: StoredJobRow): boolean {
    if (
      active.sideline !== null ||
      (active.report ?? null) !== null ||
      active.dueAtMs <= clock.nowMs() ||
      fires.has(active.jobId)
    )
      return false;
    return !(active.ordering?.isInOrder && active.attempt > 1) && inTurn(next, active) < 0;
  }

  const isOver = ({ expiresAtMs }: StoredJobRow) => expiresAtMs !== null && expiresAtMs <= clock.nowMs();

  function expire(job: StoredJobRow): void {
    jobs.delete(job.jobId);
    const nothing = { status: null, latencyMs: null, error: null, answer: null };
    tables.ended.push({ ...job, ...nothing, endedAtMs: clock.nowMs(), outcome: 'expired' });
    countJobs(tables, job.clientId, { expired: 1 });
  }

  return {
    advance: (keys) =>
      atOnce(() => {
        for (const key of keys) advanceOne(key);
      }),
    sweep: () =>
      atOnce(() => {
        const lost = [...wakes].filter(({ atMs }) => atMs < clock.nowMs() - sweptAfterMs);
        const keys = new Map(lost.map(({ clientId, key }) => [`${clientId} ${key}`, { clientId, key }]));
        for (const key of keys.values()) advanceOne(key);
        return keys.size;
      }),
  };
}

const readyAtMs = ({ readyAtMs: at = 0 }: StoredJobRow) => at;

function inTurn(a: StoredJobRow, b: StoredJobRow): number {
  return readyAtMs(a) - readyAtMs(b) || a.acceptedAtMs - b.acceptedAtMs || (a.place ?? 0) - (b.place ?? 0);
}

/** Marks a key to be advanced. Called when one of its jobs is stored, ends or moves. */
export function wakeKey(tables: Pick<CallbackTables, 'wakes' | 'clock'>, { clientId, ordering }: StoredJobRow): void {
  if (ordering) tables.wakes.add({ clientId, key: ordering.key, atMs: tables.clock.nowMs() });
}
