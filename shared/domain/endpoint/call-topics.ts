/** Returns the topic on which a region's schedulers publish references to due jobs for its dispatchers. */
export function callsTopic(prefix: string, region: string): string {
  return `${prefix}.${region}.calls`;
}

/** Lower case only: a region in upper case would look like a country, and its topic like the topic of a shard. */
export const regionPattern = /^[a-z][a-z0-9-]{0,31}$/;
