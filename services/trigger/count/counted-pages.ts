import type { AudienceParts } from '../../../shared/contracts/campaigns/exact-counts.ts';
import { idsOf } from '../../../shared/domain/ids/page-users.ts';
import { compareUserIds } from '../../../shared/domain/ids/user-id.ts';
import type { FetchedPage, PageSource, Stall } from '../pages/page-source.ts';

export interface CountedPage {
  kind: 'counted';
  users: number;
  excluded: number;
  shared: number;
  /** Number of users of the second audience; null if only one audience is counted. */
  withUsers: number | null;
  both: number | null;
  /** Parts of the audience; null if two audiences are counted. */
  parts: AudienceParts | null;
  /** Last counted user. A count that continues after this user does not count any user twice. */
  cursor: string | null;
  isLast: boolean;
}

/** Result if the users of a snapshot were deleted. Figures that were counted from this snapshot are useless then. */
export interface Gone {
  kind: 'gone';
}

export interface CountedPages {
  next(signal: AbortSignal): Promise<CountedPage | Gone | Stall>;
}

export function countOne(source: PageSource): CountedPages {
  return {
    next: async (signal) => {
      const page = await source.next(signal);
      if (page.kind === 'stalled') return page;
      if (page.fresh) return { kind: 'gone' };
      return {
        kind: 'counted',
        users: page.users.length,
        withUsers: null,
        both: null,
        isLast: page.isLast,
        excluded: page.gaps.reduce((sum, { excluded }) => sum + excluded, 0),
        shared: page.gaps.reduce((sum, { shared = 0 }) => sum + shared, 0),
        parts: page.parts ?? null,
        cursor: lastOf(page),
      };
    },
  };
}

/** Counts two audiences. Each audience is read page by page, and only one page of each is in memory. */
export function countTwo(one: PageSource, other: PageSource): CountedPages {
  const heads = [headOf(one), headOf(other)] as const;
  return {
    next: async (signal) => {
      const answers = await Promise.all(heads.map((head) => fill(head, signal)));
      const kept = answers.find((answer) => answer !== null);
      if (kept) return kept;
      const [a, b] = heads;
      const counted = { users: 0, withUsers: 0, both: 0 };
      let cursor: string | null = null;
      while (!isSpent(a) && !isSpent(b) && !(isOver(a) && isOver(b))) {
        const [left, right] = [a.users[a.at], b.users[b.at]];
        const order = orderOf(left, right);
        if (order <= 0) counted.users++;
        if (order >= 0) counted.withUsers++;
        if (order === 0) counted.both++;
        if (order <= 0) a.at++;
        if (order >= 0) b.at++;
        cursor = (order <= 0 ? left : right) ?? cursor;
      }
      const none = { excluded: 0, shared: 0, parts: null };
      return { kind: 'counted', ...counted, ...none, cursor, isLast: isOver(a) && isOver(b) };
    },
  };
}

interface Head {
  source: PageSource;
  users: readonly string[];
  at: number;
  isLast: boolean;
}

function headOf(source: PageSource): Head {
  return { source, users: [], at: 0, isLast: false };
}

/** Returns true if all users of the page have been counted, and more pages follow. */
function isSpent({ users, at, isLast }: Head): boolean {
  return at >= users.length && !isLast;
}

function isOver({ users, at, isLast }: Head): boolean {
  return at >= users.length && isLast;
}

/**
 * Compares two user ids. Undefined means that an audience has no further users, and counts as greater than every id.
 */
function orderOf(left: string | undefined, right: string | undefined): number {
  if (left === undefined) return 1;
  return right === undefined ? -1 : compareUserIds(left, right);
}

/** Loads pages until the head contains users, or until the audience has ended. Returns null on success. */
async function fill(head: Head, signal: AbortSignal): Promise<Stall | Gone | null> {
  while (isSpent(head)) {
    const page = await head.source.next(signal);
    if (page.kind === 'stalled') return page;
    if (page.fresh) return { kind: 'gone' };
    Object.assign(head, { users: idsOf(page.users), at: 0, isLast: page.isLast });
  }
  return null;
}

/** Returns the last user of the page, including users that the page skips. */
function lastOf({ users, gaps }: FetchedPage): string | null {
  const gap = gaps.at(-1);
  return gap?.at === users.length ? gap.last : (users.at(-1) ?? null);
}
