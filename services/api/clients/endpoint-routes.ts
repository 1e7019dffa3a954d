import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import type { endpointName } from '../../../shared/contracts/jobs/call-terms.ts';
import {
  endpointPatch,
  endpointShape,
  endpointTerms,
  endpointUrl,
  maxEndpointsOfClient,
  newEndpoint,
  type EndpointTerms,
} from '../../../shared/contracts/jobs/client-endpoints.ts';
import { disabling } from '../../../shared/contracts/jobs/clients.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import type { Client, ClientEndpoint } from '../../../shared/ports/clients.ts';
import { HttpProblem, invalidRequest, notFound, quoted } from '../frame/http-problem.ts';
import { idempotentHeaders } from '../frame/server/idempotency.ts';
import { changeRevised, entityTag, expectedRevision, ifMatchHeaders } from '../frame/if-match.ts';
import { pageShape } from '../frame/pages.contract.ts';
import { jsonAnswer, problems } from '../frame/document/answer-shapes.ts';
import { checkShape } from '../frame/server/check-shape.ts';
import { bodyAsItCame, type HttpServer } from '../frame/server/create-http-server.ts';
import type { ClientEgress } from './client-egress.ts';
import { clientInPath } from './client-in-path.ts';
import { endpointInPath, endpointSecretRoutes, type EndpointSecretRoutesDeps } from './endpoint-secret-routes.ts';
import { endpointView } from './endpoint-view.ts';
import type { EndpointChange, EndpointUse } from './postgres/endpoint-store.ts';

export interface EndpointRoutesDeps extends EndpointSecretRoutesDeps {
  clientEgress: ClientEgress;
}

const byId = z.object({ id: z.string().describe('cli_…, or its name') });
const tags = ['clients'];
const answered = jsonAnswer('The endpoint', endpointShape);
const operating = { role: 'operator', scope: 'installation' } as const;

/** Registers the routes of a client's endpoints, each with its own slots, rate, secrets and circuits. */
export function endpointRoutes(server: HttpServer, deps: EndpointRoutesDeps): void {
  const { clientStore, endpointStore, clients } = deps;

  async function requireClient(id: string): Promise<Client> {
    const client = await clientStore.get(await clientInPath(id, clients));
    if (!client) throw notFound('client', id);
    return client;
  }

  async function require(id: string, name: string): Promise<{ client: Client; endpoint: ClientEndpoint }> {
    const client = await requireClient(id);
    const endpoint = client.endpoints.find((each) => each.name === name);
    if (!endpoint) throw notFound('endpoint', name);
    return { client, endpoint };
  }

  const answer = (reply: FastifyReply, clientId: string, endpoint: ClientEndpoint) =>
    reply.header('etag', entityTag(endpoint.revision)).send(endpointView(clientId, endpoint));

  function checkUrl(client: Client, url: string): void {
    const forbidden = deps.clientEgress.problemOf(client, url, '/url');
    if (forbidden) throw invalidRequest([forbidden]);
  }

  async function change(
    { id, endpoint: name }: z.output<typeof endpointInPath>,
    expected: number | null,
    changeOf: (client: Client, before: ClientEndpoint) => EndpointChange,
  ): Promise<{ clientId: string; endpoint: ClientEndpoint }> {
    const { clientId } = await requireClient(id);
    const changed = await changeRevised(expected, {
      look: async () => {
        const { client, endpoint } = await require(id, name);
        return { client, endpoint, revision: endpoint.revision };
      },
      change: async ({ client, endpoint, revision }) =>
        await endpointStore.change(clientId, name, changeOf(client, endpoint), revision),
      nameOf: () => name,
    });
    if (changed.kind === 'missing') throw notFound('endpoint', name);
    await clients.refresh();
    return { clientId, endpoint: changed.endpoint };
  }

  server.route({
    method: 'GET',
    url: '/clients/:id/endpoints',
    config: { role: 'viewer', scope: 'client' },
    schema: {
      operationId: 'listClientEndpoints',
      summary: 'List the endpoints of a client, by name',
      tags,
      params: byId,
      response: { 200: jsonAnswer('All of them', pageShape(endpointShape)) },
    },
    handler: async ({ params }) => {
      const { clientId, endpoints } = await requireClient(params.id);
      return { items: endpoints.map((each) => endpointView(clientId, each)), next: null };
    },
  });

  server.route({
    method: 'POST',
    url: '/clients/:id/endpoints',
    config: { ...operating, audit: 'made an endpoint of a client' },
    schema: {
      operationId: 'createClientEndpoint',
      summary: 'Create an endpoint of a client',
      description: 'Its name and its URL are enough: what it does not say itself is as its client says.',
      tags,
      headers: idempotentHeaders,
      params: byId,
      body: newEndpoint,
      response: { 201: answered, ...problems(409) },
    },
    handler: async ({ params: { id }, body: { name, url, ...terms } }, reply) => {
      const client = await requireClient(id);
      checkUrl(client, url);
      const created = await endpointStore.create(client.clientId, name, { url, terms });
      if (created.kind === 'missing') throw notFound('client', id);
      if (created.kind === 'name-taken') throw nameTaken(client, name);
      if (created.kind === 'too-many') throw tooMany(client);
      await clients.refresh();
      reply.code(201).header('location', endpointView(client.clientId, created.endpoint).links.self);
      return answer(reply, client.clientId, created.endpoint);
    },
  });

  server.route({
    method: 'GET',
    url: '/clients/:id/endpoints/:endpoint',
    config: { role: 'viewer', scope: 'client' },
    schema: {
      operationId: 'getClientEndpoint',
      summary: 'Show an endpoint',
      tags,
      params: endpointInPath,
      response: { 200: answered },
    },
    handler: async ({ params }, reply) => {
      const { client, endpoint } = await require(params.id, params.endpoint);
      return answer(reply, client.clientId, endpoint);
    },
  });

  server.route({
    method: 'PATCH',
    url: '/clients/:id/endpoints/:endpoint',
    config: { ...operating, audit: 'changed an endpoint of a client' },
    schema: {
      operationId: 'changeClientEndpoint',
      summary: 'Change some of an endpoint’s rules',
      description:
        'They hold for what waits, too, within about a second. Another URL is for jobs and schedules to come: others keep theirs. ' +
        'null makes a field what its client says (JSON merge patch).',
      tags,
      params: endpointInPath,
      headers: ifMatchHeaders,
      body: endpointPatch,
      response: { 200: answered, ...problems(409) },
    },
    // Leaves validation to the handler, which checks the merged endpoint.
    validatorCompiler: bodyAsItCame,
    handler: async (request, reply) => {
      const { params, headers } = request;
      const body: unknown = request.body;
      const { clientId, endpoint } = await change(params, expectedRevision(headers['if-match']), (client, before) => {
        const wanted = patched(before, body);
        if (wanted.url !== before.url) checkUrl(client, wanted.url);
        return wanted;
      });
      return answer(reply, clientId, endpoint);
    },
  });

  server.route({
    method: 'DELETE',
    url: '/clients/:id/endpoints/:endpoint',
    config: { ...operating, audit: 'deleted an endpoint of a client' },
    schema: {
      operationId: 'deleteClientEndpoint',
      summary: 'Delete an endpoint',
      description:
        'Nothing that has not ended may name it: no job, and no schedule. What ended is shown with its name as before.',
      tags,
      params: endpointInPath,
      response: { 204: z.null().describe('It is gone'), ...problems(409) },
    },
    handler: async ({ params: { id, endpoint: name } }, reply) => {
      const removed = await endpointStore.remove(await clientInPath(id, clients), name);
      if (removed.kind === 'missing') throw notFound('endpoint', name);
      if (removed.kind === 'in-use') throw stillInUse(name, removed);
      await clients.refresh();
      return reply.code(204).send(null);
    },
  });

  for (const verb of ['disable', 'enable'] as const) {
    server.route({
      method: 'POST',
      url: `/clients/:id/endpoints/:endpoint/${verb}`,
      config: { ...operating, audit: `${verb}d an endpoint of a client` },
      schema: {
        operationId: `${verb}ClientEndpoint`,
        summary: verb === 'disable' ? 'Call nothing through it; its jobs are accepted, and wait' : 'Let it go on',
        tags,
        headers: idempotentHeaders,
        params: endpointInPath,
        ...(verb === 'disable' && { body: disabling }),
        response: { 200: answered },
      },
      handler: async (request, reply) => {
        const { reason } = verb === 'disable' ? disabling.parse(request.body ?? {}) : {};
        const wanted = verb === 'enable' ? { enabled: true } : { enabled: false, disabledReason: reason ?? null };
        const { clientId, endpoint } = await change(request.params, null, () => wanted);
        return answer(reply, clientId, endpoint);
      },
    });
  }

  endpointSecretRoutes(server, deps);
}

