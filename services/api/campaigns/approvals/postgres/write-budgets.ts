import type { Pool, PoolClient } from 'pg';
import type { Budget } from '../../../../../shared/contracts/campaigns/budgets.ts';
import { statementOf } from '../../../../../shared/postgres/connection/statement.ts';

/**
 * Sets the units or amounts of existing budgets, each in its own unit or currency. Countries without a budget are
 * skipped. Used and reserved units stay unchanged. The same statement adds an event `changed` with the detail to each
 * unfinished run of the campaign.
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

interface WrittenBudgets {
  campaignId: string;
  /** Budgets as JSON, in the same form as in a definition. */
  budgets: string;
  detail: string;
}

const changeBudgets = statementOf<WrittenBudgets>(
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
