import { variantName } from '../../../../../shared/postgres/ledger/variants-sql.ts';
import { batchTree, type BatchRange } from '../../../../../shared/postgres/ledger/batch-tree.ts';
import { restCode, stepState } from '../../../../../shared/postgres/ledger/ledger-codes.ts';
import { statementOf } from '../../../../../shared/postgres/connection/statement.ts';

/**
 * Selects feeds in the order in which users are listed.
 * @param country country of the feeds; null for all
 */
export const selectFeeds = statementOf<{ runId: string; country: string | null }>(
  'feeds-of-users',
  ($) => `
  select f.feed as "feedId", f.country, ${variantName('f', 'c')} as variant,
    f.from_step as "fromStep", f.next_batch_no - 1 as "fedBatches",
    jsonb_array_length(c.definition -> 'chain') as "chainLength",
    f.next_batch_no = 1 or exists (select from batches b where b.feed = f.feed and b.batch_no = 1) as "keepsUsers"
  from runs r
  join revisions c on c.campaign = r.campaign and c.revision = r.revision
  join feeds f on f.run = r.id
  where r.id = ${$('runId')} and (${$('country')}::text is null or f.country = ${$('country')})
  order by f.country collate "C", f.from_step, f.feed`,
);

/**
 * Reads fed batches with all their descendants, and the results of their steps. Returns a row for each batch; its users
 * are the stored text. All rows are from the same moment, so that no user appears in a batch that the user has left.
 * The statement reads by keys only.
 */
export const selectFamilies = statementOf<BatchRange>(
  'batch-families',
  ($) => `
  with recursive ${batchTree($)}
  select t.batch_no as "batchNo", t.parent, t.from_step as "fromStep", t.users,
    (select coalesce(json_agg(json_build_object('step', step, 'rest', case rest
        when ${restCode.succeeded} then 'succeeded' when ${restCode.expired} then 'expired'
        else 'cancelled' end)), '[]')
      from batch_steps
      where feed = ${$('feedId')} and batch_no = t.batch_no
        and state = ${stepState.done} and rest is not null) as rests,
    (select coalesce(json_agg(json_build_object('step', step, 'user', user_id, 'outcome', outcome,
        'reason', reason)), '[]')
      from user_failures where feed = ${$('feedId')} and batch_no = t.batch_no) as failures
  from tree t`,
);

/**
 * Selects users whose ids break the rules.
 * @param step step with which the users of the feed begin
 * @param after last user of the previous page; empty for the first page
 */
export const selectUnsendable = statementOf<{ feedId: string; step: number; after: string; limit: number }>(
  'unsendable-users',
  ($) => `
  select user_id as "user", outcome, reason from user_failures
  where feed = ${$('feedId')} and batch_no = 0 and step = ${$('step')} and user_id > ${$('after')}
  order by user_id limit ${$('limit')}`,
);
