import type { Clock } from '../../../shared/ports/clock.ts';
import { concatUsers, PlainUsers, type PageUsers } from '../../../shared/domain/ids/page-users.ts';
import { cutBatches, type Cut } from './cut-batches.ts';
import type { Gap } from '../pages/page-source.ts';
import type { SkippedUsers } from '../ports/feed-store.ts';

/**
 * Limits on the users and the time for which pages are collected for one write. In measurements, writing 5 to 10 pages
 * at once cost half as much per page as writing each alone.
 */
const enoughUsers = 5000;
const maxGatherMs = 100;

export interface PageBufferDeps {
  /** Maximum number of users per batch. */
  batchUsers: number;
  /** Returns the maximum number of users in memory, including held-out users. Called before each page. */
  maxUsers: () => number;
  clock: Clock;
}

export interface BufferCut extends Cut {
  skipped: SkippedUsers;
  /** Number of users that several sources contain, if they are counted. */
  shared: number;
  /**
   * Number of gaps that the cut takes, from the front. A gap is a sequence of skipped users between two users that are
   * not skipped.
   */
  gaps: number;
  /** Last user that the cut takes or skips; undefined if there is none. */
  reached: string | undefined;
}

/** Users of a feed that were fetched and are not written yet, in order. Of excluded users, only the number is kept. */
export interface PageBuffer {
  add(page: { users: PageUsers; gaps: readonly Gap[]; isLast: boolean }): void;
  /**
   * Marks that no more pages follow until a trigger claims the feed again, so that buffered users do not wait for more.
   */
  seal(): void;
  wantsPage(): boolean;
  isOpen(): boolean;
  batches(): number;
  hasBatch(): boolean;
  /** Returns the milliseconds until the next write: 0 if it is due now, null if another page must come first. */
  gatherMs(): number | null;
  /** Cuts off the batches that may be written now. A cut without batches may still skip many users. */
  cut(options: { maxBatches: number; maxUsers: number; nextBatchNo: number }): BufferCut;
  drop(cut: BufferCut): void;
}

export function createPageBuffer({ batchUsers, maxUsers, clock }: PageBufferDeps): PageBuffer {
  let users: PageUsers = [];
  /** Gaps of skipped users. Between two users, there is at most one gap. */
  let gaps: readonly Gap[] = [];
  let heldOutWaiting = 0;
  let isLast = false;
  let isSealed = false;
  let sinceMs = 0;

  const isFull = () => users.length + heldOutWaiting >= maxUsers();
  const isOpen = () => !isLast && !isSealed;
  /**
   * True if a partial batch may be written. If many users are skipped, a page contains less than a full batch. Without
   * partial batches, each stall would discard the fetched users, and the feed might never advance.
   */
  const mayBeShort = () => isSealed && gaps.length > 0;
  const hasBatch = () => users.length >= batchUsers || (mayBeShort() && users.length > 0);

  /**
   * Returns the number of users that are skipped before the first waiting user. If the number is large, the cursor
   * moves even without a batch.
   */
  const skippedFirst = () => {
    const [first] = gaps;
    return first?.at === 0 ? first.excluded + first.heldOut : 0;
  };

  /**
   * Returns true if a gap belongs to the cut. A gap at the end of the cut does not belong to it if the id of its last
   * user cannot be sent in a request, because the next request would have to begin after this id.
   */
  const goesWith = ({ taken, complete }: Cut, { at, last }: Gap) =>
    at < taken || (at === taken && (complete || last.isWellFormed()));

  return {
    add: (page) => {
      if (!hasBatch()) sinceMs = clock.monotonicMs();
      if (page.gaps.length > 0) {
        gaps = joined(gaps, page.gaps, users.length);
        heldOutWaiting += sumOf(page.gaps).heldOut;
      }
      users = concatUsers(users, page.users);
      isLast = page.isLast;
    },
    seal: () => {
      isSealed = true;
    },
    wantsPage: () => isOpen() && !isFull(),
    isOpen,
    batches: () => Math.ceil(users.length / batchUsers),
    hasBatch,
    gatherMs: () => {
      if (isLast || isSealed || isFull() || users.length >= enoughUsers || skippedFirst() >= enoughUsers) return 0;
      return hasBatch() ? Math.max(0, sinceMs + maxGatherMs - clock.monotonicMs()) : null;
    },
    cut: ({ maxUsers, ...options }) => {
      const within = firstOf(users, maxUsers);
      // At the feed's limit of users, the last batch may be partial.
      const isBounded = within.length < users.length;
      const mustMove = isFull() || mayBeShort();
      const whole = cutBatches(within, { ...options, batchUsers, isLast: isLast || isBounded, mustMove });
      const cut = { ...whole, complete: whole.complete && !isBounded };
      const isWorthwhile = cut.taken > 0 || cut.complete || isSealed || skippedFirst() >= enoughUsers;
      const passed = isWorthwhile ? gaps.filter((gap) => goesWith(cut, gap)) : [];
      const lastTaken = cut.taken === 0 ? undefined : users.at(cut.taken - 1);
      const reached = passed.at(-1)?.at === cut.taken ? passed.at(-1)?.last : lastTaken;
      const heldOutIds = passed.flatMap((gap) => gap.heldOutIds ?? []);
      const skipped = { ...sumOf(passed), ...(heldOutIds.length > 0 && { heldOutIds }) };
      return { ...cut, skipped, shared: sharedIn(passed), gaps: passed.length, reached };
    },
    drop: (cut) => {
      gaps = gaps.slice(cut.gaps).map((gap) => ({ ...gap, at: gap.at - cut.taken }));
      users = users.slice(cut.taken);
      heldOutWaiting -= cut.skipped.heldOut;
      sinceMs = clock.monotonicMs();
    },
  };
}

/**
 * Appends the gaps of a page to the waiting gaps. If the last waiting gap and the first new one touch, they become one.
 * @param before number of buffered users before the page
 */
function joined(waiting: readonly Gap[], added: readonly Gap[], before: number): readonly Gap[] {
  const moved = added.map((gap) => ({ ...gap, at: gap.at + before }));
  const [last, first] = [waiting.at(-1), moved[0]];
  if (!last || last.at !== first?.at) return [...waiting, ...moved];
  const { excluded, heldOut } = sumOf([last, first]);
  const ids = [last, first].flatMap(({ heldOutIds = [] }) => heldOutIds);
  const shared = sharedIn([last, first]);
  const met = {
    at: last.at,
    excluded,
    heldOut,
    last: first.last,
    ...(shared > 0 && { shared }),
    ...(ids.length > 0 && { heldOutIds: ids }),
  };
  return [...waiting.slice(0, -1), met, ...moved.slice(1)];
}

function sharedIn(gaps: readonly Gap[]): number {
  return gaps.reduce((sum, { shared = 0 }) => sum + shared, 0);
}

/**
 * Returns the first users, at least `atMost` of them if there are so many. The last id can be sent in a request, which
 * an id with a lone surrogate cannot.
 */
function firstOf(users: PageUsers, atMost: number): PageUsers {
  if (users.length <= atMost) return users;
  if (users instanceof PlainUsers) return users.slice(0, atMost);
  const end = users.findIndex((_, index) => index + 1 >= atMost && users[index]?.isWellFormed());
  return end < 0 ? users : users.slice(0, end + 1);
}

function sumOf(gaps: readonly Gap[]): SkippedUsers {
  const skipped = { excluded: 0, heldOut: 0 };
  for (const { excluded, heldOut } of gaps) {
    skipped.excluded += excluded;
    skipped.heldOut += heldOut;
  }
  return skipped;
}
