import { compareUserIds } from '../../../shared/domain/ids/user-id.ts';
import type { Gap } from './page-source.ts';

/** The current page of a source, and the position of the next user in it. */
export interface Head {
  users: readonly string[];
  /** Index of the next user. */
  at: number;
  isLast: boolean;
  /** Precedence if several heads contain the same user. The lowest rank applies. */
  rank: number;
}

export interface Heads {
  include: readonly Head[];
  /**
   * Heads whose users are excluded. A user is not excluded if an included head of the same or a lower rank contains the
   * user.
   */
  exclude: readonly Head[];
}

export interface MergeTerms {
  /**
   * True if all ids contain only characters of the basic multilingual plane, so that a faster comparison can be used.
   */
  basic: boolean;
  /** True to count the users of the audience that several sources contain. Each such user ends a gap. */
  countsShared?: boolean;
  /** Counts that increase with each user read; a head is the current page of one source. */
  tally?: HeadTally;
}

/** Number of users by head. The sum of `include`, minus `repeated`, minus the sum of `exclude`, is the audience. */
export interface HeadTally {
  include: number[];
  /** Users that several included heads contain. Such a user counts once for each of these heads except the first. */
  repeated: number;
  /** Excluded users by excluding head. A user counts for the first head that excludes the user. */
  exclude: number[];
}

export function emptyTally({ include, exclude }: Heads): HeadTally {
  return { include: include.map(() => 0), repeated: 0, exclude: exclude.map(() => 0) };
}

export interface Merged {
  users: string[];
  gaps: Gap[];
}

const surrogate = /[\ud800-\udfff]/;

/**
 * Returns true if all ids contain only characters of the basic multilingual plane. For such ids, the faster order of
 * JavaScript's `<` equals byte order.
 */
export function isBasic(users: readonly string[]): boolean {
  return !surrogate.test(users.join(''));
}

/** Returns true if all users of the page have been read, and more pages follow. */
export function isSpent({ users, at, isLast }: Head): boolean {
  return at >= users.length && !isLast;
}

export function isOver({ users, at, isLast }: Head): boolean {
  return at >= users.length && isLast;
}

/**
 * Merges the heads and moves them forward. Returns the users that an included head contains and that are not excluded,
 * each once and in order. Stops at the lowest last id of all pages that have a successor, because the next page may
 * contain any greater id.
 * @param isHeldOut called for each user that is not excluded
 */
export function mergeHeads(
  { include, exclude }: Heads,
  isHeldOut: (user: string) => boolean,
  { basic, countsShared = false, tally }: MergeTerms,
): Merged {
  const compare = basic ? compareBasic : compareUserIds;
  const horizon = horizonOf([...include, ...exclude], compare);
  const isBeyond = (user: string) => horizon !== null && compare(user, horizon) > 0;
  const merged: Merged = { users: [], gaps: [] };
  for (;;) {
    const user = leastOf(include, compare);
    if (user === null || isBeyond(user)) break;
    const isShared = countsShared && include.filter(({ users, at }) => users[at] === user).length > 1;
    const excludedAt = lowestRank(exclude, user, compare);
    if (tally) noteIncluded(tally, include, user);
    const includedAt = takeFrom(include, user);
    if (excludedAt < includedAt) {
      if (tally) noteExcluded(tally, exclude, user, includedAt);
      gapFor(merged, user).excluded++;
      continue;
    }
    if (isHeldOut(user)) holdOut(gapFor(merged, user), user);
    else merged.users.push(user);
    if (isShared) noteShared(merged, user);
  }
  if (horizon !== null) for (const head of exclude) moveAfter(head, horizon, compare);
  return merged;
}

type Compare = (a: string, b: string) => number;

function compareBasic(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Returns the last user up to which the pages of all sources are known. Null if no source has further pages. */
function horizonOf(heads: readonly Head[], compare: Compare): string | null {
  let horizon: string | null = null;
  for (const { users, isLast } of heads) {
    const last = users.at(-1);
    if (isLast || last === undefined) continue;
    if (horizon === null || compare(last, horizon) < 0) horizon = last;
  }
  return horizon;
}

function leastOf(heads: readonly Head[], compare: Compare): string | null {
  let least: string | null = null;
  for (const { users, at } of heads) {
    const user = users[at];
    if (user !== undefined && (least === null || compare(user, least) < 0)) least = user;
  }
  return least;
}

/** Moves the heads whose next user is `user` past this user. Returns the lowest rank of these heads. */
function takeFrom(heads: readonly Head[], user: string): number {
  let rank = Infinity;
  for (const head of heads) {
    if (head.users[head.at] !== user) continue;
    head.at++;
    rank = Math.min(rank, head.rank);
  }
  return rank;
}

/** Counts a user for the included heads that contain the user. Must be called before the heads move past the user. */
function noteIncluded(tally: HeadTally, heads: readonly Head[], user: string): void {
  let isSeen = false;
  for (const [index, { users, at }] of heads.entries()) {
    if (users[at] !== user) continue;
    tally.include[index] = (tally.include[index] ?? 0) + 1;
    if (isSeen) tally.repeated++;
    isSeen = true;
  }
}

function noteExcluded({ exclude }: HeadTally, heads: readonly Head[], user: string, below: number): void {
  const index = heads.findIndex((head) => head.users[head.at] === user && head.rank < below);
  exclude[index] = (exclude[index] ?? 0) + 1;
}

function lowestRank(heads: readonly Head[], user: string, compare: Compare): number {
  let rank = Infinity;
  for (const head of heads) {
    for (let other = head.users[head.at]; other !== undefined; other = head.users[++head.at]) {
      const order = compare(other, user);
      if (order === 0) rank = Math.min(rank, head.rank);
      if (order >= 0) break;
    }
  }
  return rank;
}

function moveAfter(head: Head, user: string, compare: Compare): void {
  for (let other = head.users[head.at]; other !== undefined; other = head.users[++head.at]) {
    if (compare(other, user) > 0) return;
  }
}

/** Returns the gap at the current position, extended to end with `user`. Creates the gap if there is none. */
function gapFor({ users, gaps }: Merged, user: string): Gap {
  let gap = gaps.at(-1);
  if (gap?.at !== users.length) {
    gap = { at: users.length, excluded: 0, heldOut: 0, last: user };
    gaps.push(gap);
  }
  gap.last = user;
  return gap;
}

function holdOut(gap: Gap, user: string): void {
  gap.heldOut++;
  gap.heldOutIds = gap.heldOutIds ?? [];
  gap.heldOutIds.push(user);
}

function noteShared(merged: Merged, user: string): void {
  const gap = gapFor(merged, user);
  gap.shared = (gap.shared ?? 0) + 1;
}
