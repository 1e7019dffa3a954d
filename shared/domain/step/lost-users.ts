import { hash } from 'node:crypto';
import { usersTextOf } from './users-text.ts';

/** 96 bits: no other list with the same digest can be found. */
const digestLength = 16;

/**
 * Of users whom the chain has lost, in whatever order; null where it has lost none. Kept in the row of a step that is
 * done, so that a list from elsewhere can be told from the true one without reading it.
 */
export function digestOfLost(users: readonly string[]): string | null {
  if (users.length === 0) return null;
  const sorted = users.length === 1 ? users : users.toSorted();
  return hash('sha256', usersTextOf(sorted), 'base64url').slice(0, digestLength);
}
