/** Bounds of a key of its own, within those of its clients and of the installation. Null: none of its own. */
export interface KeyBounds {
  /** That it brings, in all processes together. */
  jobsPerSecond: number | null;
  /** It brings no more jobs while its client has so many that have not ended, of any key. */
  storedJobs: number | null;
  /** Of all that is not bringing jobs, in each process of the API. */
  requestsPerMinute: number | null;
}

export const noBounds: KeyBounds = { jobsPerSecond: null, storedJobs: null, requestsPerMinute: null };

const boundNames = ['jobsPerSecond', 'storedJobs', 'requestsPerMinute'] as const;

/** The first bound by which the inner one may have more than the outer one. */
export function looserBound(inner: KeyBounds, outer: KeyBounds): (typeof boundNames)[number] | undefined {
  return boundNames.find((name) => outer[name] !== null && (inner[name] === null || inner[name] > outer[name]));
}
