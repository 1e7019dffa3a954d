import type { Region, Scheduler } from '../../sdk/generated/types.gen.ts';
import type { View } from '../show/paint.ts';
import { count, duration } from '../show/numbers.ts';
import { cut, left, renderItems, right, type ItemColumn } from '../show/tables.ts';
import { utcTime } from '../show/times.ts';

type Node = Scheduler['nodes'][number];

export const regionColumns: readonly ItemColumn<Region>[] = [
  left('region', ({ name }) => name),
  left('state', ({ active }) => (active ? 'active' : 'off')),
  right('epoch', ({ epoch }) => epoch),
  left('since', ({ changedAt }) => utcTime(changedAt)),
  cut('reason', ({ reason }) => reason ?? ''),
];

export function renderScheduler(scheduler: Scheduler, view: View): string {
  const { regions, nodes, partitions, hosts, backlog, lagMs } = scheduler;
  const unowned = partitions.filter(({ owner }) => owner === null).length;
  const facts = [
    `${count(backlog.due)} jobs due, the oldest for ${duration(backlog.oldestMs / 1000)}`,
    `seen ${Math.round(lagMs)} ms late`,
    `${count(backlog.clientsBehind)} clients have more due than dispatchers take now`,
    unowned === 0 ? 'every partition has an owner' : `${unowned} of ${partitions.length} partitions have no owner`,
  ];
  const sections = [
    `${facts.join('\n')}\n`,
    renderItems(regions, regionColumns, view),
    nodes.length === 0 ? 'no scheduler and no dispatcher is alive\n' : renderItems(nodes, nodeColumns(scheduler), view),
    ...(hosts.length === 0 ? [] : [renderItems(hosts, hostColumns, view)]),
  ];
  return sections.join('\n');
}

function nodeColumns({ leaders }: Scheduler): readonly ItemColumn<Node>[] {
  const leads = ({ owner }: Node) => leaders.flatMap((leader) => (leader.owner === owner ? [leader.name] : []));
  return [
    left('node', ({ owner }) => owner),
    left('region', ({ region }) => region),
    right('partitions', ({ kind, partitions }) => (kind === 'scheduler' ? partitions : '')),
    right('waiting', ({ figures }) => (figures['waiting'] ?? 0) + (figures['queued'] ?? 0)),
    right('per s', ({ kind, figures }) => (kind === 'dispatcher' ? (figures['handledPerSecond'] ?? 0) : '')),
    left('leads', (node) => leads(node).join(', ')),
  ];
}

const hostColumns: readonly ItemColumn<Scheduler['hosts'][number]>[] = [
  left('host', ({ host }) => host),
  left('client', ({ clientId, endpoint }) => `${clientId}/${endpoint}`),
  left('state', ({ state }) => state),
  right('jobs aside', ({ sidelined }) => sidelined),
  cut('cause', ({ cause }) => cause),
];
