import { idsOf, PlainUsers } from '../../../shared/domain/ids/page-users.ts';
import { escapeUserId, findDisorder } from '../../../shared/domain/ids/user-id.ts';
import type { ReceivedPage } from '../../../shared/ports/segmentation.ts';

export interface PageRequest {
  /** Id after which the page has to begin; null for the first page. */
  after: string | null;
  limit: number;
}

/** Returns the fault of a page, or null. No user of a faulty page is fed: batches are ranges of ordered ids. */
export function pageFault({ users, next }: ReceivedPage, { after, limit }: PageRequest): string | null {
  if (users.length > limit) return `the page has ${users.length} users, asked for were at most ${limit}`;
  // The order within a plain page was checked already.
  const disorder = findDisorder(users instanceof PlainUsers ? idsOf(users.slice(0, 1)) : users, after);
  if (disorder >= 0) {
    const before = escapeUserId((disorder === 0 ? after : users.at(disorder - 1)) ?? '');
    const user = escapeUserId(users.at(disorder) ?? '');
    return `the page is not in strictly ascending order: "${user}" comes after "${before}"`;
  }
  const last = users.at(-1);
  if (next === null || next === last) return null;
  return last === undefined
    ? 'the page is empty and not the last one'
    : `next is "${escapeUserId(next)}", and the page's last user is "${escapeUserId(last)}"`;
}
