import { publicListId } from '../../../../../shared/postgres/audiences/list-usage.ts';

/** SQL expression: number of campaigns that are not archived, or of saved audiences, that use list `a`. */
export const usesOfList = (by: 'campaigns' | 'saved_audiences') => `
  coalesce((select ${by} from named_audiences where kind = 'list' and source = ${publicListId('a.id')}), 0)`;

const naming = (part: 'include' | 'exclude') => `
  r.definition -> 'audience' @> jsonb_build_object('${part}',
    jsonb_build_array(jsonb_build_object('list', ${publicListId('a.id')})))`;

/**
 * SQL condition: a scheduled or running campaign needs the list, in the revision with which it runs. The condition uses
 * the index of audience sources, as `campaignsUsingList` does, so that a page of lists does not read all scheduled
 * starts.
 */
const isNeeded = `
  exists (
    select from revisions r
    where (${naming('include')} or ${naming('exclude')}) and (
      exists (select from run_starts s where s.campaign = r.campaign and s.revision = r.revision)
      or exists (
        select from runs o where o.campaign = r.campaign and o.revision = r.revision and o.ended_at is null)))`;

/**
 * SQL expression: time at which the trigger service deletes list `a`; null while the list is in use, and if lists are
 * kept for ever. The retention is a setting of the trigger service.
 */
export const endOfList = `
  case when a.state <> 'receiving' and not a.is_kept and ${usesOfList('saved_audiences')} = 0 and not ${isNeeded} then
    a.created_at + (
      select nullif(value::int, 0) from service_settings
      where service = 'trigger' and name = 'RETENTION_AUDIENCES_DAYS'
    ) * interval '1 day' end`;
