import type { AudienceParts } from '../../../shared/contracts/campaigns/exact-counts.ts';
import {
  ranksOf,
  type FeedAudience,
  type FeedSource,
  type SegmentSource,
} from '../../../shared/contracts/runs/feed-audience.ts';
import { idsOf } from '../../../shared/domain/ids/page-users.ts';
import { isHeldOut } from '../../../shared/domain/run/hold-out.ts';
import { isInPart } from '../../../shared/domain/run/split.ts';
import { emptyTally, isBasic, isOver, isSpent, mergeHeads, type Head, type HeadTally } from './merge-heads.ts';
import type { FeedStanding } from './page-requests.ts';
import type { FetchedPage, PageSource, SourcePages, Stall } from './page-source.ts';

interface Strand {
  source: FeedSource;
  /**
   * Index in the audience's `include` or `exclude`. Null for a source that is read only because it belongs to the
   * audience of another country.
   */
  place: number | null;
  pages: SourcePages;
  head: Head;
  basic: boolean;
}

export type PagesOfSource = (source: FeedSource, country?: string) => SourcePages[];

export interface MergeCounts {
  countsShared?: boolean;
  countsParts?: boolean;
}

const stopped: Stall = { kind: 'stalled', cause: 'stopped', retryInMs: 0 };

/**
 * Creates the pages of an audience that has several sources. At most one page of each source is in memory. The last
 * handled user is the cursor for all sources: after a crash, each source is read again from this user.
 * @param pagesOf returns the pages of a source in a country, by default the feed's own country; a run as source may
 * have several
 */
export function createMergedPages(
  audience: FeedAudience,
  pagesOf: PagesOfSource,
  { countsShared = false, countsParts = false }: MergeCounts = {},
): PageSource {
  const strandsOf = (source: FeedSource, place: number | null, rank: number, country?: string): Strand[] =>
    pagesOf(source, country).map((pages) => {
      return { source, place, pages, head: { users: [], at: 0, isLast: false, rank }, basic: true };
    });
  const ranks = ranksOf(audience.include);
  const included = audience.include.flatMap((source, index) => strandsOf(source, index, ranks[index] ?? 0));
  const excluded = [
    ...audience.exclude.flatMap((source, index) => strandsOf(source, index, 0)),
    ...(audience.elsewhere ?? []).flatMap(({ source, country, included: place }) =>
      place === null
        ? strandsOf(source, placeOf(audience.exclude, source), 0, country)
        : strandsOf(source, null, ranks[place] ?? 0, country),
    ),
  ];
  const strands = [...included, ...excluded];
  const { holdOut, split } = audience;
  /** Other users are dropped before all sources are merged: they are neither excluded nor held out. */
  const belongs = split ? (user: string) => isInPart(split, user) : null;
  const holdsOut = holdOut === null ? () => false : (user: string) => isHeldOut(holdOut, user);
  let current = audience;
  let fresh: FeedAudience | null = null;

  const isEnded = () => included.every(({ head }) => isOver(head));

  async function fill(signal: AbortSignal): Promise<Stall | null> {
    const spent = strands.filter(({ head }) => isSpent(head));
    const answers = await Promise.allSettled(spent.map((strand) => fillOne(strand, signal)));
    const failed = answers.find((answer) => answer.status === 'rejected');
    if (failed) throw failed.reason;
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? (answer.value ?? []) : []))[0] ?? null;
  }

  async function fillOne(strand: Strand, signal: AbortSignal): Promise<Stall | null> {
    const page = await strand.pages.next(signal);
    if (page.kind === 'stalled') return page;
    const users = belongs === null ? idsOf(page.users) : idsOf(page.users).filter(belongs);
    strand.head = { users, at: 0, isLast: page.isLast, rank: strand.head.rank };
    strand.basic = isBasic(users);
    if (page.fresh) fresh = current = withFresh(current, strand.source, page.fresh);
    return null;
  }

  /** Sums the counts of heads by source. A source may have several strands (sequences of pages). */
  function partsOf({ include, repeated, exclude }: HeadTally): AudienceParts {
    const sumOf = (ofStrands: readonly Strand[], counts: readonly number[], place: number | null) =>
      ofStrands.reduce((sum, strand, index) => (strand.place === place ? sum + (counts[index] ?? 0) : sum), 0);
    return {
      include: audience.include.map((_, place) => sumOf(included, include, place)),
      repeated,
      exclude: audience.exclude.map((_, place) => sumOf(excluded, exclude, place)),
      elsewhere: sumOf(excluded, exclude, null),
    };
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
        const tally = countsParts ? emptyTally(heads) : undefined;
        const basic = strands.every((strand) => strand.basic);
        const merged = mergeHeads(heads, holdsOut, { basic, countsShared, ...(tally && { tally }) });
        const isLast = isEnded();
        if (merged.users.length === 0 && merged.gaps.length === 0 && !isLast) continue;
        const renewed = fresh;
        fresh = null;
        return { kind: 'page', ...merged, isLast, fresh: renewed, ...(tally && { parts: partsOf(tally) }) };
      }
    },
  };
}

/** Replaces the snapshot of a segment in every source, because all sources of this segment continue on the same one. */
function withFresh(audience: FeedAudience, old: FeedSource, fresh: SegmentSource): FeedAudience {
  const renewed = (sources: readonly FeedSource[]) =>
    sources.map((source) =>
      'segment' in source && 'segment' in old && source.segment === old.segment ? fresh : source,
    );
  return { ...audience, include: renewed(audience.include), exclude: renewed(audience.exclude) };
}

/**
 * Returns the index of the source that equals `other`, even if `other` is read in another country; null if there is
 * none.
 */
function placeOf(sources: readonly FeedSource[], other: FeedSource): number | null {
  const keyOf = (source: FeedSource) =>
    'listId' in source
      ? source.listId
      : JSON.stringify('runId' in source ? [source.runId, source.outcomes, source.step] : [source.segment]);
  const place = sources.findIndex((source) => keyOf(source) === keyOf(other));
  return place < 0 ? null : place;
}

function gravest(standings: readonly FeedStanding[]): FeedStanding {
  if (standings.includes('uncertain')) return 'uncertain';
  return standings.includes('new') ? 'new' : 'moving';
}
