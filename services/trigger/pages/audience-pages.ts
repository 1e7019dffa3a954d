import { onlySegment, segmentAlone, type FeedSource } from '../../../shared/contracts/runs/feed-audience.ts';
import type { OwnedFeed } from '../ports/feed-store.ts';
import { createMergedPages } from './merged-pages.ts';
import type { Gap, PageSource, SourcePages } from './page-source.ts';
import { createSegmentPages, type SegmentPagesDeps } from './segment-pages.ts';
import { createEarlierPages, createListPages, type StoredPagesDeps } from './stored-pages.ts';

export type AudiencePagesDeps = SegmentPagesDeps &
  StoredPagesDeps & {
    /** The feed of a dry run also counts the users that several sources contain. */
    feed: Pick<OwnedFeed, 'audience' | 'isDry'>;
    countsParts?: boolean;
  };

const noGaps: readonly Gap[] = [];

/** Creates the pages of a feed's audience. The pages of a single segment are passed on without merging. */
export function createAudiencePages(deps: AudiencePagesDeps): PageSource {
  const { audience, isDry } = deps.feed;
  const { countsParts = false } = deps;
  const alone = onlySegment(audience);
  if (alone === null)
    return createMergedPages(audience, (source, country) => pagesOf(source, inCountry(deps, country)), {
      countsShared: isDry,
      countsParts,
    });
  const pages = createSegmentPages(alone, deps);
  return {
    standing: () => pages.standing(),
    next: async (signal) => {
      const page = await pages.next(signal);
      if (page.kind === 'stalled') return page;
      const parts = countsParts && { parts: { include: [page.users.length], repeated: 0, exclude: [], elsewhere: 0 } };
      return { ...page, gaps: noGaps, fresh: page.fresh && segmentAlone(page.fresh), ...parts };
    },
  };
}

function inCountry(deps: AudiencePagesDeps, country = deps.feed.country): AudiencePagesDeps {
  return { ...deps, feed: { ...deps.feed, country } };
}

function pagesOf(source: FeedSource, deps: AudiencePagesDeps): SourcePages[] {
  if ('segment' in source) return [createSegmentPages(source, deps)];
  if ('listId' in source) return [createListPages(source, deps)];
  return source.feedIds.map((feedId) => createEarlierPages(source, feedId, deps));
}
