import type { z } from 'zod';
import type { regionsShape, SchedulerShape } from '../../../../shared/contracts/jobs/scheduler.ts';
import { publicId } from '../../../../shared/domain/ids/ids.ts';
import type { RegionStatus, StoredSchedulerStatus } from './postgres/scheduler-status.ts';

export function schedulerView(stored: StoredSchedulerStatus): SchedulerShape {
  const { regions, nodes, leaders, partitions, hosts } = stored;
  const ofAll = (figure: string) => nodes.map(({ figures }) => figures[figure] ?? 0);
  return {
    regions: regions.map(regionView),
    nodes: nodes.map(({ startedAt, ...node }) => ({
      ...node,
      startedAt: startedAt.toISOString(),
      partitions: partitions.filter(({ owner }) => owner === node.owner).length,
    })),
    leaders,
    partitions: partitions.map(({ since, ...partition }) => ({ ...partition, since: since?.toISOString() ?? null })),
    hosts: hosts.map(({ clientId, openedAt, ...host }) => ({
      clientId: publicId('client', clientId),
      ...host,
      openedAt: openedAt.toISOString(),
    })),
    backlog: {
      due: partitions.reduce((sum, { due }) => sum + due, 0),
      oldestMs: Math.max(0, ...partitions.map(({ oldestMs }) => oldestMs)),
      clientsBehind: Math.max(0, ...ofAll('clientsBehind')),
    },
    lagMs: Math.max(0, ...ofAll('lagMs')),
  };
}

export function regionsView(regions: readonly RegionStatus[]): z.output<typeof regionsShape> {
  return { items: regions.map(regionView), next: null };
}

function regionView({ changedAt, ...region }: RegionStatus) {
  return { ...region, changedAt: changedAt.toISOString() };
}
