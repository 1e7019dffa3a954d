/** Tolerated error of a segment's estimate; a larger shortfall is reported. */
const missingShare = 0.05;

/** Data of a feed that shows whether its audience was complete. All counts are users. */
export interface FedAudience {
  /** Segment that is the entire audience; null otherwise: then the overlap of its sources is unknown. */
  segment: string | null;
  country: string;
  estimate: number | null;
  fedUsers: number;
  /** True if the segment's last page was fed. */
  complete: boolean;
}

/**
 * Returns a note for progress and report if a segment ended with more than 5 % of its estimate missing. The estimate
 * may be wrong, but a service that ends a list too early looks the same. Returns null if there is no shortfall.
 */
export function shortfallNote({ segment, country, estimate, fedUsers, complete }: FedAudience): string | null {
  if (segment === null || !complete || estimate === null || fedUsers >= estimate * (1 - missingShare)) return null;
  return `segment "${segment}" in ${country} ended after ${fedUsers} users, and ${estimate} were estimated`;
}
