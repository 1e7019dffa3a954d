import {
  ranksOf,
  type FeedAudience,
  type FeedSource,
  type SegmentSource,
} from '../../../shared/contracts/runs/feed-audience.ts';
import { isHeldOut } from '../../../shared/domain/run/hold-out.ts';
import { isBasic, isOver, isSpent, mergeHeads, type Head } from './merge-heads.ts';
import type { FeedStanding } from './page-questions.ts';
import type { FetchedPage, PageSource, SourcePages, Stall } from './page-source.ts';

/** One of the sources that are merged, and what of it waits to be merged. */
interface Strand {
  source: FeedSource;
  pages: SourcePages;
  head: Head;
  basic: boolean;
}

export type PagesOfSource = (source: FeedSource, country?: string) => SourcePages[];

const stopped: Stall = { kind: 'stalled', cause: 'stopped', retryInMs: 0 };

/**
 * An audience of several sources as one: pages are merged as far as all sources have shown what they have. Each source
 * is paged by itself, at most a page of it is in memory, and the last user handled is the cursor of all of them: behind
 * it, each is asked anew after a crash.
 *
 * @param pagesOf the pages of a source in a country, the feed's own where it is absent; a run may have several
 * @param countsShared those whom several sources name are counted
 */
export function createMergedPages(audience: FeedAudience, pagesOf: PagesOfSource, countsShared = false): PageSource {
  const strandsOf = (source: FeedSource, rank: number, country?: string): Strand[] =>
    pagesOf(source, country).map((pages) => {
      return { source, pages, head: { users: [], at: 0, isLast: false, rank }, basic: true };
    });
  const ranks = ranksOf(audience.include);
  const included = audience.include.flatMap((source, index) => strandsOf(source, ranks[index] ?? 0));
  const excluded = [
    ...audience.exclude.flatMap((source) => strandsOf(source, 0)),
    ...(audience.elsewhere ?? []).flatMap(({ source, country, included: place }) =>
      strandsOf(source, place === null ? 0 : (ranks[place] ?? 0), country),
    ),
  ];
  const strands = [...included, ...excluded];
  const { holdOut } = audience;
  const holdsOut = holdOut === null ? () => false : (user: string) => isHeldOut(holdOut, user);
  let current = audience;
  let fresh: FeedAudience | null = null;

  const isEnded = () => included.every(({ head }) => isOver(head));

  /** Asks all sources whose pages are used up, at once. */
  async function fill(signal: AbortSignal): Promise<Stall | null> {
    const asked = strands.filter(({ head }) => isSpent(head));
    const answers = await Promise.allSettled(asked.map((strand) => fillOne(strand, signal)));
    const failed = answers.find((answer) => answer.status === 'rejected');
    if (failed) throw failed.reason;
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? (answer.value ?? []) : []))[0] ?? null;
  }

  async function fillOne(strand: Strand, signal: AbortSignal): Promise<Stall | null> {
    const page = await strand.pages.next(signal);
    if (page.kind === 'stalled') return page;
    strand.head = { users: page.users, at: 0, isLast: page.isLast, rank: strand.head.rank };
    strand.basic = isBasic(page.users);
    if (page.fresh) fresh = current = withFresh(current, strand.source, page.fresh);
    return null;
  }

  return {
    standing: () => gravest(strands.map(({ pages }) => pages.standing())),
    next: async (signal): Promise<FetchedPage | Stall> => {
      for (;;) {
        const stall = await fill(signal);
        if (stall) return stall;
        if (signal.aborted) return stopped;
        if (strands.some(({ head }) => isSpent(head))) continue;
        const heads = { include: included.map(({ head }) => head), exclude: excluded.map(({ head }) => head) };
        const merged = mergeHeads(heads, holdsOut, { basic: strands.every(({ basic }) => basic), countsShared });
        const isLast = isEnded();
        if (merged.users.length === 0 && merged.gaps.length === 0 && !isLast) continue;
        const renewed = fresh;
        fresh = null;
        return { kind: 'page', ...merged, isLast, fresh: renewed };
      }
    },
  };
}

/** Every source that pages this segment goes on with its new snapshot, since they page the same. */
function withFresh(audience: FeedAudience, old: FeedSource, fresh: SegmentSource): FeedAudience {
  const renewed = (sources: readonly FeedSource[]) =>
    sources.map((source) =>
      'segment' in source && 'segment' in old && source.segment === old.segment ? fresh : source,
    );
  return { ...audience, include: renewed(audience.include), exclude: renewed(audience.exclude) };
}

function gravest(standings: readonly FeedStanding[]): FeedStanding {
  if (standings.includes('uncertain')) return 'uncertain';
  return standings.includes('new') ? 'new' : 'moving';
}
