import { backoffMs } from '../../shared/domain/retry.ts';
import { compareUserIds } from '../../shared/domain/user-id.ts';
import type { OwnedFeed } from './ports/feed-store.ts';
import type { Segmentation, SegmentationFailure } from './ports/segmentation.ts';
import { pageFault } from './check-page.ts';

const backoff = { firstDelayMs: 500, maxDelayMs: 30_000 };

/** A page that breaks the contract is not a passing fault; somebody has to look at it. */
const retryBrokenPageMs = 10_000;

export interface PageSourceDeps {
  feed: OwnedFeed;
  segmentation: Segmentation;
  /** Users asked for per page. */
  pageSize: number;
  /** In [0, 1). */
  random: () => number;
}

export type NextPage =
  { kind: 'page'; users: readonly string[]; isLast: boolean } | { kind: 'stalled'; cause: string; retryInMs: number };

/** The pages of a feed's segment behind its cursor, one after the other, each of them checked. */
export interface PageSource {
  /** Asking again after a stall asks for the same page. */
  next(signal: AbortSignal): Promise<NextPage>;
}

export function createPageSource({ feed, segmentation, pageSize, random }: PageSourceDeps): PageSource {
  /** In memory only: the next owner of the feed learns anew that the old one is gone. */
  let snapshot = feed.snapshot;
  /** Last id that was handed out. */
  let seen = feed.cursor;
  /** Where to ask from: before `seen` only when that id cannot stand in a query. */
  let after = feed.cursor;
  let failures = 0;

  const ask = (signal: AbortSignal) =>
    segmentation.page({ segment: feed.segment, country: feed.country, snapshot, after, limit: pageSize }, signal);

  async function askOnFreshSnapshot(signal: AbortSignal): ReturnType<typeof ask> {
    const described = await segmentation.describe(feed.segment, feed.country, signal);
    if (!described.ok) return described;
    snapshot = described.value.snapshot;
    return ask(signal);
  }

  function failed(failure: SegmentationFailure): NextPage {
    failures++;
    const delayMs = backoffMs(backoff, failures, random());
    const cause = `segmentation service, ${failure.kind}: ${failure.cause}`;
    return { kind: 'stalled', cause, retryInMs: Math.max(delayMs, failure.retryAfterMs ?? 0) };
  }

  return {
    next: async (signal) => {
      if (after !== null && !after.isWellFormed()) return broken('the last id fed cannot be asked for: lone surrogate');
      let answer = await ask(signal);
      if (!answer.ok && answer.failure.kind === 'gone') answer = await askOnFreshSnapshot(signal);
      if (!answer.ok) return failed(answer.failure);
      failures = 0;

      const page = answer.value;
      const fault = pageFault(page, { after, limit: pageSize });
      if (fault !== null) return broken(fault);

      const users = behind(page.users, after === seen ? null : seen);
      const isLast = page.next === null;
      const askable = page.users.findLast((user) => user.isWellFormed());
      if (!isLast && askable === undefined) return broken('a whole page of ids with lone surrogates');
      after = askable ?? after;
      seen = page.users.at(-1) ?? seen;
      return { kind: 'page', users, isLast };
    },
  };
}

function broken(cause: string): NextPage {
  return { kind: 'stalled', cause: `segmentation service: ${cause}`, retryInMs: retryBrokenPageMs };
}

function behind(users: readonly string[], seen: string | null): readonly string[] {
  return seen === null ? users : users.filter((user) => compareUserIds(user, seen) > 0);
}
