import { hash } from 'node:crypto';
import { usersTextOf } from './users-text.ts';

/** Length in characters, for 96 bits, which make a second list with the same digest infeasible. */
const digestLength = 16;

/**
 * Returns the digest of the users that the chain has lost, in any order; null if there are none. The row of a finished
 * step stores the digest, so that a list from a message can be verified without reading the true list.
 */
export function digestOfLost(users: readonly string[]): string | null {
  if (users.length === 0) return null;
  const sorted = users.length === 1 ? users : users.toSorted();
  return hash('sha256', usersTextOf(sorted), 'base64url').slice(0, digestLength);
}
