import type { Pool, PoolClient } from 'pg';
import type { Budget } from '../../../../../shared/contracts/campaigns/budgets.ts';
import { statementOf } from '../../../../../shared/postgres/connection/statement.ts';
import type { BudgetFigures, BudgetStore } from '../budget-store.port.ts';

export function createBudgetStore({ pool }: { pool: Pool }): BudgetStore {
  return {
    list: async (campaignId) => (await pool.query<BudgetFigures>(listBudgets, [campaignId])).rows,
  };
}

/**
 * Sets the units or amounts of existing budgets, each in its own measure; it skips countries without a budget. It
 * keeps what is used or reserved. The same statement adds an event `changed` with the detail to the history of each run
 * of the campaign that has not ended.
 */
export async function writeBudgets(
  connection: Pool | PoolClient,
  campaignId: string,
  budgets: readonly Budget[],
  detail: Readonly<Record<string, unknown>>,
): Promise<void> {
  const changes = { campaignId, budgets: JSON.stringify({ budgets }), detail: JSON.stringify(detail) };
  await connection.query(changeBudgets.with(changes));
}

/** $1 campaign. The view is in the migrations. */
const listBudgets = `
  select country, case when currency is null then units end::float8 as units,
    case when currency is null then used end::float8 as used,
    case when currency is null then reserved end::float8 as reserved, money_figures(b) as money,
    waiting as "waitingBatches"
  from budget_figures b where campaign = $1 order by country`;

interface BudgetsChange {
  campaignId: string;
  /** JSON, as a definition has them. */
  budgets: string;
  /** JSON of the event's detail. */
  detail: string;
}

const changeBudgets = statementOf<BudgetsChange>(
  'change-budgets',
  ($) => `
  with changed as (
    update budgets b set units = k.units
    from budgets_in(${$('budgets')}::jsonb) k
    where b.campaign = ${$('campaignId')} and b.country = k.country
      and b.currency is not distinct from k.currency
    returning b.country
  )
  insert into run_events (run, kind, detail)
  select id, 'changed', ${$('detail')}::jsonb from runs
  where campaign = ${$('campaignId')} and ended_at is null and exists (select from changed)`,
);
