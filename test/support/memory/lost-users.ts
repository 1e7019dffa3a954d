import type { StepRef } from '../../../shared/ports/step-ledger.ts';
import type { MemoryDatabase } from './memory-database.ts';

/**
 * Returns users of the batch who failed in an earlier step, and all users of child batches that were split off in an
 * earlier step.
 */
export function lostBefore({ failures, batches }: MemoryDatabase, { feedId, batchNo, step }: StepRef): string[] {
  const failed = failures
    .filter((failure) => failure.feedId === feedId && failure.batchNo === batchNo && failure.step < step)
    .map((failure) => failure.user);
  const splitOff = [...batches.values()]
    .filter((child) => child.feedId === feedId && child.parent === batchNo && child.fromStep < step)
    .flatMap((child) => child.users);
  return [...failed, ...splitOff];
}
