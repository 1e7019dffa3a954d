import type { SchedulerShape } from '../../shared/contracts/jobs/scheduler.ts';
import { count, duration } from '../show/numbers.ts';
import type { Paint } from '../show/paint.ts';
import { renderTable, type Column } from '../show/tables.ts';
import { oneLine } from '../show/text.ts';
import { utcTime } from '../show/times.ts';

const left = (title: string): Column => ({ title, align: 'left' });
const cut = (title: string): Column => ({ title, align: 'left', cut: true });
const right = (title: string): Column => ({ title, align: 'right' });

export function renderScheduler(scheduler: SchedulerShape, paint: Paint, width = Infinity): string {
  const { regions, nodes, partitions, hosts, backlog, lagMs } = scheduler;
  const unowned = partitions.filter(({ owner }) => owner === null).length;
  const facts = [
    `${count(backlog.due)} jobs due, the oldest for ${duration(backlog.oldestMs / 1000)}`,
    `seen ${Math.round(lagMs)} ms late, ${duration(backlog.seconds)} of work on the topics`,
    unowned === 0 ? 'every partition has an owner' : `${unowned} of ${partitions.length} partitions have no owner`,
  ];
  const sections = [
    `${facts.join('\n')}\n`,
    renderRegions(regions, paint, width),
    nodes.length === 0 ? 'no scheduler and no dispatcher is alive\n' : renderNodes(scheduler, paint, width),
    ...(hosts.length === 0 ? [] : [renderHosts(hosts, paint, width)]),
  ];
  return sections.join('\n');
}

export function renderRegions(regions: SchedulerShape['regions'], paint: Paint, width = Infinity): string {
  const columns = [left('region'), left('state'), right('epoch'), left('since'), cut('reason')];
  const rows = regions.map(({ name, active, epoch, changedAt, reason }) => [
    ...[name, active ? 'active' : 'off', count(epoch), utcTime(changedAt), oneLine(reason ?? '')],
  ]);
  return renderTable(columns, rows, paint, width);
}

function renderNodes({ nodes, leaders }: SchedulerShape, paint: Paint, width: number): string {
  const columns = [left('node'), left('region'), right('partitions'), right('waiting'), right('per s'), left('leads')];
  const rows = nodes.map(({ owner, kind, region, partitions, figures }) => [
    ...[oneLine(owner), region, kind === 'scheduler' ? count(partitions) : ''],
    count((figures['waiting'] ?? 0) + (figures['queued'] ?? 0)),
    kind === 'dispatcher' ? count(figures['handledPerSecond'] ?? 0) : '',
    leaders.flatMap((leader) => (leader.owner === owner ? [leader.name] : [])).join(', '),
  ]);
  return renderTable(columns, rows, paint, width);
}

function renderHosts(hosts: SchedulerShape['hosts'], paint: Paint, width: number): string {
  const columns = [left('host'), left('client'), left('state'), right('jobs aside'), cut('cause')];
  const rows = hosts.map(({ host, clientId, state, sidelined, cause }) => [
    ...[oneLine(host), clientId, state, count(sidelined), oneLine(cause)],
  ]);
  return renderTable(columns, rows, paint, width);
}
