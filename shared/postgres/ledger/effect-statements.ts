import { statementOf } from '../connection/statement.ts';
import { restCode, stepState } from './ledger-codes.ts';

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

/**
 * Returns the positions, from 1, of the claimed steps whose users no longer have the reservation with this digest, or
 * have it for longer than a lease. Locks the others: no other worker may change them before the claim is committed.
 */
export const withoutEffects = statementOf<KeyParams & { digests: string; leaseMs: number }>(
  'steps-without-effects',
  ($) => `
  with k as (
    select * from unnest(${$('feeds')}::uuid[], ${$('batchNos')}::int[], ${$('steps')}::int2[], ${$('digests')}::text[])
      with ordinality k (feed, batch_no, step, digest, position)
  ), kept as materialized (
    select k.position from k
    join capped_effects e on e.feed = k.feed and e.batch_no = k.batch_no and e.step = k.step
    where md5(e.users) = k.digest and e.at > now() - ${$('leaseMs')}::float8 * interval '1 millisecond'
    for update of e
  )
  select position::int as position from k where position not in (select position from kept)`,
);

/**
 * Deletes the reserved effects of steps that ended without a call before they could be claimed: the end could not see
 * the reservation yet.
 */
export const dropEffectsOfEnded = statementOf<KeyParams>(
  'drop-effects-of-ended',
  ($) => `
  delete from capped_effects e
  using unnest(${$('feeds')}::uuid[], ${$('batchNos')}::int[], ${$('steps')}::int2[]) k (feed, batch_no, step)
  join batch_steps s on s.feed = k.feed and s.batch_no = k.batch_no and s.step = k.step
  where e.feed = k.feed and e.batch_no = k.batch_no and e.step = k.step and s.state = ${stepState.done}
    and s.rest <> ${restCode.succeeded} and coalesce(s.unknown, 0) = 0`,
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
