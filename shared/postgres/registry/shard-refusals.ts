import type { Pool } from 'pg';
import type { ShardRefusal } from '../../ports/shard-reports.ts';

/** Shards that workers should serve and cannot, and that no other worker serves: as they said it in the last minute. */
export async function readShardRefusals(pool: Pool): Promise<ShardRefusal[]> {
  return (await pool.query<ShardRefusal>(selectRefusals)).rows;
}

const selectRefusals = `
  select distinct s.action_type as "actionType", s.country, s.refusal as cause from shard_reports s
  where s.refusal is not null and s.reported_at > now() - interval '1 minute'
    and not exists (
      select from shard_reports o
      where (o.action_type, o.country) = (s.action_type, s.country) and o.refusal is null
        and o.reported_at > now() - interval '1 minute'
    )
  order by 1, 2, 3`;
