import type { z } from 'zod';
import type { EndpointTerms } from '../../../shared/contracts/jobs/endpoint-terms.ts';
import type { Client } from '../../../shared/ports/clients.ts';
import { invalidRequest, notFound } from '../frame/http-problem.ts';
import { changeRevised } from '../frame/if-match.ts';
import { egressOf } from './client-egress.ts';
import { clientInPath } from './client-in-path.ts';
import type { endpointInPath, EndpointSecretRoutesDeps } from './endpoint-secret-routes.ts';
import type { EndpointChange, OwnedEndpoint } from './postgres/endpoint-store.ts';

/** Endpoints with their clients, as one request reads and changes them. */
export interface OwnedEndpoints {
  /**
   * Returns a client.
   * @param id `cli_…`, or the client's name
   * @throws {HttpProblem} 404
   */
  requireClient(id: string): Promise<Client>;
  /**
   * Returns an endpoint with its client.
   * @throws {HttpProblem} 404 if the client or its endpoint does not exist
   */
  require(id: string, name: string): Promise<OwnedEndpoint>;
  /**
   * Checks the URL of an endpoint.
   * @throws {HttpProblem} 422 if the egress rules of the endpoint forbid the URL
   */
  checkUrl(client: Client, url: string | null, terms: EndpointTerms): void;
  /**
   * Stores a change, and returns once this process uses it.
   * @param expected revision that the caller has read; null permits any
   * @throws {HttpProblem} 404 if the endpoint does not exist, 412 if it has another revision
   */
  change(
    path: z.output<typeof endpointInPath>,
    expected: number | null,
    changeOf: (before: OwnedEndpoint) => EndpointChange,
  ): Promise<OwnedEndpoint>;
}

export function createOwnedEndpoints(deps: EndpointSecretRoutesDeps): OwnedEndpoints {
  const { clientStore, endpointStore, clients } = deps;

  async function requireClient(id: string): Promise<Client> {
    const client = await clientStore.get(await clientInPath(id, clients));
    if (!client) throw notFound('client', id);
    return client;
  }

  async function require(id: string, name: string): Promise<OwnedEndpoint> {
    const client = await requireClient(id);
    const endpoint = client.endpoints.find((each) => each.name === name);
    if (!endpoint) throw notFound('endpoint', name);
    return { client, endpoint };
  }

  return {
    requireClient,
    require,
    checkUrl: (client, url, terms) => {
      const forbidden = url === null ? null : deps.clientEgress.problemOf(egressOf(client, terms), url, '/url');
      if (forbidden) throw invalidRequest([forbidden]);
    },
    change: async ({ id, endpoint: name }, expected, changeOf) => {
      const changed = await changeRevised(expected, {
        read: async () => {
          const before = await require(id, name);
          return { before, revision: before.endpoint.revision };
        },
        change: async ({ before, revision }) =>
          await endpointStore.change(before.client.clientId, name, changeOf(before), revision),
        nameOf: () => name,
      });
      if (changed.kind === 'missing') throw notFound('endpoint', name);
      // The refresh ensures that the next request to this process already uses the change.
      await clients.refresh();
      return changed.owned;
    },
  };
}
