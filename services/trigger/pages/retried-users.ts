import type { FeedStore } from '../ports/feed-store.ts';
import type { Segmentation } from '../../../shared/ports/segmentation.ts';

export interface RetriedUsersDeps {
  feedId: string;
  feedStore: Pick<FeedStore, 'retriedUsers'>;
}

/**
 * Serves the stored audience of a retry run's feed through the interface of a segmentation service. Throws on a
 * database error: such an error must not look like a fault of the segmentation service.
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
