import type { DueJobs, Fired } from '../../../services/scheduler/ports/due-jobs.ts';
import { atOnce } from './at-once.ts';
import { heldRow } from './leases.ts';
import type { MemoryDatabase } from './memory-database.ts';
import type { JobRow } from './run-tables.ts';
import { insertRun } from './insert-run.ts';
import { hasRevision } from './run-definitions.ts';

export function createMemoryDueJobs({ database }: { database: MemoryDatabase }): DueJobs {
  const { jobs, clock } = database;

  function due(limit: number): JobRow[] {
    return [...jobs.values()]
      .filter((job) => job.dueAtMs <= clock.nowMs())
      .sort((a, b) => a.dueAtMs - b.dueAtMs)
      .slice(0, limit);
  }

  function nextDueInMs(): number | null {
    const times = [...jobs.values()].map((job) => job.dueAtMs);
    return times.length === 0 ? null : Math.max(0, Math.min(...times) - clock.nowMs());
  }

  function start(taken: readonly JobRow[]): Pick<Fired, 'runs' | 'orphans'> {
    const runs: Fired['runs'] = [];
    const orphans: Fired['orphans'] = [];
    for (const { id, campaignId, revision, dueAtMs, settings } of taken) {
      jobs.delete(id);
      if (!hasRevision(database, { campaignId, revision })) orphans.push({ jobId: id, campaignId, revision });
      else {
        const run = { campaignId, revision, scheduledFor: new Date(dueAtMs), settings };
        runs.push({ campaignId, ...insertRun(database, run) });
      }
    }
    return { runs, orphans };
  }

  return {
    fire: (lease, limit) =>
      atOnce(() => {
        if (!heldRow(database, lease)) return { leaseHeld: false, runs: [], orphans: [], nextDueInMs: null };
        const started = start(due(limit));
        return { leaseHeld: true, ...started, nextDueInMs: nextDueInMs() };
      }),
  };
}
