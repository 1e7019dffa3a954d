/**
 * Returns how many of a client's calls one dispatcher may have in flight, so that all dispatchers together keep to its
 * concurrency. The remainder goes to different dispatchers for each client.
 * @param owners all living dispatchers, sorted
 */
export function slotShare(concurrency: number, owners: readonly string[], owner: string, clientId: string): number {
  const place = owners.indexOf(owner);
  if (place === -1) return 0;
  const count = owners.length;
  const [each, over] = [Math.floor(concurrency / count), concurrency % count];
  if (over === 0) return each;
  return (place + firstOf(clientId, count)) % count < over ? each + 1 : each;
}

/** Returns the place of the first dispatcher with one call more. The last digits of an id are random. */
function firstOf(clientId: string, count: number): number {
  return Number.parseInt(clientId.slice(-6), 16) % count || 0;
}
