import { count } from '../show/numbers.ts';
import type { Paint } from '../show/paint.ts';
import { renderTable } from '../show/tables.ts';
import { connectionsOf } from '../../shared/postgres/connection/connections.ts';
import type { Size } from './compute-size.ts';
import { figures } from './figures.ts';

export function renderSize(size: Size, paint: Paint): string {
  const { processes, cores, disk, connections } = size;
  const services = (['api', 'scheduler', 'trigger', 'worker', 'dispatcher'] as const).map((service) => [
    ...[service, count(processes[service]), tenths(cores[service]), count(connectionsOf(service) * processes[service])],
  ]);
  const servers = (['Postgres', 'Kafka'] as const).map((server) => [
    ...[server, '', tenths(cores[server]), server === 'Postgres' ? `max ${count(connections)}` : ''],
  ]);
  const columns = [
    { title: '', align: 'left' as const },
    ...['processes', 'cores', 'connections'].map((title) => ({ title, align: 'right' as const })),
  ];
  const kept = disk.users + disk.steps + disk.failures + disk.receipts + disk.effects + disk.jobs;
  const facts: [string, string][] = [
    ['batches a second', tenths(size.batchesASecond)],
    ['calls in flight', count(size.slots)],
    ['partitions of each shard', count(size.partitionsPerShard)],
    [
      'disk, kept',
      `${bytes(kept)} (users ${bytes(disk.users)}, steps ${bytes(disk.steps)}, failures ${bytes(disk.failures)}, receipts ${bytes(disk.receipts)}, effects of caps ${bytes(disk.effects)}, callbacks ${bytes(disk.jobs)})`,
    ],
    ['log of the database a day', bytes(disk.logADay)],
  ];
  const listed = facts.map(([name, text]) => ` ${paint.faint(name.padEnd(26))} ${text}\n`).join('');
  return `${renderTable(columns, [...services, ...servers], paint)}\n${listed}${warningsOf(size, paint)}`;
}

const boundNames: Record<Size['exceeds'][number], string> = {
  cores: `more than ${figures.oneDatabase.cores} cores of Postgres`,
  logBytesASecond: `more than ${bytes(figures.oneDatabase.logBytesASecond)} of log a second while users are sent`,
  keptBytes: `more than ${bytes(figures.oneDatabase.keptBytes)} kept`,
  connections: `more than ${count(figures.oneDatabase.connections)} connections: put a pooler in front of Postgres`,
};

function warningsOf({ exceeds }: Size, paint: Paint): string {
  if (exceeds.length === 0) return '';
  const causes = exceeds.map((bound) => boundNames[bound]).join('; ');
  return ` ${paint.bad('More than one database can carry')}: ${causes}.\n Split the load over several installations, or keep less.\n`;
}

/** Formats one decimal place, never 0 for a positive value. */
function tenths(value: number): string {
  if (value === 0) return '0';
  return value < 0.1 ? 'below 0.1' : (Math.ceil(value * 10) / 10).toFixed(1);
}

function bytes(value: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  const step = value < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(value) / 10));
  const scaled = value / 1024 ** step;
  return `${scaled < 10 && step > 0 ? scaled.toFixed(1) : count(scaled)} ${units[step] ?? ''}`;
}
