/**
 * Returns how many of a client's calls one dispatcher may have in flight, so that all dispatchers together respect the
 * client's limit. The dispatchers that get one call more than the others differ from client to client.
 * @param owners names of all live dispatchers, sorted
 */
export function slotShare(concurrency: number, owners: readonly string[], owner: string, clientId: string): number {
  const place = owners.indexOf(owner);
  if (place === -1) return 0;
  const count = owners.length;
  const [each, over] = [Math.floor(concurrency / count), concurrency % count];
  if (over === 0) return each;
  return (place + firstOf(clientId, count)) % count < over ? each + 1 : each;
}

/**
 * Returns the position of the first dispatcher that gets one call more than the others. It is computed from the last
 * digits of the client's id, which are random, so it differs from client to client.
 */
function firstOf(clientId: string, count: number): number {
  return Number.parseInt(clientId.slice(-6), 16) % count || 0;
}
