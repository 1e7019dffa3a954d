import {
  ranksOf,
  type Elsewhere,
  type FeedSource,
  type SourcePlace,
} from '../../../shared/contracts/runs/feed-audience.ts';

/**
 * Returns the sources in other countries that affect the feed of one country: excluded lists and earlier runs, and
 * included ones that rank before another source. Segments are not returned, because one service returns their users for
 * all countries.
 */
export function sourcesElsewhere(country: string, places: readonly SourcePlace[]): Elsewhere[] {
  const others = places.filter((place) => place.country !== country);
  return [...Map.groupBy(others, (place) => place.country)].flatMap(([other, ofOther]) => {
    const included = ofOther.filter(({ isExcluded }) => !isExcluded).map(({ source }) => source);
    const excluded = ofOther.filter(({ isExcluded }) => isExcluded).map(({ source }) => source);
    const ranks = ranksOf(included);
    const last = Math.max(...ranks);
    return [
      ...included.flatMap((source, index) => ((ranks[index] ?? last) < last ? entryFor(source, other, index) : [])),
      ...excluded.flatMap((source) => entryFor(source, other, null)),
    ];
  });
}

function entryFor(source: FeedSource, country: string, included: number | null): Elsewhere[] {
  return 'segment' in source || source.estimate === 0 ? [] : [{ country, source, included }];
}
