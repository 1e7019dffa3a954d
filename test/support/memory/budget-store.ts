import type { ExecutionSubject } from '../conformance/execution-subject.ts';
import { atOnce } from './at-once.ts';
import { displayedBudgets } from './budgets.ts';
import type { MemoryDatabase } from './memory-database.ts';

export function createMemoryBudgetStore({ database }: { database: MemoryDatabase }): ExecutionSubject['budgets'] {
  return {
    list: (campaignId) => atOnce(() => displayedBudgets(database, campaignId)),
    change: (campaignId, budgets) =>
      atOnce(() => {
        for (const { country, units = 0 } of budgets) {
          const row = database.budgets.get(`${campaignId}/${country}`);
          if (row) row.units = units;
        }
      }),
  };
}
