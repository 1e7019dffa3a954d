import { quantiles, rate, rateBy, type Board } from './board.ts';

export const callbacks: Board = {
  uid: 'muster-callbacks',
  title: 'Muster: callbacks',
  choices: { client: 'label_values(muster_client_due_jobs, client)' },
  sections: [
    {
      title: 'Calls',
      panels: [
        {
          title: 'Calls by verdict',
          meaning: 'Dead and expired ones are not tried again.',
          unit: 'ops',
          queries: [{ expr: rateBy('verdict', 'muster_callbacks_total'), legend: '{{verdict}}' }],
        },
        {
          title: 'Reports of calls that were accepted',
          meaning: 'Of receivers that answered 202: those that came too early come again.',
          unit: 'ops',
          queries: [{ expr: rateBy('verdict', 'muster_job_reports_total'), legend: '{{verdict}}' }],
        },
        {
          title: 'Called after their time by',
          meaning: 'From the instant that was asked for to the call.',
          unit: 's',
          queries: quantiles('muster_callback_lag_seconds'),
        },
        {
          title: 'How long a call takes',
          meaning: 'Of the receivers, as the dispatchers see it.',
          unit: 's',
          queries: quantiles('muster_callback_duration_seconds'),
        },
        {
          title: 'Calls sent once more',
          meaning: 'Kept connections that ended without an answer. A steady rate: receivers close idle ones too early.',
          unit: 'ops',
          queries: [{ expr: rateBy('instance', 'muster_callbacks_sent_again_total'), legend: '{{instance}}' }],
        },
        {
          title: 'A flush takes',
          meaning: 'One statement that ends and claims jobs.',
          unit: 's',
          queries: quantiles('muster_callback_flush_duration_seconds'),
        },
        {
          title: 'Refused, missed and lost',
          meaning:
            'Forged references; claims that another had; answers that could not be written and are called for again.',
          unit: 'ops',
          queries: [
            { expr: `sum(${rate('muster_callback_references_refused_total', '')})`, legend: 'references refused' },
            { expr: `sum(${rate('muster_callback_claims_missed_total', '')})`, legend: 'claims missed' },
            { expr: `sum(${rate('muster_callback_results_lost_total', '')})`, legend: 'results lost' },
          ],
        },
        {
          title: 'Jobs in dispatchers',
          meaning: 'By what they wait for.',
          unit: 'short',
          queries: [{ expr: 'sum by (state) (muster_dispatcher_jobs)', legend: '{{state}}' }],
        },
        {
          title: 'Longest wait for a call slot',
          meaning: 'Of a claimed job; it is released after two seconds.',
          unit: 's',
          queries: [{ expr: 'max by (instance) (muster_dispatcher_longest_wait_seconds)', legend: '{{instance}}' }],
        },
      ],
    },
    {
      title: 'Scheduler',
      panels: [
        {
          title: 'Jobs taken by the API',
          meaning: '`reused`: refused, for another call had their key.',
          unit: 'ops',
          queries: [{ expr: rateBy('result', 'muster_jobs_taken_total'), legend: '{{result}}' }],
        },
        {
          title: 'Jobs before their commit',
          meaning: 'Accepted by the API and not yet answered.',
          unit: 'short',
          queries: [{ expr: 'sum(muster_jobs_before_commit)', legend: 'before commit' }],
        },
        {
          title: 'Late',
          meaning: 'How long the oldest job that nobody has offered is due, and how many there are.',
          unit: 's',
          queries: [{ expr: 'max(muster_jobs_lag_seconds)', legend: 'oldest' }],
        },
        {
          title: 'Jobs late, offered and swept',
          meaning: 'Of the last look of each scheduler.',
          unit: 'short',
          queries: [
            { expr: 'sum(muster_jobs_late)', legend: 'late' },
            { expr: 'sum(muster_jobs_offered)', legend: 'offered' },
            { expr: 'sum(muster_jobs_swept)', legend: 'swept' },
          ],
        },
        {
          title: 'Partitions owned',
          meaning: '64 in all: less means that some have no scheduler.',
          unit: 'short',
          queries: [{ expr: 'sum by (instance) (muster_job_partitions_owned)', legend: '{{instance}}' }],
        },
        {
          title: 'Schedules',
          meaning: 'Fires, and what was skipped with its cause.',
          unit: 'ops',
          queries: [
            { expr: `sum(${rate('muster_schedule_fires_total', '')})`, legend: 'fires' },
            { expr: rateBy('cause', 'muster_schedule_skips_total'), legend: 'skipped: {{cause}}' },
          ],
        },
        {
          title: 'Broken schedules, ledgers that do not add up',
          meaning: 'Both are 0 where all is well.',
          unit: 'short',
          queries: [
            { expr: 'max(muster_schedules_broken)', legend: 'schedules broken' },
            { expr: 'max(muster_ledger_unbalanced_clients)', legend: 'clients whose ledger is off' },
          ],
        },
      ],
    },
    {
      title: 'Clients (the 20 that have most, and all others)',
      panels: [
        {
          title: 'Behind by',
          meaning: 'How long the oldest due job of a client waits for its turn.',
          unit: 's',
          queries: [
            { expr: 'max by (client) (muster_client_oldest_due_seconds{client=~"$client"})', legend: '{{client}}' },
            {
              expr: 'max by (client) (muster_job_client_behind_seconds{client=~"$client"})',
              legend: '{{client}} not offered',
            },
          ],
        },
        {
          title: 'Clients behind',
          meaning: 'How many have jobs that are due and are not offered.',
          unit: 'short',
          queries: [{ expr: 'max(muster_job_clients_behind)', legend: 'clients' }],
        },
        {
          title: 'Due jobs',
          meaning: 'What each client has before it now.',
          unit: 'short',
          queries: [{ expr: 'max by (client) (muster_client_due_jobs{client=~"$client"})', legend: '{{client}}' }],
        },
        {
          title: 'Blocked by earlier jobs of their ordering key',
          meaning: 'Due jobs that wait for earlier jobs of their ordering key, and the number of these keys.',
          unit: 'short',
          queries: [
            { expr: 'max by (client) (muster_client_blocked_jobs{client=~"$client"})', legend: '{{client}} jobs' },
            { expr: 'max by (client) (muster_client_blocked_keys{client=~"$client"})', legend: '{{client}} keys' },
          ],
        },
        {
          title: 'Blocked for',
          meaning: 'Time since which the oldest blocked job has been due.',
          unit: 's',
          queries: [
            { expr: 'max by (client) (muster_client_oldest_blocked_seconds{client=~"$client"})', legend: '{{client}}' },
          ],
        },
        {
          title: 'Dead and sidelined jobs, hosts without answers',
          meaning: 'Dead ones wait for a person; what is sidelined goes on when its host is back.',
          unit: 'short',
          queries: [
            { expr: 'max by (client) (muster_client_dead_jobs{client=~"$client"})', legend: '{{client}} dead' },
            {
              expr: 'max by (client) (muster_client_sidelined_jobs{client=~"$client"})',
              legend: '{{client}} sidelined',
            },
            {
              expr: 'max by (client) (muster_client_open_hosts{client=~"$client"})',
              legend: '{{client}} hosts aside',
            },
          ],
        },
      ],
    },
  ],
};
