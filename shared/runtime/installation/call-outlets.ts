import type { ClientDefinition } from '../../contracts/jobs/clients.ts';
import type { EndpointTerms } from '../../contracts/jobs/client-endpoints.ts';
import type { Client } from '../../ports/clients.ts';

/**
 * An endpoint of a client, or the client itself for jobs without an endpoint, with its rules. Jobs of one outlet share
 * its slots, rate and circuits, and share none with other outlets.
 */
export interface CallOutlet extends Pick<Client, 'clientId' | 'name' | 'revision' | 'definition' | 'auth' | 'keys'> {
  outletId: string;
  /** Reason why calls are held; null if they are not. */
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

/** Returns the endpoint's rules, completed by its client's. */
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
