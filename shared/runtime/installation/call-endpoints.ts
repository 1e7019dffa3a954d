import type { DefaultTerms, EndpointTerms } from '../../contracts/jobs/endpoint-terms.ts';
import type { Client, ClientEndpoint } from '../../ports/clients.ts';

/** An endpoint with its rules. Jobs of one endpoint share its slots, rate and circuits, and share none with others. */
export interface CallEndpoint
  extends Pick<Client, 'clientId' | 'name' | 'revision'>, Pick<ClientEndpoint, 'auth' | 'keys'> {
  /** Id of the endpoint; that of `default` is the id of its client. */
  endpointId: string;
  terms: DefaultTerms;
  /** False if bodies of the client's jobs are removed when these end. */
  keepsBodies: boolean;
  /** Reason why calls are held; null if they are not. */
  heldBecause: string | null;
}

/**
 * Returns the endpoints of a client with all their rules, `default` first. Where an endpoint has no setting of its own,
 * that of `default` applies.
 */
export function callEndpointsOf({ clientId, name, revision, definition, endpoints }: Client): CallEndpoint[] {
  const [own] = endpoints;
  const { keepBodies: keepsBodies } = definition;
  return endpoints.map((endpoint) => ({
    endpointId: endpoint.endpointId,
    clientId,
    name: endpoint === own ? name : `${name}/${endpoint.name}`,
    revision,
    terms: completed(endpoint.terms, own.terms),
    keepsBodies,
    auth: endpoint.auth ?? own.auth,
    keys: endpoint.keys.length > 0 ? endpoint.keys : own.keys,
    heldBecause: own.enabled ? (endpoint.enabled ? null : 'the endpoint is disabled') : 'the client is disabled',
  }));
}

/** Returns the terms of an endpoint, completed by those of `default`. */
export function completed(own: EndpointTerms, ofDefault: DefaultTerms): DefaultTerms {
  return {
    publishRatePerSecond: own.publishRatePerSecond ?? ofDefault.publishRatePerSecond,
    concurrency: own.concurrency ?? ofDefault.concurrency,
    timeoutMs: own.timeoutMs ?? ofDefault.timeoutMs,
    retry: own.retry ?? ofDefault.retry,
    finalCodes: own.finalCodes ?? ofDefault.finalCodes,
    reportWithinSeconds: own.reportWithinSeconds ?? ofDefault.reportWithinSeconds,
    sealPaths: own.sealPaths ?? ofDefault.sealPaths,
    egress: own.egress ?? ofDefault.egress,
    sideline: own.sideline ?? ofDefault.sideline,
    onGone: own.onGone ?? ofDefault.onGone,
  };
}
