import type { MetricTable } from '../../../shared/ports/meter.ts';

/**
 * Maximum number of clients that have a label of their own. There may be too many clients to label all of them, and the
 * clients with the most waiting jobs matter most.
 */
export const namedClients = 20;

const byClient = { kind: 'gauge', labelNames: ['client'] } as const;
const others = `The ${namedClients} clients with the highest values, and all others together; only in the checking process.`;

export const schedulerMetrics = {
  owned: {
    kind: 'gauge',
    name: 'muster_job_partitions_owned',
    help: 'Partitions of jobs that this scheduler owns, of 64.',
  },
  clientsBehind: {
    kind: 'gauge',
    name: 'muster_job_clients_behind',
    help: 'Clients with more due jobs than dispatchers accept now.',
  },
  clientBehind: {
    ...byClient,
    name: 'muster_job_client_behind_seconds',
    help: `Age of the oldest due job of a client that dispatchers do not accept: the ${namedClients} longest.`,
  },
  offered: { kind: 'gauge', name: 'muster_jobs_offered', help: 'Jobs offered to dispatchers since the start.' },
  swept: {
    kind: 'gauge',
    name: 'muster_jobs_swept',
    help: 'Jobs offered again because no dispatcher called them.',
  },
  late: { kind: 'gauge', name: 'muster_jobs_late', help: 'Due jobs that the poll had missed.' },
  lag: { kind: 'gauge', name: 'muster_jobs_lag_seconds', help: 'Delay of the job that the last poll found last.' },
  fires: { kind: 'counter', name: 'muster_schedule_fires_total', help: 'Occurrences of schedules that fired.' },
  skips: {
    kind: 'counter',
    name: 'muster_schedule_skips_total',
    help: 'Instants of schedules that did not fire, by cause.',
    labelNames: ['cause'],
  },
  broken: {
    kind: 'gauge',
    name: 'muster_schedules_broken',
    help: 'Schedules that cannot be read or planned, at the last check of all schedules.',
  },
  unbalanced: {
    kind: 'gauge',
    name: 'muster_ledger_unbalanced_clients',
    help: 'Clients whose stored jobs are not the accepted less the ended jobs, at the last check; only in the checking process. A value above 0 means damage or a bug; the log names the clients.',
  },
  due: { ...byClient, name: 'muster_client_due_jobs', help: `Jobs that are due and have not ended. ${others}` },
  oldestDue: {
    ...byClient,
    name: 'muster_client_oldest_due_seconds',
    help: `Age of the oldest due job that has not ended. ${others}`,
  },
  sidelined: {
    ...byClient,
    name: 'muster_client_sidelined_jobs',
    help: `Jobs that wait for a host with an open circuit. ${others}`,
  },
  blocked: {
    ...byClient,
    name: 'muster_client_blocked_jobs',
    help: `Due jobs that wait for earlier jobs of their ordering key. ${others}`,
  },
  blockedKeys: {
    ...byClient,
    name: 'muster_client_blocked_keys',
    help: `Ordering keys with blocked jobs. ${others}`,
  },
  oldestBlocked: {
    ...byClient,
    name: 'muster_client_oldest_blocked_seconds',
    help: `Time since which the oldest blocked job of a client has been due. ${others}`,
  },
  hosts: { ...byClient, name: 'muster_client_open_hosts', help: `Hosts with an open circuit. ${others}` },
  dead: {
    ...byClient,
    name: 'muster_client_dead_jobs',
    help: `Dead jobs that were not replayed. ${others}`,
  },
} as const satisfies MetricTable;
