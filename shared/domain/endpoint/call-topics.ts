/** Returns the topic on which a region's schedulers publish references to due jobs for its dispatchers. */
export function callsTopic(prefix: string, region: string): string {
  return `${prefix}.${region}.calls`;
}

/** Lower case only: in upper case a region would look like a country, and its topic like a shard's. */
export const regionPattern = /^[a-z][a-z0-9-]{0,31}$/;
