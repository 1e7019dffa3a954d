import type { ListSource, RunSource } from '../../../shared/contracts/runs/feed-audience.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { compareUserIds, findDisorder } from '../../../shared/domain/ids/user-id.ts';
import type { StoredAudiences, StoredPage } from '../../../shared/ports/stored-audiences.ts';
import type { FeedStanding } from './page-requests.ts';
import { stallOf, type SourcePage, type SourcePages, type Stall } from './page-source.ts';
import type { OwnedFeed } from '../ports/feed-store.ts';

export interface StoredPagesDeps {
  feed: Pick<OwnedFeed, 'country' | 'stalls' | 'cursor'>;
  storedAudiences: StoredAudiences;
  /** Random number in [0, 1). */
  random: () => number;
}

export function createListPages({ listId }: ListSource, deps: StoredPagesDeps): SourcePages {
  const { country, cursor } = deps.feed;
  const name = `list ${publicId('audience', listId)} in ${country}`;
  let after = cursor;
  return createStoredPages(name, 'it is gone: somebody deleted it', deps, async () => {
    const page = await deps.storedAudiences.listPage(listId, country, after);
    after = page?.users.at(-1) ?? after;
    return page;
  });
}

/** Pages of one feed of an earlier run. */
export function createEarlierPages(source: RunSource, feedId: string, deps: StoredPagesDeps): SourcePages {
  const { storedAudiences } = deps;
  const { runId, steps, outcomes, step } = source;
  const { country, cursor } = deps.feed;
  const name = `users of ${publicId('run', runId)} in ${country}`;
  let batchNo: number | null = null;
  return createStoredPages(name, 'they are not kept any more', deps, async (signal) => {
    batchNo ??= cursor === null ? 1 : await storedAudiences.firstBatchAfter(feedId, cursor);
    for (;;) {
      const page = await storedAudiences.earlierPage({ feedId, steps, outcomes, step }, batchNo);
      if (!page) return undefined;
      batchNo = page.nextBatchNo;
      const users = cursor === null ? page.users : page.users.filter((user) => compareUserIds(user, cursor) > 0);
      // If no user in these batches has a matching outcome, reads the next batches.
      if (users.length > 0 || page.isLast || signal.aborted) return { users, isLast: page.isLast };
    }
  });
}

function createStoredPages(
  name: string,
  whenGone: string,
  { feed, random }: StoredPagesDeps,
  read: (signal: AbortSignal) => Promise<StoredPage | undefined>,
): SourcePages {
  const { stalls, cursor } = feed;
  let standing: FeedStanding = stalls > 0 ? 'uncertain' : cursor === null ? 'new' : 'moving';
  let seen = cursor;

  const stalled = (cause: string): Stall => stallOf('lasting', `${name}: ${cause}`, { stalls, random });

  return {
    standing: () => standing,
    next: async (signal): Promise<SourcePage | Stall> => {
      const page = await read(signal);
      if (!page) return stalled(whenGone);
      const { users, isLast } = page;
      if (findDisorder(users, seen) >= 0) return stalled('what is stored is not in strictly ascending order');
      standing = 'moving';
      seen = users.at(-1) ?? seen;
      return { kind: 'page', users, isLast, fresh: null };
    },
  };
}
