import { quantiles, rate, rateBy, type Board } from './board.ts';

export const installation: Board = {
  uid: 'muster-installation',
  title: 'Muster: installation',
  choices: {},
  sections: [
    {
      title: 'Processes',
      panels: [
        {
          title: 'Parts that are not well',
          meaning: 'Processes that answer 503 on /readyz, and for which part. Nothing here is good.',
          unit: 'short',
          queries: [{ expr: 'muster_ready == 0', legend: '{{instance}} {{part}}' }],
        },
        {
          title: 'Versions',
          meaning: 'Processes of each version. Two of them while a roll-out goes on, and one release of zone data.',
          unit: 'short',
          queries: [
            {
              expr: 'count by (service, version, zone_data) (muster_build_info)',
              legend: '{{service}} {{version}} {{zone_data}}',
            },
          ],
        },
        {
          title: 'Timers fire late by',
          meaning: 'A processor is short where p99 stays above 0.1 s.',
          unit: 's',
          queries: quantiles('muster_event_loop_delay_seconds', ['instance']),
        },
        {
          title: 'Spans of traces',
          meaning:
            'Where tracing is on. no-room, refused: the collector is too slow, away or wrong; nothing waits for it.',
          unit: 'ops',
          queries: [{ expr: rateBy('result', 'muster_trace_spans_total'), legend: '{{result}}' }],
        },
        {
          title: 'Connections to Postgres',
          meaning: 'Statements that wait for one mean that the pool is too small or Postgres too slow.',
          unit: 'short',
          queries: [{ expr: 'sum by (pool, state) (muster_postgres_connections)', legend: '{{pool}} {{state}}' }],
        },
        {
          title: 'Reads sent once more',
          meaning:
            'Kept connections that ended without an answer. A steady rate: the service closes idle ones too early.',
          unit: 'ops',
          queries: [{ expr: rateBy('service', 'muster_reads_sent_again_total'), legend: '{{service}}' }],
        },
        {
          title: 'Statements refused by a full disk',
          meaning: 'Postgres has no room: nothing that needs any is stored until a person makes some.',
          unit: 'ops',
          queries: [{ expr: rateBy('instance', 'muster_postgres_disk_full_total'), legend: '{{instance}}' }],
        },
      ],
    },
    {
      title: 'Topics',
      panels: [
        {
          title: 'Messages into quarantine',
          meaning: 'Read and not believed. More than none: another writes to the topics, or a version is broken.',
          unit: 'ops',
          queries: [
            { expr: rateBy('cause, kept', 'muster_messages_set_aside_total'), legend: '{{cause}}, kept: {{kept}}' },
            { expr: `sum(${rate('muster_foreign_messages_total', '')})`, legend: 'of other installations' },
          ],
        },
        {
          title: 'What the consumers have before them',
          meaning: 'Messages that are not handled yet, by topic.',
          unit: 'short',
          queries: [{ expr: 'sum by (topic) (muster_consumer_lag_messages)', legend: '{{topic}}' }],
        },
        {
          title: 'What the consumers have in their hands',
          meaning: 'Delivered and not settled; held: fetched, and a lane has enough.',
          unit: 'short',
          queries: [
            { expr: 'sum by (topic) (muster_consumer_unsettled_messages)', legend: '{{topic}} unsettled' },
            { expr: 'sum by (topic) (muster_consumer_held_messages)', legend: '{{topic}} held' },
          ],
        },
        {
          title: 'Partitions assigned',
          meaning: 'Their sum is the number of partitions of the topic; less: nobody reads some.',
          unit: 'short',
          queries: [{ expr: 'sum by (topic) (muster_consumer_lanes)', legend: '{{topic}}' }],
        },
      ],
    },
    {
      title: 'API, sums and quotas',
      panels: [
        {
          title: 'Requests refused for their key',
          meaning: 'A steady rate is a client with an old key, or one who tries keys.',
          unit: 'ops',
          queries: [{ expr: `sum(${rate('muster_api_unauthorized_total', '')})`, legend: 'refused' }],
        },
        {
          title: 'Quotas used',
          meaning: 'Of the account that is nearest to each; 1 is all.',
          unit: 'percentunit',
          queries: [{ expr: 'max by (quota) (muster_quota_used_ratio)', legend: '{{quota}}' }],
        },
        {
          title: 'Sums that were set right',
          meaning: 'Sums of a run that were not what its rows say. More than none is damage or a bug.',
          unit: 'ops',
          queries: [{ expr: rateBy('kind', 'muster_reconciler_repairs_total'), legend: '{{kind}}' }],
        },
        {
          title: 'Weeks and days held up',
          meaning: 'A long reader holds tables of which weeks or days are to be made or dropped; they are tried again.',
          unit: 'ops',
          queries: [{ expr: `sum(${rate('muster_partitions_held_up_total', '')})`, legend: 'held up' }],
        },
      ],
    },
    {
      title: 'Connectors: segments, actions by SQL, calls, e-mail',
      panels: [
        {
          title: 'Requests',
          meaning: 'Segments are read by list, describe and page, actions called by batch. 5xx: a database is away.',
          unit: 'ops',
          queries: [
            {
              expr: rateBy('request, status', 'muster_connectors_request_duration_seconds_count'),
              legend: '{{request}} {{status}}',
            },
          ],
        },
        {
          title: 'Requests take',
          meaning: 'A page takes up to 3 s while its snapshot is copied, and milliseconds after that.',
          unit: 's',
          queries: quantiles('muster_connectors_request_duration_seconds', ['request']),
        },
        {
          title: 'Snapshots',
          meaning: 'refused: a person has to change the query or its data. failed: the database was away or too slow.',
          unit: 'ops',
          queries: [
            { expr: rateBy('segment, result', 'muster_connectors_snapshots_total'), legend: '{{segment}} {{result}}' },
          ],
        },
        {
          title: 'Users copied',
          meaning: 'Users per second that are copied into snapshots.',
          unit: 'ops',
          queries: [{ expr: rateBy('segment', 'muster_connectors_copied_users_total'), legend: '{{segment}}' }],
        },
        {
          title: 'Snapshots being copied',
          meaning: 'By process.',
          unit: 'short',
          queries: [{ expr: 'sum by (instance) (muster_connectors_building_snapshots)', legend: '{{instance}}' }],
        },
        {
          title: 'Users of single calls',
          meaning: 'retryable: not called, or the API refuses for now. unknown: the answer was lost.',
          unit: 'ops',
          queries: [
            {
              expr: rateBy('action, outcome', 'muster_connectors_called_users_total'),
              legend: '{{action}} {{outcome}}',
            },
          ],
        },
        {
          title: 'Mails',
          meaning: 'held: the mail server is away, or a domain waits. lost: the answer to a mail was lost.',
          unit: 'ops',
          queries: [
            { expr: rateBy('action, outcome', 'muster_connectors_mails_total'), legend: '{{action}} {{outcome}}' },
          ],
        },
      ],
    },
  ],
};
