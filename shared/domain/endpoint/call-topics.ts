/** Where a region's schedulers put references to due jobs, and its dispatchers take them. */
export function callsTopic(prefix: string, region: string): string {
  return `${prefix}.${region}.calls`;
}

/** In capitals it would look like a country, and its topic like a shard's. */
export const regionPattern = /^[a-z][a-z0-9-]{0,31}$/;
