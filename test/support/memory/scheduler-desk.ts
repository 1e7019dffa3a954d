import type { SchedulerDesk } from '../../../services/api/jobs/scheduler/scheduler-desk.port.ts';
import { jobPartitionOf } from '../../../shared/domain/job/job-ids.ts';
import { atOnce } from './at-once.ts';
import { circuitKey, type CallbackTables } from './callback-tables.ts';

export function createMemorySchedulerDesk({ tables }: { tables: CallbackTables }): SchedulerDesk {
  const { regions, nodes, partitions, circuits, jobs, clock } = tables;
  const began = clock.now();
  const all = () =>
    Array.from(regions, ([name, { epoch, active }]) => ({ name, epoch, active, reason: null, changedAt: began })).sort(
      (a, b) => (a.name < b.name ? -1 : 1),
    );
  const dueIn = (partition: number) =>
    [...jobs.values()].filter(({ jobId, dueAtMs }) => jobPartitionOf(jobId) === partition && dueAtMs <= clock.nowMs());

  return {
    look: () =>
      atOnce(() => ({
        regions: all(),
        nodes: [...nodes].flatMap(([owner, { kind, region, figures, expiresAtMs }]) =>
          expiresAtMs > clock.nowMs()
            ? [
                {
                  owner,
                  kind: kind === 'scheduler' ? kind : ('dispatcher' as const),
                  region,
                  startedAt: began,
                  figures,
                },
              ]
            : [],
        ),
        leaders: [],
        partitions: partitions.map((row, partition) => {
          const owner = row.expiresAtMs > clock.nowMs() ? row.owner : null;
          const dues = dueIn(partition).map(({ dueAtMs }) => dueAtMs);
          const oldestMs = dues.length === 0 ? 0 : clock.nowMs() - Math.min(...dues);
          const wanted = row.wanted === owner ? null : row.wanted;
          return { partition, owner, wanted, since: owner === null ? null : began, due: dues.length, oldestMs };
        }),
        hosts: Array.from(circuits.values(), ({ clientId, host, state, cause, openedAtMs }) => ({
          ...{ clientId, host, state, cause, openedAt: new Date(openedAtMs) },
          sidelined: [...jobs.values()].filter((job) => job.clientId === clientId && job.sideline === host).length,
        })),
      })),
    switchTo: (name) =>
      atOnce(() => {
        if (!regions.has(name)) return undefined;
        for (const [each, row] of regions) {
          if (row.active === (each === name)) continue;
          Object.assign(row, { active: each === name, epoch: row.epoch + 1 });
        }
        return all();
      }),
    activate: (name) =>
      atOnce(() => {
        const row = regions.get(name);
        if (row && !row.active) Object.assign(row, { active: true, epoch: row.epoch + 1 });
        return row && all();
      }),
    enableHost: (clientId, host) =>
      atOnce(() => {
        const row = circuits.get(circuitKey(clientId, host));
        if (!row || row.state === 'closing') return false;
        Object.assign(row, { state: 'closing', closingSinceMs: clock.nowMs(), nextAtMs: clock.nowMs() });
        return true;
      }),
  };
}
