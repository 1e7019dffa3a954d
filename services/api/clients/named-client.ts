import { uuidOf } from '../../../shared/domain/ids/ids.ts';
import type { Scope } from '../../../shared/domain/scopes.ts';
import type { Client, ClientEndpoint } from '../../../shared/ports/clients.ts';
import { clientOfRef, type ClientReader } from '../../../shared/runtime/installation/client-reader.ts';
import { requireClientInScope } from '../access/scopes.ts';
import { invalidRequest, quoted } from '../frame/http-problem.ts';

/**
 * Returns the id of the client in a filter. The filter may have the id of a deleted client, because results of jobs are
 * kept.
 * @throws {HttpProblem} 422 for an unknown name, 403 for a client outside the scope
 */
export async function requireReadableClient(
  ref: string,
  scope: Scope,
  clients: Pick<ClientReader, 'current' | 'refresh'>,
): Promise<string> {
  const clientId = uuidOf('client', ref);
  if (clientId === undefined) return (await requireNamedClient(ref, scope, clients)).clientId;
  requireClientInScope(scope, clientId, ref);
  return clientId;
}

/**
 * Returns the client with an id or a name.
 * @throws {HttpProblem} 422 if it is unknown, 403 if it is outside the scope
 */
export async function requireNamedClient(
  ref: string,
  scope: Scope,
  clients: Pick<ClientReader, 'current' | 'refresh'>,
  pointer = '/client',
): Promise<Client> {
  const client = await clientOfRef(ref, clients);
  if (client) {
    requireClientInScope(scope, client.clientId, client.name);
    return client;
  }
  const detail = `there is no client ${quoted(ref)}: POST /v1/clients creates one`;
  throw invalidRequest([{ pointer, code: 'unknown-client', detail }]);
}

/** Reads the client again if this process knows no endpoint of this name, because the endpoint may be new. */
export async function refreshForEndpoint(
  client: Client,
  name: string | undefined,
  clients: Pick<ClientReader, 'refresh'>,
): Promise<Client> {
  if (name === undefined || client.endpoints.some((each) => each.name === name)) return client;
  return (await clients.refresh()).byId.get(client.clientId) ?? client;
}

/**
 * Returns the endpoint of a client in a body or a filter; `default` if none is given.
 * @throws {HttpProblem} 422 for an unknown endpoint
 */
export function requireNamedEndpoint(
  { name: client, endpoints }: Pick<Client, 'name' | 'endpoints'>,
  name: string | undefined,
  pointer: string,
): ClientEndpoint {
  if (name === undefined) return endpoints[0];
  const endpoint = endpoints.find((each) => each.name === name);
  if (endpoint) return endpoint;
  const detail = `the client ${quoted(client)} has no endpoint ${quoted(name)}: POST /v1/clients/{id}/endpoints creates one`;
  throw invalidRequest([{ pointer, code: 'unknown-endpoint', detail }]);
}
