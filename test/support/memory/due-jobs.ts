import type { DueJob, DueJobs } from '../../../services/scheduler/ports/due-jobs.ts';
import { heldRow } from './leases.ts';
import type { MemoryDatabase } from './memory-database.ts';

export function createMemoryDueJobs({ database }: { database: MemoryDatabase }): DueJobs {
  const { jobs, clock } = database;

  function due(limit: number): DueJob[] {
    return [...jobs.values()]
      .filter((job) => job.dueAtMs <= clock.nowMs())
      .sort((a, b) => a.dueAtMs - b.dueAtMs)
      .slice(0, limit)
      .map(({ id, campaignId, revision, dueAtMs }) => ({ job: id, campaignId, revision, dueAt: new Date(dueAtMs) }));
  }

  function nextDueInMs(): number | null {
    const times = [...jobs.values()].map((job) => job.dueAtMs);
    return times.length === 0 ? null : Math.max(0, Math.min(...times) - clock.nowMs());
  }

  return {
    fire: async (lease, limit, publish) => {
      if (!heldRow(database, lease)) return { leaseHeld: false, fired: 0, nextDueInMs: null };

      const taken = due(limit);
      if (taken.length > 0) await publish(taken);
      // Only now: whoever dies or fails in publish leaves the jobs behind.
      for (const { job } of taken) jobs.delete(job);
      return { leaseHeld: true, fired: taken.length, nextDueInMs: nextDueInMs() };
    },
  };
}
