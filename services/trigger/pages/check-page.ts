import type { UserPage } from '../../../shared/contracts/endpoints/segmentation.ts';
import { escapeUserId, findDisorder } from '../../../shared/domain/ids/user-id.ts';

export interface PageRequest {
  /** Id after which the page has to begin; null for the first page. */
  after: string | null;
  limit: number;
}

/** Returns the fault of a page, or null. No user of a faulty page is fed: batches are ranges of ordered ids. */
export function pageFault({ users, next }: UserPage, { after, limit }: PageRequest): string | null {
  if (users.length > limit) return `the page has ${users.length} users, asked for were at most ${limit}`;
  const disorder = findDisorder(users, after);
  if (disorder >= 0) {
    const [before, user] = [users[disorder - 1] ?? after, users[disorder]].map((id) => escapeUserId(id ?? ''));
    return `the page is not in strictly ascending order: "${user}" comes after "${before}"`;
  }
  const last = users.at(-1);
  if (next === null || next === last) return null;
  return last === undefined
    ? 'the page is empty and not the last one'
    : `next is "${escapeUserId(next)}", and the page's last user is "${escapeUserId(last)}"`;
}
