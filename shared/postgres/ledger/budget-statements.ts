import { statementOf } from '../connection/statement.ts';

/**
 * Statements of flushes that touch budgets; other flushes do not pay for them. Entries at the same position of the
 * lists belong together.
 */

interface KeyParams {
  feeds: string;
  batchNos: string;
  steps: string;
}

/**
 * Reserves units by a function of the migrations, which locks the budgets before it reads them. Returns one row for
 * each step that the budget does not cover, and one without units for each step whose budget was locked.
 */
export const reserveBudgets = statementOf<KeyParams>(
  'reserve-budgets',
  ($) => `
  select place::int, country, format_budget(units, currency) || ' ' || coalesce(currency, 'units') as budget, fits
  from reserve_budgets(${$('feeds')}::uuid[], ${$('batchNos')}::int[], ${$('steps')}::int2[])`,
);

/** Returns the positions, from 1, of the claimed steps without a reservation. */
export const unreserved = statementOf<KeyParams>(
  'unreserved-steps',
  ($) => `
  select k.position::int as position
  from unnest(${$('feeds')}::uuid[], ${$('batchNos')}::int[], ${$('steps')}::int2[]) with ordinality k (feed,
    batch_no, step, position)
  where not exists (
    select from budget_reservations v where v.feed = k.feed and v.batch_no = k.batch_no and v.step = k.step
      and v.granted)`,
);

export interface SettleReservationsParams extends KeyParams {
  childFeeds: string;
  childNos: string;
  childSteps: string;
  childUnits: string;
}

export const settleReservations = statementOf<SettleReservationsParams>(
  'settle-reservations',
  ($) => `
  with gone as (
    delete from budget_reservations v
    using unnest(${$('feeds')}::uuid[], ${$('batchNos')}::int[], ${$('steps')}::int2[]) k (feed, batch_no, step)
    where v.feed = k.feed and v.batch_no = k.batch_no and v.step = k.step
  )
  insert into budget_reservations (feed, batch_no, step, units, granted)
  select *, true from unnest(${$('childFeeds')}::uuid[], ${$('childNos')}::int[], ${$('childSteps')}::int2[],
    ${$('childUnits')}::bigint[])`,
);

/** Marks steps that are claimed only to be split: if the worker is lost, no call was made. */
export const noteNoCalls = statementOf<KeyParams>(
  'note-no-calls',
  ($) => `
  update batch_steps s set lapses = greatest(s.lapses, 1), begun = false, open = false
  from unnest(${$('feeds')}::uuid[], ${$('batchNos')}::int[], ${$('steps')}::int2[]) k (feed, batch_no, step)
  where s.feed = k.feed and s.batch_no = k.batch_no and s.step = k.step`,
);