const fields = z.record(z.string(), z.unknown());

/** Applies a merge patch (RFC 7396) of one level: null resets a field to its client's value. */
function patched({ url, terms }: ClientEndpoint, patch: unknown): { url: string; terms: EndpointTerms } {
  const written = fields.safeParse(patch);
  if (!written.success) {
    const detail = `has to be an object, not ${quoted(patch)}`;
    throw invalidRequest([{ pointer: '', code: 'wrong-type', detail }]);
  }
  const merged: [string, unknown][] = Object.entries({ url, ...terms, ...written.data });
  const said = merged.filter(([, value]) => value !== null);
  const checked = checkShape(patchedEndpoint, Object.fromEntries(said));
  if (!checked.ok) throw invalidRequest(checked.problems, checked.more);
  const { url: wanted, ...rest } = checked.value;
  return { url: wanted, terms: rest };
}

const patchedEndpoint = endpointTerms.extend({ url: endpointUrl });

function nameTaken({ name: client }: Client, name: z.output<typeof endpointName>): HttpProblem {
  const detail = `the client ${quoted(client)} has an endpoint ${quoted(name)} already`;
  return new HttpProblem({ status: 409, code: 'name-taken', detail });
}

function tooMany({ clientId, name }: Client): HttpProblem {
  const detail = `the client ${quoted(name)} (${publicId('client', clientId)}) has ${maxEndpointsOfClient} endpoints: more are not kept`;
  return new HttpProblem({ status: 409, code: 'too-many-endpoints', detail });
}

function stillInUse(name: string, { hasJobs, schedules }: EndpointUse): HttpProblem {
  const reasons = [
    ...(hasJobs ? ['jobs that have not ended'] : []),
    ...(schedules > 0 ? [`${schedules} schedules that have not`] : []),
  ];
  const detail = `the endpoint ${quoted(name)} is named by ${reasons.join(' and ')}; disabled, it calls nothing meanwhile`;
  return new HttpProblem({ status: 409, code: 'endpoint-in-use', detail });
}
