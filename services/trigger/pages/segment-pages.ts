import type { SegmentSource } from '../../../shared/contracts/runs/feed-audience.ts';
import { largestPage } from '../../../shared/contracts/endpoints/segmentation.ts';
import { idsOf, PlainUsers, type PageUsers } from '../../../shared/domain/ids/page-users.ts';
import { compareUserIds } from '../../../shared/domain/ids/user-id.ts';
import type { Segmentation, SegmentationFailure } from '../../../shared/ports/segmentation.ts';
import { pageFault } from './check-page.ts';
import type { FeedStanding, PageRequestLimiter } from './page-requests.ts';
import { stallOf, type SourcePages, type Stall } from './page-source.ts';
import type { OwnedFeed } from '../ports/feed-store.ts';
import { brokenPageCause, segmentationCause } from './segmentation-cause.ts';

export interface SegmentPagesDeps {
  feed: Pick<OwnedFeed, 'country' | 'runId' | 'stalls' | 'cursor'>;
  segmentation: Segmentation;
  limiter: PageRequestLimiter;
  /** Users requested per page, unless the service allows more. */
  pageSize: number;
  maxBufferedUsers: () => number;
  /** Random number in [0, 1). */
  random: () => number;
}

export function createSegmentPages(source: SegmentSource, deps: SegmentPagesDeps): SourcePages {
  const { feed, segmentation, limiter, pageSize, maxBufferedUsers, random } = deps;
  const { segment } = source;
  const { country, runId, stalls } = feed;
  const terms = { stalls, random };
  let { snapshot } = source;
  let seen = feed.cursor;
  /** Id after which the next request starts. Differs from `seen` only if that id cannot be sent in a query. */
  let after = feed.cursor;
  /** Users per page that the service allows, as far as known. */
  let maxLimit = pageSize;
  let standing: FeedStanding = stalls > 0 ? 'uncertain' : feed.cursor === null ? 'new' : 'moving';

  /**
   * Returns the size of the next page. It is limited by the number of users that the feed may keep in memory, because
   * large pages of many feeds would exhaust the memory.
   */
  const nextLimit = () => Math.floor(Math.max(pageSize, Math.min(maxLimit, largestPage, maxBufferedUsers())));

  function ask(limit: number, signal: AbortSignal) {
    const request = { segment, country, snapshot, after, limit };
    return limiter.request({ runId, standing }, () => segmentation.page(request, signal), signal);
  }

  function failed(failure: SegmentationFailure): Stall {
    const cause = segmentationCause({ segment, country }, failure);
    const stall = stallOf(failure.kind === 'unavailable' ? 'passing' : 'lasting', cause, terms);
    return { ...stall, retryInMs: Math.max(stall.retryInMs, failure.retryAfterMs ?? 0) };
  }

  const broken = (fault: string) => stallOf('lasting', brokenPageCause({ segment, country }, fault), terms);

  return {
    standing: () => standing,
    next: async (signal) => {
      if (after !== null && !after.isWellFormed()) return broken('the last id fed cannot be asked for: lone surrogate');
      let fresh: SegmentSource | null = null;
      const limit = nextLimit();
      let answer = await ask(limit, signal);
      if (!answer.ok && answer.failure.kind === 'gone') {
        const described = await segmentation.describe(segment, country, signal);
        if (!described.ok) return failed(described.failure);
        fresh = { segment, snapshot: described.value.snapshot, estimate: described.value.estimate };
        snapshot = fresh.snapshot;
        answer = await ask(limit, signal);
      }
      if (!answer.ok) return failed(answer.failure);

      const page = answer.value;
      const fault = pageFault(page, { after, limit });
      if (fault !== null) return broken(fault);

      standing = 'moving';
      maxLimit = page.maxLimit ?? pageSize;
      const users = usersAfter(page.users, after === seen ? null : seen);
      const isLast = page.next === null;
      const askable = lastAskable(page.users);
      if (!isLast && askable === undefined) return broken('a whole page of ids with lone surrogates');
      after = askable ?? after;
      seen = page.users.at(-1) ?? seen;
      return { kind: 'page', users, isLast, fresh };
    },
  };
}

function usersAfter(users: PageUsers, seen: string | null): PageUsers {
  return seen === null ? users : idsOf(users).filter((user) => compareUserIds(user, seen) > 0);
}

/** Returns the last id that can be sent in a query. */
function lastAskable(users: PageUsers): string | undefined {
  return users instanceof PlainUsers ? users.at(-1) : users.findLast((user) => user.isWellFormed());
}
