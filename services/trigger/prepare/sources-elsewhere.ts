import {
  ranksOf,
  type Elsewhere,
  type FeedSource,
  type SourcePlace,
} from '../../../shared/contracts/runs/feed-audience.ts';

/**
 * What has a say in one country's feed about people that it holds in others: lists and earlier runs that exclude, and
 * those that are included and rank before another source. A segment has none: one service answers for all countries.
 */
export function sourcesElsewhere(country: string, places: readonly SourcePlace[]): Elsewhere[] {
  const others = places.filter((place) => place.country !== country);
  return [...Map.groupBy(others, (place) => place.country)].flatMap(([other, ofOther]) => {
    const included = ofOther.filter(({ isExcluded }) => !isExcluded).map(({ source }) => source);
    const excluded = ofOther.filter(({ isExcluded }) => isExcluded).map(({ source }) => source);
    const ranks = ranksOf(included);
    const last = Math.max(...ranks);
    return [
      ...included.flatMap((source, index) => ((ranks[index] ?? last) < last ? saidBy(source, other, index) : [])),
      ...excluded.flatMap((source) => saidBy(source, other, null)),
    ];
  });
}

function saidBy(source: FeedSource, country: string, included: number | null): Elsewhere[] {
  return 'segment' in source || source.estimate === 0 ? [] : [{ country, source, included }];
}
