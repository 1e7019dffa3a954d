import type { BudgetStore } from '../../../services/api/runs/control/budget-store.port.ts';
import { atOnce } from './at-once.ts';
import { shownBudgets } from './budgets.ts';
import type { MemoryDatabase } from './memory-database.ts';

export function createMemoryBudgetStore({ database }: { database: MemoryDatabase }): BudgetStore {
  return {
    list: (campaignId) => atOnce(() => shownBudgets(database, campaignId)),
    change: (campaignId, budgets) =>
      atOnce(() => {
        for (const { country, units = 0 } of budgets) {
          const row = database.budgets.get(`${campaignId}/${country}`);
          if (row) row.units = units;
        }
      }),
  };
}
