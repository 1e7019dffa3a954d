import type { StepTotals } from '../../../shared/domain/outcomes.ts';
import type { MemoryDatabase } from './memory-database.ts';

export function addToTotals(
  { totals }: MemoryDatabase,
  feedId: string,
  step: number,
  delta: Partial<Omit<StepTotals, 'step'>>,
): void {
  const key = `${feedId}/${step}`;
  const sum = totals.get(key) ?? { step, batches: 0, succeeded: 0, failed: 0, expired: 0, cancelled: 0, unknown: 0 };
  sum.batches += delta.batches ?? 0;
  sum.succeeded += delta.succeeded ?? 0;
  sum.failed += delta.failed ?? 0;
  sum.expired += delta.expired ?? 0;
  sum.cancelled += delta.cancelled ?? 0;
  sum.unknown += delta.unknown ?? 0;
  totals.set(key, sum);
}

/** The feed's totals in the order of steps; the rows themselves stay inside. */
export function totalsOf({ totals }: MemoryDatabase, feedId: string): StepTotals[] {
  return [...totals.entries()]
    .filter(([key]) => key.startsWith(`${feedId}/`))
    .map(([, sum]) => ({ ...sum }))
    .sort((a, b) => a.step - b.step);
}
