import { allActionTypes, type SuppressedUser } from '../../../shared/domain/step/suppressions.ts';
import { usersOf } from '../../../shared/domain/step/users-text.ts';
import type { ClaimedStep } from '../../../shared/ports/step-ledger.ts';
import { stepKey, type MemoryDatabase } from './memory-database.ts';

/** Puts a user on a list. @param list an action type, or `allActionTypes` */
export function suppress({ suppressionLists }: MemoryDatabase, list: string, user: string, note: string | null): void {
  const people = suppressionLists.get(list) ?? new Map<string, string | null>();
  suppressionLists.set(list, people.set(user, note));
}

/** Adds the suppressed users of the batch to a claim, and records that no call was made if some are not to be called. */
export function attachSuppressed(database: MemoryDatabase, claim: ClaimedStep, actionType = ''): ClaimedStep {
  if (claim.open) return claim;
  const { suppressionLists, steps } = database;
  const onList = (list: string, user: string): SuppressedUser | undefined => {
    const note = suppressionLists.get(list)?.get(user);
    return note === undefined ? undefined : { user, list, note };
  };
  const suppressed = usersOf(claim.users).flatMap(
    (user) => onList(actionType, user) ?? onList(allActionTypes, user) ?? [],
  );
  if (suppressed.length === 0 && !claim.capped) return claim;
  const lapses = Math.max(claim.lapses, 1);
  const row = steps.get(stepKey(claim.feedId, claim.batchNo, claim.step));
  if (row) Object.assign(row, { lapses, begun: false, open: false });
  return { ...claim, lapses, ...(suppressed.length > 0 && { suppressed }) };
}
