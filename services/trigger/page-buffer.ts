import type { Clock } from '../../shared/ports/clock.ts';
import { cutBatches, type Cut } from './cut-batches.ts';

/** Pages gather until there are so many users, but no longer than this: 5 to 10 pages in one write were measured to halve its cost. */
const enoughUsers = 5000;
const maxGatherMs = 100;

export interface PageBufferDeps {
  /** Users per batch, at most. */
  batchUsers: number;
  /** Users that may wait in memory, asked before each page. */
  maxUsers: () => number;
  clock: Clock;
}

/** Users of a feed that were fetched and are not written yet, in order. */
export interface PageBuffer {
  add(page: { users: readonly string[]; isLast: boolean }): void;
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
  cut(options: { maxBatches: number; nextBatchNo: number }): Cut;
  /** The last user of a cut, where it took any. */
  lastOf(cut: Cut): string | undefined;
  /** The cut is written. */
  drop(cut: Cut): void;
}

export function createPageBuffer({ batchUsers, maxUsers, clock }: PageBufferDeps): PageBuffer {
  let users: readonly string[] = [];
  let isLast = false;
  let isSealed = false;
  let sinceMs = 0;

  const isFull = () => users.length >= maxUsers();
  const isOpen = () => !isLast && !isSealed;
  const hasBatch = () => users.length >= batchUsers;

  return {
    add: (page) => {
      if (!hasBatch()) sinceMs = clock.monotonicMs();
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
      if (isLast || isSealed || isFull() || users.length >= enoughUsers) return 0;
      return hasBatch() ? Math.max(0, sinceMs + maxGatherMs - clock.monotonicMs()) : null;
    },
    cut: (options) => cutBatches(users, { ...options, batchUsers, isLast, mustMove: isFull() }),
    lastOf: ({ taken }) => (taken > 0 ? users[taken - 1] : undefined),
    drop: ({ taken }) => {
      users = users.slice(taken);
      sinceMs = clock.monotonicMs();
    },
  };
}
