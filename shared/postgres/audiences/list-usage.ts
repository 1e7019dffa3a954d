import type { Pool, PoolClient } from 'pg';

/**
 * Returns campaigns that still need a list: they wait for their start, or have an open run.
 * @param list public id of the list, as campaigns name it
 */
export async function campaignsUsingList(connection: Pool | PoolClient, list: string): Promise<string[]> {
  const { rows } = await connection.query<{ campaign: string }>(using, [JSON.stringify([{ list }])]);
  return rows.map(({ campaign }) => campaign);
}

const using = `
  select c.campaign
  from (
    select campaign, revision from run_starts union select campaign, revision from runs where ended_at is null
  ) open join revisions c using (campaign, revision)
  where c.definition -> 'audience' @> jsonb_build_object('include', $1::jsonb)
    or c.definition -> 'audience' @> jsonb_build_object('exclude', $1::jsonb)
  order by c.campaign`;

/**
 * Returns a query for unarchived campaigns whose present definition includes or excludes a source, by the index on
 * audiences.
 *
 * @param id SQL expression for the id of the segment, or the public id of the list
 */
export function campaignsNaming(kind: 'list' | 'segment', id: string): string {
  const naming = (part: 'include' | 'exclude') =>
    `r.definition -> 'audience' @>
      jsonb_build_object('${part}', jsonb_build_array(jsonb_build_object('${kind}', ${id})))`;
  return `select c.id from revisions r join campaigns c on c.id = r.campaign and c.revision = r.revision
    where c.archived_at is null and (${naming('include')} or ${naming('exclude')})`;
}

/** Returns an SQL expression for the public id of a list, as campaigns name it. */
export function publicListId(id: string): string {
  return `public_id('aud', ${id})`;
}
