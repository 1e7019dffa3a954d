import type { Pool } from 'pg';
import type { BudgetFigures, BudgetStore } from '../../budget-store.port.ts';

export function createBudgetStore({ pool }: { pool: Pool }): BudgetStore {
  return {
    list: async (campaignId) => (await pool.query<BudgetFigures>(listBudgets, [campaignId])).rows,
  };
}

/**
 * Selects the budgets of a campaign. The view `budget_figures` is defined in the migrations. Parameters: $1 campaign.
 */
const listBudgets = `
  select country, case when currency is null then units end::float8 as units,
    case when currency is null then used end::float8 as used,
    case when currency is null then reserved end::float8 as reserved, money_figures(b) as money,
    waiting as "waitingBatches"
  from budget_figures b where campaign = $1 order by country`;
