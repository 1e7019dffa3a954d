import type { Pool } from 'pg';
import type { BudgetFigures, BudgetStore } from '../budget-store.port.ts';

export function createBudgetStore({ pool }: { pool: Pool }): BudgetStore {
  return {
    list: async (campaignId) => (await pool.query<BudgetFigures>(listBudgets, [campaignId])).rows,
    change: async (campaignId, budgets) => {
      const [countries, units] = [budgets.map(({ country }) => country), budgets.map((each) => each.units)];
      await pool.query(changeBudgets, [campaignId, countries, units]);
    },
  };
}

/** $1 campaign. The view is in the migrations. */
const listBudgets = `
  select country, units::float8 as units, used::float8 as used, reserved::float8 as reserved,
    waiting as "waitingBatches"
  from budget_figures where campaign = $1 order by country`;

const changeBudgets = `
  update budgets b set units = k.units from unnest($2::text[], $3::bigint[]) k (country, units)
  where b.campaign = $1 and b.country = k.country`;
