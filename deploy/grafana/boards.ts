/** What the panels of a board show, and how. Times are in seconds, rates a second, as the metrics are. */
export interface Query {
  /** PromQL. */
  expr: string;
  /** What each line is called; `{{label}}` stands for a label of its series. */
  legend: string;
}

export interface Panel {
  title: string;
  /** What it says, and from when on a person has to look. */
  meaning: string;
  unit: 'short' | 's' | 'ops' | 'percentunit' | 'bool';
  queries: readonly Query[];
}

export interface Section {
  title: string;
  panels: readonly Panel[];
}

export interface Board {
  uid: string;
  title: string;
  sections: readonly Section[];
  /** Labels by which the whole board can be narrowed; each panel's series may leave them out. */
  choices: Readonly<Record<string, string>>;
}

const shard = 'action=~"$action", country=~"$country"';
const shardName = '{{action}} {{country}}';

/** @param labels in braces; the series of one metric over 5 minutes */
const rate = (metric: string, labels: string) => `rate(${metric}{${labels}}[$__rate_interval])`;

const rateBy = (by: string, metric: string, labels = '') => `sum by (${by}) (${rate(metric, labels)})`;

/** Half of them take less than the first, and of a hundred one longer than the second. */
function quantiles(metric: string, by: readonly string[] = [], labels = ''): Query[] {
  const name = by.map((label) => `{{${label}}} `).join('');
  return [0.5, 0.99].map((quantile) => ({
    expr: `histogram_quantile(${quantile}, ${rateBy([...by, 'le'].join(', '), `${metric}_bucket`, labels)})`,
    legend: `${name}p${quantile * 100}`,
  }));
}

const installation: Board = {
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
      ],
    },
    {
      title: 'Topics',
      panels: [
        {
          title: 'Messages set aside',
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
          title: 'Weeks that could not be dropped',
          meaning: 'A long reader holds old partitions; they are tried again.',
          unit: 'ops',
          queries: [{ expr: `sum(${rate('muster_trigger_weeks_held_up_total', '')})`, legend: 'held up' }],
        },
      ],
    },
  ],
};

