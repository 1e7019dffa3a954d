import type { Pool, PoolClient } from 'pg';

/**
 * Campaigns that still need a list: they wait for their start, or a run of theirs has not ended.
 * @param list its public id, as campaigns name it
 */
export async function campaignsUsingList(connection: Pool | PoolClient, list: string): Promise<string[]> {
  const { rows } = await connection.query<{ campaign: string }>(using, [JSON.stringify([{ list }])]);
  return rows.map(({ campaign }) => campaign);
}

const using = `
  select c.campaign
  from (
    select campaign, revision from run_starts union select campaign, revision from runs where ended_at is null
  ) open join campaign_revisions c using (campaign, revision)
  where c.definition -> 'audience' -> 'include' @> $1::jsonb or c.definition -> 'audience' -> 'exclude' @> $1::jsonb
  order by c.campaign`;
