import { v7 as uuidv7 } from 'uuid';
import type { NewClient } from '../../services/api/clients/postgres/client-store.ts';
import { clientDefinition } from '../../shared/contracts/jobs/clients.ts';
import { defaultTerms } from '../../shared/contracts/jobs/endpoint-terms.ts';
import { defaultEndpointName } from '../../shared/domain/job/job-ids.ts';
import type { Client, ClientEndpoint, DefaultEndpoint } from '../../shared/ports/clients.ts';

interface ClientFields {
  clientId?: string;
  definition?: object;
  /** Terms of the endpoint `default`. */
  terms?: object;
}

/** Returns a client as a request creates it. Fields that are left out have their defaults. */
export function newClientOf(
  name: string,
  { clientId = uuidv7(), definition = {}, terms = {} }: ClientFields = {},
): NewClient {
  const endpoint = { url: null, terms: defaultTerms.parse(terms) };
  return { clientId, name, definition: clientDefinition.parse(definition), endpoint };
}

/** Returns a client as processes read it, at its first revision. @param own fields of `default` */
export function clientOf(
  { clientId, name, definition, endpoint }: NewClient,
  at = new Date(0),
  own: Partial<DefaultEndpoint> = {},
): Client {
  const ofDefault = { ...endpointLike(clientId, defaultEndpointName, at), ...endpoint, ...own };
  return { clientId, name, definition, revision: 1, endpoints: [ofDefault], createdAt: at, updatedAt: at };
}

/** Returns an endpoint without settings of its own. */
export function endpointLike(endpointId: string, name: string, at = new Date(0)): ClientEndpoint {
  const times = { createdAt: at, updatedAt: at };
  const standing = { revision: 1, enabled: true, disabledReason: null };
  return { endpointId, name, url: `https://${name}.test/`, terms: {}, auth: null, keys: [], ...standing, ...times };
}
