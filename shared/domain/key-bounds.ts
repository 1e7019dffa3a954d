/** Limits of a key, within the limits of its clients and of the installation. Null means no limit of its own. */
export interface KeyBounds {
  /** Jobs per second submitted with this key, over all API processes. */
  jobsPerSecond: number | null;
  /** Limit on unended jobs of the client, submitted with any key; at the limit, this key can submit no more jobs. */
  storedJobs: number | null;
  /** Requests per minute other than job submissions, in each API process. */
  requestsPerMinute: number | null;
}

export const noBounds: KeyBounds = { jobsPerSecond: null, storedJobs: null, requestsPerMinute: null };

const boundNames = ['jobsPerSecond', 'storedJobs', 'requestsPerMinute'] as const;

export function looserBound(inner: KeyBounds, outer: KeyBounds): (typeof boundNames)[number] | undefined {
  return boundNames.find((name) => outer[name] !== null && (inner[name] === null || inner[name] > outer[name]));
}
