import type { AudienceList, ListedAudience } from '#client/types.gen.ts';
import { countOf } from '../words/numbers.ts';
import { formatUserCount } from './user-count.ts';

/** Returns a size: `1,840`, `about 93,200`, `124,880 to 125,000`. */
export function formatListSize({ exact, atLeast, atMost, asOf }: NonNullable<ListedAudience['size']>): string {
  return formatUserCount({ kind: exact ? 'counted' : 'estimated', atLeast, atMost, at: asOf });
}

/** Returns the uses of an audience, such as `2 campaigns, 1 saved audience` or `not used`. */
export function formatUses({ usedBy, usedBySaved }: Pick<ListedAudience, 'usedBy' | 'usedBySaved'>): string {
  const campaigns = usedBy > 0 ? [countOf(usedBy, 'campaign')] : [];
  const saved = usedBySaved > 0 ? [countOf(usedBySaved, 'saved audience')] : [];
  return [...campaigns, ...saved].join(', ') || 'not used';
}

/** Explains why a list has only segments in use; null if it has those of the segmentation service. */
export function describeSegmentSource({ segmentsFrom: from, unavailable }: AudienceList): string | null {
  if (unavailable !== null)
    return `${unavailable.replace(/^./, (first) => first.toUpperCase())}. Only segments in use are listed.`;
  return from === 'use' ? 'The segmentation service offers no list. Only segments in use are listed.' : null;
}
