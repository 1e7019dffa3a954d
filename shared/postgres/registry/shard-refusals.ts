import type { Pool } from 'pg';
import type { Shard } from '../../domain/endpoint/shard.ts';
import { textArray } from '../connection/array-literals.ts';
import { statementOf } from '../connection/statement.ts';
import type { ShardRefusal } from '../../ports/shard-reports.ts';

/** Validity of a worker's report about a shard, unless a newer report replaces it. */
export const reportValidity = `interval '1 minute'`;

/** Time that workers have to take up a shard created with the run; before, no worker is expected to serve it. */
export const takenUpWithin = `interval '30 seconds'`;

/** Query of shard reports: when a worker last reported serving the shard, and why another worker cannot. */
export const reportedShards = `
    select action_type, country, max(reported_at) filter (where refusal is null) as served_at,
      min(refusal) filter (where reported_at > now() - ${reportValidity}) as refusal
    from shard_reports group by action_type, country`;

/** @param shard a row of `reportedShards`, or nulls for a shard without any report */
export const isUnserved = (shard: string) => `coalesce(${shard}.served_at <= now() - ${reportValidity}, true)`;

export const unservedCause = (shard: string) =>
  `coalesce('no worker can serve it: ' || ${shard}.refusal, 'no worker serves it')`;

/** @param run a row of runs: no worker counts as missing before the run's start */
export const unservedSince = (shard: string, run: string) =>
  `greatest(${run}.started_at, ${shard}.served_at + ${reportValidity})`;

/** Returns shards that workers should serve and cannot, and that none serves, by reports of the last minute. */
export async function readShardRefusals(pool: Pool): Promise<ShardRefusal[]> {
  return (await pool.query<ShardRefusal>(selectRefusals)).rows;
}

const selectRefusals = `
  select distinct s.action_type as "actionType", s.country, s.refusal as cause from shard_reports s
  where s.refusal is not null and s.reported_at > now() - ${reportValidity}
    and not exists (
      select from shard_reports o
      where (o.action_type, o.country) = (s.action_type, s.country) and o.refusal is null
        and o.reported_at > now() - ${reportValidity}
    )
  order by 1, 2, 3`;

const noneIsSetToServeIt = 'none runs that is set to serve it';

/** Returns the shards that no worker serves, with the causes that workers reported in the last minute. */
export async function readUnservedShards(pool: Pool, shards: readonly Shard[]): Promise<ShardRefusal[]> {
  const actionTypes = textArray(shards.map(({ actionType }) => actionType));
  const countries = textArray(shards.map(({ country }) => country));
  const { rows } = await pool.query<ShardRefusal>(selectUnserved.with({ actionTypes, countries, noneIsSetToServeIt }));
  return rows;
}

const selectUnserved = statementOf<{ actionTypes: string; countries: string; noneIsSetToServeIt: string }>(
  'unserved-shards',
  ($) => `
  select distinct k.action_type as "actionType", k.country, coalesce(s.refusal, ${$('noneIsSetToServeIt')}) as cause
  from unnest(${$('actionTypes')}::text[], ${$('countries')}::text[]) k (action_type, country)
  left join shard_reports s on (s.action_type, s.country) = (k.action_type, k.country)
    and s.reported_at > now() - ${reportValidity}
  where not exists (
    select from shard_reports o where (o.action_type, o.country) = (k.action_type, k.country) and o.refusal is null
      and o.reported_at > now() - ${reportValidity}
  )
    -- No worker can have reported yet about an action type that was just registered.
    and (s.refusal is not null or not exists (
      select from action_types t where t.name = k.action_type and t.created_at > now() - interval '1 minute'
    ))
  order by 1, 2, 3`,
);
