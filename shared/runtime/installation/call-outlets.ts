import type { ClientDefinition } from '../../contracts/jobs/clients.ts';
import type { EndpointTerms } from '../../contracts/jobs/client-endpoints.ts';
import type { Client } from '../../ports/clients.ts';

/**
 * What jobs are called through, and by which rules: an endpoint of a client, or the client itself where a job names
 * none. Jobs of one outlet wait for each other's slots, rate and circuits, and for those of no other.
 */
export interface CallOutlet extends Pick<Client, 'clientId' | 'name' | 'revision' | 'definition' | 'auth' | 'keys'> {
  /** The endpoint's, or the client's. */
  outletId: string;
  /** Why nothing is called through it now; null: it is. */
  heldBecause: string | null;
}

export function outletsOf(client: Client): CallOutlet[] {
  const { clientId, name, revision, definition, enabled, auth, keys, endpoints } = client;
  const ofClient = enabled ? null : 'the client is disabled';
  const own: CallOutlet = {
    outletId: clientId,
    clientId,
    name,
    revision,
    definition,
    auth,
    keys,
    heldBecause: ofClient,
  };
  const others = endpoints.map((endpoint): CallOutlet => {
    const ofEndpoint = endpoint.enabled ? null : 'the endpoint is disabled';
    return {
      ...own,
      outletId: endpoint.endpointId,
      name: `${name}/${endpoint.name}`,
      definition: ruled(definition, endpoint.terms),
      auth: endpoint.auth ?? auth,
      keys: endpoint.keys.length > 0 ? endpoint.keys : keys,
      heldBecause: ofClient ?? ofEndpoint,
    };
  });
  return [own, ...others];
}

/** By what it says itself, and by its client's rules. */
function ruled(ofClient: ClientDefinition, own: EndpointTerms): ClientDefinition {
  return {
    ...ofClient,
    publishRatePerSecond: own.publishRatePerSecond ?? ofClient.publishRatePerSecond,
    concurrency: own.concurrency ?? ofClient.concurrency,
    timeoutMs: own.timeoutMs ?? ofClient.timeoutMs,
    retry: own.retry ?? ofClient.retry,
    finalCodes: own.finalCodes ?? ofClient.finalCodes,
    reportWithinSeconds: own.reportWithinSeconds ?? ofClient.reportWithinSeconds,
    sideline: own.sideline ?? ofClient.sideline,
    onGone: own.onGone ?? ofClient.onGone,
  };
}
