import type { Segment, SegmentList } from '#client/types.gen.ts';
import { countOf, formatCount } from '../words/numbers.ts';

/** Returns the size of a segment, such as `about 125,000 users` or `size not known`. */
export function segmentSize({ estimate }: Pick<Segment, 'estimate'>): string {
  return estimate === null ? 'size not known' : `about ${countOf(estimate, 'user')}`;
}

/** The API counts campaigns up to this number, and each campaign once. */
const countedAtMost = 100;

export function segmentUse({ usedBy, usedBySaved }: Pick<Segment, 'usedBy' | 'usedBySaved'>): string {
  const uses = [
    ...(usedBy >= countedAtMost ? [`${formatCount(countedAtMost)} campaigns or more`] : []),
    ...(usedBy > 0 && usedBy < countedAtMost ? [countOf(usedBy, 'campaign')] : []),
    ...(usedBySaved > 0 ? [countOf(usedBySaved, 'saved audience')] : []),
  ];
  return uses.length === 0 ? 'not used' : uses.join(', ');
}

/** Describes the source of the segments; null if it is the segmentation service. */
export function segmentsFrom({ from, unavailable }: Pick<SegmentList, 'from' | 'unavailable'>): string | null {
  if (unavailable !== null)
    return `${unavailable.replace(/^./, (first) => first.toUpperCase())}. These are of earlier campaigns.`;
  return from === 'segmentation' ? null : 'The segmentation service offers no list: these are of earlier campaigns.';
}
