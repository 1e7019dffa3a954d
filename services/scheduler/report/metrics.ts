import type { MetricTable } from '../../../shared/ports/meter.ts';

/** Clients with a label of their own: all would be too many, and the largest ones show who starves. */
export const namedClients = 20;

const byClient = { kind: 'gauge', labelNames: ['client'] } as const;
const others = `The ${namedClients} clients with most of it, and all others together; of the process that checks.`;

export const schedulerMetrics = {
  owned: {
    kind: 'gauge',
    name: 'muster_job_partitions_owned',
    help: 'Partitions of jobs that this scheduler looks at, of 64.',
  },
  clientsBehind: {
    kind: 'gauge',
    name: 'muster_job_clients_behind',
    help: 'Clients of which more is due than dispatchers take now.',
  },
  clientBehind: {
    ...byClient,
    name: 'muster_job_client_behind_seconds',
    help: `For how long the oldest job of a client has been due that dispatchers do not take: the ${namedClients} longest.`,
  },
  offered: { kind: 'gauge', name: 'muster_jobs_offered', help: 'Jobs offered to dispatchers since the start.' },
  swept: {
    kind: 'gauge',
    name: 'muster_jobs_swept',
    help: 'Jobs offered again because nobody called them.',
  },
  late: { kind: 'gauge', name: 'muster_jobs_late', help: 'Jobs found behind the marks.' },
  lag: { kind: 'gauge', name: 'muster_jobs_lag_seconds', help: 'How late the latest job was seen by the last look.' },
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
    help: 'Schedules that cannot be read or planned, at the last look at all of them.',
  },
  unbalanced: {
    kind: 'gauge',
    name: 'muster_ledger_unbalanced_clients',
    help:
      'Clients whose stored jobs are not what was accepted less what has ended, by the last check; of the process ' +
      'that checks. More than none is damage or a bug; the log names them.',
  },
  due: { ...byClient, name: 'muster_client_due_jobs', help: `Jobs that are due and have not ended. ${others}` },
  oldestDue: {
    ...byClient,
    name: 'muster_client_oldest_due_seconds',
    help: `For how long the oldest job of a client has been due that has not ended. ${others}`,
  },
  sidelined: {
    ...byClient,
    name: 'muster_client_sidelined_jobs',
    help: `Jobs that wait for a host that is left alone. ${others}`,
  },
  inLine: {
    ...byClient,
    name: 'muster_client_in_line_jobs',
    help: `Jobs that are ready, behind others of their ordering key. ${others}`,
  },
  keysInLine: {
    ...byClient,
    name: 'muster_client_in_line_keys',
    help: `Ordering keys of which jobs are ready and in line. ${others}`,
  },
  oldestInLine: {
    ...byClient,
    name: 'muster_client_oldest_in_line_seconds',
    help: `For how long the first of the jobs in line of a client has been there. ${others}`,
  },
  hosts: { ...byClient, name: 'muster_client_hosts_aside', help: `Hosts that are left alone. ${others}` },
  dead: {
    ...byClient,
    name: 'muster_client_dead_jobs',
    help: `Jobs that were given up and not replayed. ${others}`,
  },
} as const satisfies MetricTable;
