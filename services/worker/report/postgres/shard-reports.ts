import type { Pool } from 'pg';
import { statementOf } from '../../../../shared/postgres/connection/statement.ts';
import type { ShardReport } from '../../../../shared/ports/shard-reports.ts';
import { reportValidity } from '../../../../shared/postgres/registry/shard-refusals.ts';
import type { ShardReports } from '../shard-reports.port.ts';

interface ReportParams {
  worker: string;
  reports: string;
}

/** Writes a worker's reports of its shards in one statement, and removes the reports of workers that died long ago. */
const report = statementOf<ReportParams>(
  'report-shards',
  ($) => `
  with gone as (
    delete from shard_reports where reported_at < now() - interval '1 hour'
  )
  insert into shard_reports as s (worker, action_type, country, in_flight, call_limit, waiting, breaker_open,
    batches_per_second, refusal)
  select ${$('worker')}, k."actionType", k.country, k."inFlight", k."callLimit", k.waiting, k."breakerOpen",
    k."batchesPerSecond", k.refusal
  from jsonb_to_recordset(${$('reports')}::jsonb) k ("actionType" text, country text, "inFlight" int,
    "callLimit" int, waiting int,
    "breakerOpen" boolean, "batchesPerSecond" real, refusal text)
  on conflict (worker, action_type, country) do update
  set in_flight = excluded.in_flight, call_limit = excluded.call_limit, waiting = excluded.waiting,
    breaker_open = excluded.breaker_open, batches_per_second = excluded.batches_per_second,
      refusal = excluded.refusal, reported_at = now()`,
);

/** Backdates a worker's reports, so that the worker no longer counts as alive. */
const withdraw = `
  update shard_reports set reported_at = least(reported_at, now() - ${reportValidity})
    where worker = $1 and ($2::text[] is null or (action_type, country) in (select * from unnest($2, $3::text[])))`;

export function createShardReports({ pool }: { pool: Pool }): ShardReports {
  return {
    report: async (worker, reports: readonly ShardReport[]) => {
      await pool.query(report.with({ worker, reports: JSON.stringify(reports) }));
    },
    withdraw: async (worker, shards) => {
      const [actionTypes, countries] = [shards?.map((s) => s.actionType), shards?.map((s) => s.country)];
      await pool.query(withdraw, [worker, actionTypes ?? null, countries ?? null]);
    },
  };
}
