import type { Clock } from '../../../shared/ports/clock.ts';
import { cutBatches, type Cut } from './cut-batches.ts';
import type { Gap } from '../pages/page-source.ts';
import type { SkippedUsers } from '../ports/feed-store.ts';

/** Limits for gathering pages into one write. In measurements, 5 to 10 pages per write halved its cost. */
const enoughUsers = 5000;
const maxGatherMs = 100;

export interface PageBufferDeps {
  /** Users per batch, at most. */
  batchUsers: number;
  /** Users that may wait in memory, held-out ones included, read before each page. */
  maxUsers: () => number;
  clock: Clock;
}

export interface BufferCut extends Cut {
  skipped: SkippedUsers;
  /** Users that several sources contain, if they are counted. */
  shared: number;
  /** Number of gaps, from the front, that belong to the cut. */
  gaps: number;
  /** Last user that is taken or skipped; undefined if there is none. */
  reached: string | undefined;
}

/** Fetched users of a feed that are not written yet, in order. Excluded users are only counted. */
export interface PageBuffer {
  add(page: { users: readonly string[]; gaps: readonly Gap[]; isLast: boolean }): void;
  /** Marks that no more pages come before the feed is claimed anew, so that buffered users do not wait for more. */
  seal(): void;
  wantsPage(): boolean;
  isOpen(): boolean;
  batches(): number;
  hasBatch(): boolean;
  /** Returns milliseconds until the next write: 0 means now, null means not before another page comes. */
  gatherMs(): number | null;
  /** Cuts the batches that may be written now. A cut without batches may still skip many users. */
  cut(options: { maxBatches: number; maxUsers: number; nextBatchNo: number }): BufferCut;
  drop(cut: BufferCut): void;
}

export function createPageBuffer({ batchUsers, maxUsers, clock }: PageBufferDeps): PageBuffer {
  let users: readonly string[] = [];
  /** At most one gap lies between two users. */
  let gaps: readonly Gap[] = [];
  let heldOutWaiting = 0;
  let isLast = false;
  let isSealed = false;
  let sinceMs = 0;

  const isFull = () => users.length + heldOutWaiting >= maxUsers();
  const isOpen = () => !isLast && !isSealed;
  /**
   * If many users are skipped, a page may hold less than a batch. A sealed buffer then writes partial batches, because
   * each stall would otherwise discard the fetched users.
   */
  const mayBeShort = () => isSealed && gaps.length > 0;
  const hasBatch = () => users.length >= batchUsers || (mayBeShort() && users.length > 0);

  /** Returns the users skipped before the first waiting one. Many of them move the cursor even without a batch. */
  const skippedFirst = () => {
    const [first] = gaps;
    return first?.at === 0 ? first.excluded + first.heldOut : 0;
  };

  /** Returns whether a gap goes with the cut. The last one does not if no request can continue after its last user. */
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
      // At the feed's bound, a cut takes a batch that is not full.
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

/** Joins waiting gaps and the gaps of a page. `before` is the number of buffered users before the page. */
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

/** Returns the first users, up to an id that a cut can end with: a lone surrogate cannot be sent in a request. */
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
