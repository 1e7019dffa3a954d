import { publicListId } from '../../../../../shared/postgres/audiences/list-usage.ts';

/** Saved audiences that are made of a list, of a row `a` of the lists: an SQL expression. */
export const savedWith = `
  coalesce((
    select saved_audiences from named_audiences where kind = 'list' and source = ${publicListId('a.id')}
  ), 0)`;

const naming = (part: 'include' | 'exclude') => `
  r.definition -> 'audience' @> jsonb_build_object('${part}',
    jsonb_build_array(jsonb_build_object('list', ${publicListId('a.id')})))`;

/**
 * A campaign that waits for its start or runs needs it, in the revision that it starts or runs with: as
 * `campaignsUsingList`, by the index of what audiences are made of: a page of lists does not read all that waits.
 */
const isNeeded = `
  exists (
    select from campaign_revisions r
    where (${naming('include')} or ${naming('exclude')}) and (
      exists (select from run_starts s where s.campaign = r.campaign and s.revision = r.revision)
      or exists (
        select from runs o where o.campaign = r.campaign and o.revision = r.revision and o.ended_at is null)))`;

/**
 * When the sweep deletes a list, as things stand, of a row `a` of the lists: an SQL expression. Null while something
 * keeps it, and where lists are kept for ever. How long they are kept is the triggers' to say.
 */
export const endOfList = `
  case when a.state <> 'receiving' and ${savedWith} = 0 and not ${isNeeded} then
    a.created_at + (
      select nullif(value::int, 0) from service_settings
      where service = 'trigger' and name = 'RETENTION_AUDIENCES_DAYS'
    ) * interval '1 day' end`;
