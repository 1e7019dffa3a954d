import type { FeedStore } from '../ports/feed-store.ts';
import type { Segmentation } from '../../../shared/ports/segmentation.ts';

export interface RetriedUsersDeps {
  feedId: string;
  feedStore: Pick<FeedStore, 'retriedUsers'>;
}

/**
 * The audience of a child run's feed, paged as a segment is: the users that were written down when the run began.
 * Throws where the database does not answer: that is nothing that a segmentation service could be blamed for.
 */
export function createRetriedUsers({ feedId, feedStore }: RetriedUsersDeps): Segmentation {
  return {
    describe: (segment, country) =>
      Promise.resolve({ ok: true, value: { id: segment, country, estimate: null, snapshot: '' } }),
    page: async ({ after, limit }) => {
      const { users, isLast } = await feedStore.retriedUsers(feedId, after, limit);
      return { ok: true, value: { users, next: isLast ? null : (users.at(-1) ?? null) } };
    },
  };
}
