import { usersOf } from '../../../shared/domain/step/users-text.ts';
import type { ChildBatch } from '../../../shared/ports/step-ledger.ts';
import type { Work } from '../work.ts';

/** None without users. They wait, unless the worker goes on with them at once. */
export function childrenOf(
  work: Work,
  users: readonly string[],
  terms: Pick<ChildBatch, 'delayMs' | 'open' | 'attempts'> & { claim?: boolean },
): ChildBatch[] {
  return users.length === 0 ? [] : [{ claim: false, ...terms, users: inOrderOf(work, users) }];
}

/** In their feed's order, whatever order the answer had. */
function inOrderOf(work: Work, users: readonly string[]): string[] {
  const chosen = new Set(users);
  return usersOf(work.users).filter((id) => chosen.has(id));
}
