import type { Regions } from '../../../shared/ports/regions.ts';
import { atOnce } from './at-once.ts';
import type { CallbackTables } from './callback-tables.ts';

export function createMemoryRegions({ tables: { regions } }: { tables: CallbackTables }): Regions {
  return {
    enter: (name) =>
      atOnce(() => {
        const row = regions.get(name) ?? { epoch: 1, active: true };
        regions.set(name, row);
        return { name, ...row };
      }),
  };
}

/** Makes a region the only active one, as an operator does. */
export function switchRegions({ regions }: CallbackTables, only: string): void {
  for (const [name, row] of regions) {
    if (row.active !== (name === only)) Object.assign(row, { active: name === only, epoch: row.epoch + 1 });
  }
}
