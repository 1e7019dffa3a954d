import type { Clock } from '../../../shared/ports/clock.ts';
import { cutBatches, type Cut } from './cut-batches.ts';
import type { Gap } from '../pages/page-source.ts';
import type { SkippedUsers } from '../ports/feed-store.ts';

/**
 * Pages gather until there are so many users, but no longer than this: 5 to 10 pages in one write were measured to
 * halve its cost.
 */
const enoughUsers = 5000;
const maxGatherMs = 100;

export interface PageBufferDeps {
  /** Users per batch, at most. */
  batchUsers: number;
  /** Users that may wait in memory, held-out ones included, asked before each page. */
  maxUsers: () => number;
  clock: Clock;
}

/** A cut, and whom it passes over. */
export interface BufferCut extends Cut {
  skipped: SkippedUsers;
  /** Those whom several sources name, where they are counted. */
  shared: number;
  /** How many of the gaps, from the front, go with it. */
  gaps: number;
  /** The last user that is taken or passed over; undefined where none is. */
  reached: string | undefined;
}

/**
 * Users of a feed that were fetched and are not written yet, in order. Of those that an exclusion names, their number
 * alone.
 */
export interface PageBuffer {
  add(page: { users: readonly string[]; gaps: readonly Gap[]; isLast: boolean }): void;
  /** No pages come any more until the feed is taken up anew: what is there need not wait for them. */
  seal(): void;
  wantsPage(): boolean;
  /** Whether more pages will be wanted, sooner or later. */
  isOpen(): boolean;
  /** Batches that it would make. */
  batches(): number;
  /** Whether there are users for at least one batch. */
  hasBatch(): boolean;
  /** Until it is to be written: 0 for at once, null for not before another page comes. */
  gatherMs(): number | null;
  /** The batches that may be written now. With none of them, it may pass over many users all the same. */
  cut(options: { maxBatches: number; maxUsers: number; nextBatchNo: number }): BufferCut;
  /** The cut is written. */
  drop(cut: BufferCut): void;
}

export function createPageBuffer({ batchUsers, maxUsers, clock }: PageBufferDeps): PageBuffer {
  let users: readonly string[] = [];
  /** At most one between two users. */
  let gaps: readonly Gap[] = [];
  let heldOutWaiting = 0;
  let isLast = false;
  let isSealed = false;
  let sinceMs = 0;

  const isFull = () => users.length + heldOutWaiting >= maxUsers();
  const isOpen = () => !isLast && !isSealed;
  /**
   * Where many are passed over, a page may hold less than a batch: what was fetched before a stall must not be left
   * behind each time.
   */
  const mayBeShort = () => isSealed && gaps.length > 0;
  const hasBatch = () => users.length >= batchUsers || (mayBeShort() && users.length > 0);

  /** Who is passed over before the first user that waits: so many move the cursor, also where no batch does. */
  const skippedFirst = () => {
    const [first] = gaps;
    return first?.at === 0 ? first.excluded + first.heldOut : 0;
  };

  /** A gap behind the last user taken goes with it, unless its last user cannot be asked for from a cursor. */
  const goesWith = ({ taken, complete }: Cut, { at, last }: Gap) =>
    at < taken || (at === taken && (complete || last.isWellFormed()));

  return {
    add: (page) => {
      if (!hasBatch()) sinceMs = clock.monotonicMs();
      if (page.gaps.length > 0) {
        gaps = joined(gaps, page.gaps, users.length);
        heldOutWaiting += sumOf(page.gaps).heldOut;
      }
      users = users.length === 0 ? page.users : users.concat(page.users);
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
      // At its bound, a cut takes a batch that is not full.
      const isBounded = within.length < users.length;
      const mustMove = isFull() || mayBeShort();
      const whole = cutBatches(within, { ...options, batchUsers, isLast: isLast || isBounded, mustMove });
      const cut = { ...whole, complete: whole.complete && !isBounded };
      const isWorthwhile = cut.taken > 0 || cut.complete || isSealed || skippedFirst() >= enoughUsers;
      const passed = isWorthwhile ? gaps.filter((gap) => goesWith(cut, gap)) : [];
      const reached = passed.at(-1)?.at === cut.taken ? passed.at(-1)?.last : users[cut.taken - 1];
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

/** Gaps of a page behind those that wait, with `before` users between the buffer's beginning and the page. */
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

/** So many of them, and those behind that a cut cannot end with: a lone surrogate cannot be asked for. */
function firstOf(users: readonly string[], atMost: number): readonly string[] {
  if (users.length <= atMost) return users;
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
