import { uuidOf } from '../../../shared/domain/ids/ids.ts';
import type { Scope } from '../../../shared/domain/scopes.ts';
import type { Client, ClientEndpoint } from '../../../shared/ports/clients.ts';
import { clientOfRef, type ClientReader } from '../../../shared/runtime/installation/client-reader.ts';
import { requireClientInScope } from '../access/scopes.ts';
import { invalidRequest, quoted } from '../frame/http-problem.ts';

/**
 * The id of the client that a filter names for reading. One that was deleted has what its jobs came to, under its id.
 * @throws {HttpProblem} 422 for an unknown name, 403 for one that the scope does not hold
 */
export async function clientToRead(
  ref: string,
  scope: Scope,
  clients: Pick<ClientReader, 'current' | 'refresh'>,
): Promise<string> {
  const clientId = uuidOf('client', ref);
  if (clientId === undefined) return (await clientNamed(ref, scope, clients)).clientId;
  requireClientInScope(scope, clientId, ref);
  return clientId;
}

/**
 * The client that a body or a filter names, by id or by name.
 * @throws {HttpProblem} 422 for an unknown one, 403 for one that the scope does not hold
 */
export async function clientNamed(
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
  const detail = `there is no client ${quoted(ref)}: POST /v1/clients makes one`;
  throw invalidRequest([{ pointer, code: 'unknown-client', detail }]);
}

/** As it is now, where it has no such endpoint as far as is known here: that may have been made a moment ago. */
export async function knowingEndpoint(
  client: Client,
  name: string | undefined,
  clients: Pick<ClientReader, 'refresh'>,
): Promise<Client> {
  if (name === undefined || client.endpoints.some((each) => each.name === name)) return client;
  return (await clients.refresh()).byId.get(client.clientId) ?? client;
}

/**
 * The endpoint of a client that a body or a filter names. @throws {HttpProblem} 422 for an unknown one
 */
export function endpointNamed(
  { name: client, endpoints }: Pick<Client, 'name' | 'endpoints'>,
  name: string | undefined,
  pointer: string,
): ClientEndpoint | undefined {
  if (name === undefined) return undefined;
  const endpoint = endpoints.find((each) => each.name === name);
  if (endpoint) return endpoint;
  const detail = `the client ${quoted(client)} has no endpoint ${quoted(name)}: POST /v1/clients/{id}/endpoints makes one`;
  throw invalidRequest([{ pointer, code: 'unknown-endpoint', detail }]);
}
