import type { Pool } from 'pg';
import { statementOf } from '../../../../../shared/postgres/connection/statement.ts';
import type { BudgetFigures, BudgetStore } from '../budget-store.port.ts';

export function createBudgetStore({ pool }: { pool: Pool }): BudgetStore {
  return {
    list: async (campaignId) => (await pool.query<BudgetFigures>(listBudgets, [campaignId])).rows,
    change: async (campaignId, budgets, detail) => {
      const [countries, units] = [budgets.map(({ country }) => country), budgets.map((each) => each.units)];
      await pool.query(changeBudgets.with({ campaignId, countries, units, detail: JSON.stringify(detail) }));
    },
  };
}

/** $1 campaign. The view is in the migrations. */
const listBudgets = `
  select country, units::float8 as units, used::float8 as used, reserved::float8 as reserved,
    waiting as "waitingBatches"
  from budget_figures where campaign = $1 order by country`;

interface BudgetsChange {
  campaignId: string;
  countries: readonly string[];
  /** In the order of the countries. */
  units: readonly number[];
  /** JSON of the event's detail. */
  detail: string;
}

const changeBudgets = statementOf<BudgetsChange>(
  'change-budgets',
  ($) => `
  with changed as (
    update budgets b set units = k.units
    from unnest(${$('countries')}::text[], ${$('units')}::bigint[]) k (country, units)
    where b.campaign = ${$('campaignId')} and b.country = k.country returning b.country
  )
  insert into run_events (run, kind, detail)
  select id, 'changed', ${$('detail')}::jsonb from runs
  where campaign = ${$('campaignId')} and ended_at is null and exists (select from changed)`,
);
