import { quantiles, rate, rateBy, type Board } from './board.ts';

const shard = 'action=~"$action", country=~"$country"';
const shardName = '{{action}} {{country}}';

export const campaigns: Board = {
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
          title: 'Calls sent once more',
          meaning:
            'Kept connections that ended without an answer. A steady rate: the endpoint closes idle ones too early.',
          unit: 'ops',
          queries: [
            {
              expr: rateBy('action, request', 'muster_worker_calls_sent_again_total'),
              legend: '{{action}} {{request}}',
            },
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
          meaning: '1 while the endpoint is down: its work waits and uses no attempts.',
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
