/** A segment's estimate may be wrong by so much before people are informed. */
const missingShare = 0.05;

/** What of a feed decides whether its audience came whole. All counts in users. */
export interface FedAudience {
  /** The segment that is all of the audience; null where there is more to it: then it is unknown how many overlap. */
  segment: string | null;
  country: string;
  /** Null where the segmentation service gave none. */
  estimate: number | null;
  fedUsers: number;
  /** Whether the segment's last page was fed. */
  complete: boolean;
}

/**
 * A note for progress and report where a segment ended with more than 5 % of its estimate missing: an estimate may be
 * wrong, and a service that ends a list too early looks the same. Null where there is nothing to say.
 */
export function shortfallNote({ segment, country, estimate, fedUsers, complete }: FedAudience): string | null {
  if (segment === null || !complete || estimate === null || fedUsers >= estimate * (1 - missingShare)) return null;
  return `segment "${segment}" in ${country} ended after ${fedUsers} users, and ${estimate} were estimated`;
}
