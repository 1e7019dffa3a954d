import { statementOf } from '../connection/statement.ts';

/**
 * Statements of flushes that touch caps; other flushes do not pay for them. Entries at the same position of the lists
 * belong together.
 */

interface KeyParams {
  feeds: string;
  batchNos: string;
  steps: string;
}

export interface ReserveEffectsParams extends KeyParams {
  types: string;
  /** Time zones of the country, separated by commas. */
  zones: string;
}

/** Reserves effects by a function of the migrations, which locks the caps of a country before it reads them. */
export const reserveEffects = statementOf<ReserveEffectsParams>(
  'reserve-effects',
  ($) => `
  select place, answer, digest, user_id as "user", cap, had, effects, days
  from reserve_effects(${$('feeds')}::uuid[], ${$('batchNos')}::int[], ${$('steps')}::int2[], ${$('types')}::text[],
    ${$('zones')}::text[])`,
);

/** Returns the positions, from 1, of the claimed steps whose users no longer have the reservation with this digest. */
export const withoutEffects = statementOf<KeyParams & { digests: string }>(
  'steps-without-effects',
  ($) => `
  select k.position::int as position
  from unnest(${$('feeds')}::uuid[], ${$('batchNos')}::int[], ${$('steps')}::int2[], ${$('digests')}::text[])
    with ordinality k (feed, batch_no, step, digest, position)
  where not exists (
    select from capped_effects e where e.feed = k.feed and e.batch_no = k.batch_no and e.step = k.step
      and md5(e.users) = k.digest)`,
);

export interface SettleEffectsParams extends KeyParams {
  /** True if only the listed users keep their effect, false if the listed users lose it. */
  only: string;
  /** JSON lists of users. */
  users: string;
  childFeeds: string;
  childNos: string;
  parentNos: string;
  childSteps: string;
  childUsers: string;
}

/**
 * Settles the effects of recorded steps. Child batches that continue at once, or whose call may have been made, take
 * over the effects of their users.
 */
export const settleEffects = statementOf<SettleEffectsParams>(
  'settle-effects',
  ($) => `
  with k as (
    select * from unnest(${$('feeds')}::uuid[], ${$('batchNos')}::int[], ${$('steps')}::int2[], ${$('only')}::boolean[],
      ${$('users')}::text[]) k (feed, batch_no, step, only_these, users)
  ), heirs as (
    insert into capped_effects (feed, batch_no, step, action_type, country, campaign, at, users, span)
    select e.feed, c.batch_no, e.step, e.action_type, e.country, e.campaign, e.at, c.users, e.span
    from unnest(${$('childFeeds')}::uuid[], ${$('childNos')}::int[], ${$('parentNos')}::int[],
      ${$('childSteps')}::int2[], ${$('childUsers')}::text[]) c (feed, batch_no, parent, step, users)
    join capped_effects e on e.feed = c.feed and e.batch_no = c.parent and e.step = c.step
  ), gone as (
    delete from capped_effects e using k
    where e.feed = k.feed and e.batch_no = k.batch_no and e.step = k.step and k.only_these and k.users = '[]'
  )
  update capped_effects e set users = case when k.only_these
    then users_without(e.users, array(select json_array_elements_text(('[' || e.users || ']')::json)
      except select json_array_elements_text(k.users::json)))
    else users_without(e.users, array(select json_array_elements_text(k.users::json))) end
  from k
  where e.feed = k.feed and e.batch_no = k.batch_no and e.step = k.step and not (k.only_these and k.users = '[]')`,
);
