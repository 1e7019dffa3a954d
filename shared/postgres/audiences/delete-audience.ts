import type { Pool } from 'pg';
import { publicId } from '../../domain/ids/ids.ts';
import type { ListDeletion } from '../../ports/stored-audiences.ts';
import { inTransaction } from '../connection/transaction.ts';
import { campaignsUsingList } from './list-usage.ts';

/**
 * Deletes a list, its users and its rejected rows, unless the list is in use.
 *
 * @param isByAge true: a list that people keep counts as not found, also if it was kept a moment ago
 */
export function deleteUnusedList(pool: Pool, listId: string, isByAge = false): Promise<ListDeletion> {
  return inTransaction(pool, async (client): Promise<ListDeletion> => {
    // A transaction that creates a saved audience with this list locks the list's row. The queries after this lock
    // therefore see that saved audience.
    const { rowCount: found } = await client.query(holdList, [listId, isByAge]);
    if (found === 0) return { kind: 'not-found' };
    const [campaignId] = await campaignsUsingList(client, publicId('audience', listId));
    if (campaignId !== undefined) return { kind: 'in-use', campaignId };
    const { rows } = await client.query<{ savedAudienceId: string; name: string }>(savedWith, [listId]);
    if (rows[0]) return { kind: 'saved-in', ...rows[0] };
    await client.query(deleteAudience, [listId]);
    return { kind: 'deleted' };
  });
}

const holdList = `select from audiences where id = $1 and not ($2::boolean and is_kept) for update`;

/** $1 list. Selects the newest saved audience that includes or excludes the list. */
const savedWith = `
  select s.id as "savedAudienceId", s.name
  from audience_uses u join saved_audiences s on s.id = u.used_by
  where u.kind = 'list' and u.source = public_id('aud', $1) and u.by_saved_audience
  order by u.used_by desc limit 1`;

const deleteAudience = `
  with a as (
    delete from audiences where id = $1 returning id
  ), p as (
    delete from audience_parts where audience in (select id from a)
  ), j as (
    delete from audience_rejects where audience in (select id from a)
  )
  select from a`;
