import { noneBegun } from '../../../shared/domain/step/suspects.ts';
import type { ClaimedStep, StepRef } from '../../../shared/ports/step-ledger.ts';
import { stepKey, type MemoryDatabase } from './memory-database.ts';

/** Records with the claim of a step that has a check that no call has begun. */
export function noteChecked(
  { steps, stepAttempts }: MemoryDatabase,
  claim: ClaimedStep,
  checked: ((step: StepRef) => boolean) | undefined,
): ClaimedStep {
  if (claim.open || claim.fits !== undefined || !checked?.(claim)) return claim;
  const { feedId, batchNo, step } = claim;
  const key = stepKey(feedId, batchNo, step);
  const lapses = claim.lapses === 0 ? noneBegun : claim.lapses;
  const row = steps.get(key);
  if (row) Object.assign(row, { lapses, begun: false });
  const tries = [...stepAttempts].filter(([of, { reading }]) => of.startsWith(`${key}/`) && reading === 'unchecked');
  return { ...claim, lapses, check: { tries: tries.length } };
}