const campaigns: Board = {
  uid: 'muster-campaigns',
  title: 'Muster: campaigns',
  choices: {
    action: 'label_values(muster_shard_workers, action)',
    country: 'label_values(muster_shard_workers{action=~"$action"}, country)',
  },
  sections: [
    {
      title: 'Users and calls',
      panels: [
        {
          title: 'Users by what their call brought',
          meaning: '`reported` had an answer for each user; all others need a look where they last.',
          unit: 'ops',
          queries: [{ expr: rateBy('result', 'muster_worker_users_total', shard), legend: '{{result}}' }],
        },
        {
          title: 'Calls',
          meaning: 'Batches of up to 100 users, by shard and by what they brought.',
          unit: 'ops',
          queries: [
            {
              expr: rateBy('action, country, result', 'muster_worker_calls_total', shard),
              legend: `${shardName} {{result}}`,
            },
          ],
        },
        {
          title: 'How long a call takes',
          meaning: 'Of the endpoint, as the workers see it.',
          unit: 's',
          queries: quantiles('muster_worker_call_duration_seconds', ['action', 'country'], shard),
        },
        {
          title: 'Answers that break the contract',
          meaning: 'More than none: the endpoint answers with users that it was not asked for, or leaves some out.',
          unit: 'ops',
          queries: [
            { expr: rateBy('action, country', 'muster_worker_contract_violations_total', shard), legend: shardName },
          ],
        },
        {
          title: 'Questions for lost answers',
          meaning: 'What class C endpoints said of calls whose answer was lost.',
          unit: 'ops',
          queries: [
            {
              expr: rateBy('action, country, result', 'muster_worker_status_queries_total', shard),
              legend: `${shardName} {{result}}`,
            },
          ],
        },
        {
          title: 'Receipts',
          meaning: 'Delivery receipts that came in. Unknown ones without end: a provider mixes installations up.',
          unit: 'ops',
          queries: [{ expr: rateBy('outcome', 'muster_receipts_total'), legend: '{{outcome}}' }],
        },
      ],
    },
    {
      title: 'Shards',
      panels: [
        {
          title: 'Behind by',
          meaning: 'What is ready there at the rate of now, and ahead: all that could still be done.',
          unit: 's',
          queries: [
            { expr: `max by (action, country) (muster_shard_lag_seconds{${shard}})`, legend: `${shardName} ready` },
            { expr: `max by (action, country) (muster_shard_ahead_seconds{${shard}})`, legend: `${shardName} ahead` },
          ],
        },
        {
          title: 'Messages that wait',
          meaning: 'Published and not handled, for all workers together.',
          unit: 'short',
          queries: [{ expr: `max by (action, country) (muster_shard_lag_messages{${shard}})`, legend: shardName }],
        },
        {
          title: 'Workers, and how many would be through in a minute',
          meaning: 'An autoscaler goes by the second number; it is never above the partitions.',
          unit: 'short',
          queries: [
            { expr: `max by (action, country) (muster_shard_workers{${shard}})`, legend: `${shardName} there` },
            {
              expr: `max by (action, country) (muster_shard_desired_workers{${shard}})`,
              legend: `${shardName} wanted`,
            },
          ],
        },
        {
          title: 'Breakers open',
          meaning: '1 while the endpoint is left alone; its work waits and burns no attempts.',
          unit: 'bool',
          queries: [{ expr: `max by (action, country) (muster_worker_breaker_open{${shard}})`, legend: shardName }],
        },
      ],
    },
    {
      title: 'Workers',
      panels: [
        {
          title: 'Calls in flight, and the limit',
          meaning: 'At its limit a shard could do with more slots or workers.',
          unit: 'short',
          queries: [
            {
              expr: `sum by (action, country) (muster_worker_calls_in_flight{${shard}})`,
              legend: `${shardName} in flight`,
            },
            { expr: `sum by (action, country) (muster_worker_call_limit{${shard}})`, legend: `${shardName} limit` },
          ],
        },
        {
          title: 'Steps that wait in workers',
          meaning: 'Claimed and without a slot, by shard; read from topics and not claimed.',
          unit: 'short',
          queries: [
            {
              expr: `sum by (action, country) (muster_worker_claims_waiting{${shard}})`,
              legend: `${shardName} for a slot`,
            },
            { expr: 'sum(muster_worker_queued_steps)', legend: 'for a claim' },
          ],
        },
        {
          title: 'A flush takes',
          meaning: 'One statement that records what was called and claims what comes next.',
          unit: 's',
          queries: quantiles('muster_worker_flush_duration_seconds'),
        },
        {
          title: 'Steps in flushes',
          meaning: '`refused`: another worker had taken them over. A few after a crash, none else.',
          unit: 'ops',
          queries: [{ expr: rateBy('what', 'muster_worker_flushed_steps_total'), legend: '{{what}}' }],
        },
      ],
    },
    {
      title: 'Trigger',
      panels: [
        {
          title: 'Feeds',
          meaning: 'Stalled ones wait for pages of the segmentation service.',
          unit: 'short',
          queries: [{ expr: 'sum by (progress) (muster_trigger_feeds)', legend: '{{progress}}' }],
        },
        {
          title: 'Pages that could not be had',
          meaning: 'By country. They are asked for again.',
          unit: 'ops',
          queries: [{ expr: rateBy('country', 'muster_trigger_feed_stalls_total'), legend: '{{country}}' }],
        },
        {
          title: 'Batches let in and offered again',
          meaning: 'Offered again is what a crash left unpublished or unfinished.',
          unit: 'ops',
          queries: [
            { expr: `sum(${rate('muster_trigger_batches_admitted_total', '')})`, legend: 'let in' },
            { expr: `sum(${rate('muster_trigger_references_offered_again_total', '')})`, legend: 'offered again' },
          ],
        },
        {
          title: 'Runs that ended',
          meaning: 'By the state that they ended in.',
          unit: 'ops',
          queries: [{ expr: rateBy('state', 'muster_trigger_runs_ended_total'), legend: '{{state}}' }],
        },
      ],
    },
  ],
};

const callbacks: Board = {
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
          title: 'In line behind others of their ordering key',
          meaning: 'Jobs that are ready, and of how many keys they are.',
          unit: 'short',
          queries: [
            { expr: 'max by (client) (muster_client_in_line_jobs{client=~"$client"})', legend: '{{client}} jobs' },
            { expr: 'max by (client) (muster_client_in_line_keys{client=~"$client"})', legend: '{{client}} keys' },
          ],
        },
        {
          title: 'In line for',
          meaning: 'How long the first of them is ready.',
          unit: 's',
          queries: [
            { expr: 'max by (client) (muster_client_oldest_in_line_seconds{client=~"$client"})', legend: '{{client}}' },
          ],
        },
        {
          title: 'Dead and sidelined jobs, hosts put aside',
          meaning: 'Dead ones wait for a person; what is sidelined goes on when its host is back.',
          unit: 'short',
          queries: [
            { expr: 'max by (client) (muster_client_dead_jobs{client=~"$client"})', legend: '{{client}} dead' },
            {
              expr: 'max by (client) (muster_client_sidelined_jobs{client=~"$client"})',
              legend: '{{client}} sidelined',
            },
            {
              expr: 'max by (client) (muster_client_hosts_aside{client=~"$client"})',
              legend: '{{client}} hosts aside',
            },
          ],
        },
      ],
    },
  ],
};

export const boards: readonly Board[] = [installation, campaigns, callbacks];
