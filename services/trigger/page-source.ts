import type { SegmentDescription } from '../../shared/contracts/segmentation.ts';
import { backoffMs } from '../../shared/domain/retry.ts';
import { compareUserIds } from '../../shared/domain/user-id.ts';
import type { FeedStanding, PageQuestions } from './page-questions.ts';
import type { OwnedFeed } from './ports/feed-store.ts';
import type { Segmentation, SegmentationFailure } from './ports/segmentation.ts';
import { pageFault } from './check-page.ts';
import { brokenPageCause, segmentationCause } from './segmentation-cause.ts';

/** A fault that may pass by itself. */
const passing = { firstDelayMs: 500, maxDelayMs: 30_000 };
/** Somebody has to look at it: a page that breaks the contract, a question that is refused. */
const lasting = { firstDelayMs: 10_000, maxDelayMs: 300_000 };

export interface PageSourceDeps {
  feed: OwnedFeed;
  segmentation: Segmentation;
  questions: PageQuestions;
  /** Users asked for per page. */
  pageSize: number;
  /** In [0, 1). */
  random: () => number;
}

export interface Stall {
  kind: 'stalled';
  /** For people. */
  cause: string;
  retryInMs: number;
}

export interface FetchedPage {
  kind: 'page';
  users: readonly string[];
  isLast: boolean;
  /** The snapshot that the feed goes on with from now, where the one before is gone. */
  fresh: SegmentDescription | null;
}

/** The pages of a feed's segment behind its cursor, one after the other, each of them checked. */
export interface PageSource {
  next(signal: AbortSignal): Promise<FetchedPage | Stall>;
  standing(): FeedStanding;
}

export function createPageSource({ feed, segmentation, questions, pageSize, random }: PageSourceDeps): PageSource {
  let snapshot = feed.snapshot;
  /** Last id that was handed out. */
  let seen = feed.cursor;
  /** Where to ask from: before `seen` only when that id cannot be sent in a query. */
  let after = feed.cursor;
  let standing: FeedStanding = feed.stalls > 0 ? 'uncertain' : feed.cursor === null ? 'new' : 'moving';

  function ask(signal: AbortSignal) {
    const request = { segment: feed.segment, country: feed.country, snapshot, after, limit: pageSize };
    return questions.ask({ runId: feed.runId, standing }, () => segmentation.page(request, signal), signal);
  }

  function failed(failure: SegmentationFailure): Stall {
    const backoff = failure.kind === 'unavailable' ? passing : lasting;
    const delayMs = backoffMs(backoff, feed.stalls + 1, random());
    const retryInMs = Math.max(delayMs, failure.retryAfterMs ?? 0);
    return { kind: 'stalled', cause: segmentationCause(feed, failure), retryInMs };
  }

  function broken(fault: string): Stall {
    // Without chance: ten seconds at first, so that whoever mends it knows when it is looked at again.
    const retryInMs = backoffMs(lasting, feed.stalls + 1, 1);
    return { kind: 'stalled', cause: brokenPageCause(feed, fault), retryInMs };
  }

  return {
    standing: () => standing,
    next: async (signal) => {
      if (after !== null && !after.isWellFormed()) return broken('the last id fed cannot be asked for: lone surrogate');
      let fresh: SegmentDescription | null = null;
      let answer = await ask(signal);
      if (!answer.ok && answer.failure.kind === 'gone') {
        const described = await segmentation.describe(feed.segment, feed.country, signal);
        if (!described.ok) return failed(described.failure);
        fresh = described.value;
        snapshot = fresh.snapshot;
        answer = await ask(signal);
      }
      if (!answer.ok) return failed(answer.failure);

      const page = answer.value;
      const fault = pageFault(page, { after, limit: pageSize });
      if (fault !== null) return broken(fault);

      standing = 'moving';
      const users = behind(page.users, after === seen ? null : seen);
      const isLast = page.next === null;
      const askable = page.users.findLast((user) => user.isWellFormed());
      if (!isLast && askable === undefined) return broken('a whole page of ids with lone surrogates');
      after = askable ?? after;
      seen = page.users.at(-1) ?? seen;
      return { kind: 'page', users, isLast, fresh };
    },
  };
}

function behind(users: readonly string[], seen: string | null): readonly string[] {
  return seen === null ? users : users.filter((user) => compareUserIds(user, seen) > 0);
}
