import type { Pool } from 'pg';
import { publicId } from '../../domain/ids/ids.ts';
import type { ListDeletion } from '../../ports/stored-audiences.ts';
import { inTransaction } from '../connection/transaction.ts';
import { campaignsUsingList } from './list-usage.ts';

/** With its users and rejects, unless something needs it. */
export function deleteUnusedList(pool: Pool, listId: string): Promise<ListDeletion> {
  return inTransaction(pool, async (client): Promise<ListDeletion> => {
    // A saved audience that is being made of it holds the row: what is asked after this one waited sees it.
    const { rowCount: found } = await client.query(holdList, [listId]);
    if (found === 0) return { kind: 'not-found' };
    const [campaignId] = await campaignsUsingList(client, publicId('audience', listId));
    if (campaignId !== undefined) return { kind: 'in-use', campaignId };
    const { rows } = await client.query<{ savedAudienceId: string; name: string }>(savedWith, [listId]);
    if (rows[0]) return { kind: 'saved-in', ...rows[0] };
    await client.query(deleteAudience, [listId]);
    return { kind: 'deleted' };
  });
}

/** $1 list. */
const holdList = `select from audiences where id = $1 for update`;

/** $1 list. The newest of the saved audiences that take it in or leave it out. */
const savedWith = `
  select s.id as "savedAudienceId", s.name
  from audience_uses u join saved_audiences s on s.id = u.used_by
  where u.kind = 'list' and u.source = public_id('aud', $1) and u.by_saved
  order by u.used_by desc limit 1`;

/** $1 list. */
const deleteAudience = `
  with a as (
    delete from audiences where id = $1 returning id
  ), p as (
    delete from audience_parts where audience in (select id from a)
  ), j as (
    delete from audience_rejects where audience in (select id from a)
  )
  select from a`;
