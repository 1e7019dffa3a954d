import type { Pool } from 'pg';
import { plainArray } from '../../../../../shared/postgres/connection/array-literals.ts';
import { statementOf } from '../../../../../shared/postgres/connection/statement.ts';
import type { KeyRatesDeps } from '../key-rates.ts';

/**
 * Creates the exchange.
 * @param deps.owner id of this process
 */
export function createKeyRateExchange({ pool, owner }: { pool: Pool; owner: string }): KeyRatesDeps['exchange'] {
  return async (submitted) => {
    const params = { keys: plainArray([...submitted.keys()]), jobs: plainArray([...submitted.values()]), owner };
    const { rows } = await pool.query<{ key: string; others: number }>(exchange.with(params));
    return new Map(rows.map(({ key, others }) => [key, others]));
  };
}

/**
 * Adds the use of keys by this process, and returns the use by other processes. Each pair of key and process has a row,
 * which only this process writes. Rows of processes that were silent for ten minutes do not count and are deleted.
 */
const exchange = statementOf<{ keys: string; jobs: string; owner: string }>(
  'exchange-key-rates',
  ($) => `
  with mine as materialized (
    select * from unnest(${$('keys')}::uuid[], ${$('jobs')}::bigint[]) m (api_key, jobs)
  ), noted as (
    insert into api_key_rates as r (api_key, process, jobs)
    select api_key, ${$('owner')}::uuid, jobs from mine order by api_key
    on conflict (api_key, process) do update set jobs = r.jobs + excluded.jobs, reported_at = now()
  ), gone as (
    delete from api_key_rates where ctid in (
      select r.ctid from api_key_rates r join mine using (api_key)
      where r.reported_at < now() - interval '10 minutes' and r.process <> ${$('owner')}::uuid
      limit 100 for update of r skip locked)
  )
  select m.api_key as key, coalesce(sum(r.jobs), 0)::float8 as others
  from mine m left join api_key_rates r on r.api_key = m.api_key and r.process <> ${$('owner')}::uuid
    and r.reported_at >= now() - interval '10 minutes'
  group by m.api_key`,
);
