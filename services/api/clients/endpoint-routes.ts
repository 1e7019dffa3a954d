import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import type { endpointName } from '../../../shared/contracts/jobs/call-terms.ts';
import {
  disabling,
  endpointPatch,
  endpointShape,
  endpointUrl,
  maxEndpointsOfClient,
  newDefaultEndpoint,
  newEndpoint,
} from '../../../shared/contracts/jobs/client-endpoints.ts';
import { endpointTerms, type EndpointTerms } from '../../../shared/contracts/jobs/endpoint-terms.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { defaultEndpointName } from '../../../shared/domain/job/job-ids.ts';
import type { Client, ClientEndpoint } from '../../../shared/ports/clients.ts';
import { HttpProblem, invalidRequest, notFound, quoted } from '../frame/http-problem.ts';
import { idempotentHeaders } from '../frame/server/idempotency.ts';
import { entityTag, expectedRevision, ifMatchHeaders } from '../frame/if-match.ts';
import { pageShape } from '../frame/pages.contract.ts';
import { jsonAnswer, problems } from '../frame/document/answer-shapes.ts';
import { checkShape } from '../frame/server/check-shape.ts';
import { rawBody, type HttpServer } from '../frame/server/create-http-server.ts';
import { clientInPath } from './client-in-path.ts';
import { endpointInPath, endpointSecretRoutes, type EndpointSecretRoutesDeps } from './endpoint-secret-routes.ts';
import { endpointView } from './endpoint-view.ts';
import { createOwnedEndpoints, type OwnedEndpoints } from './owned-endpoints.ts';
import type { EndpointUse, OwnedEndpoint } from './postgres/endpoint-store.ts';

const byId = z.object({ id: z.string().describe('cli_…, or its name') });
const tags = ['clients'];
const answered = jsonAnswer('The endpoint', endpointShape);
const operating = { role: 'operator', scope: 'installation' } as const;

interface Routed {
  server: HttpServer;
  deps: EndpointSecretRoutesDeps;
  owned: OwnedEndpoints;
}

/**
 * Registers the routes of a client's endpoints, including `default`. An endpoint states the target and the terms of
 * calls.
 */
export function endpointRoutes(server: HttpServer, deps: EndpointSecretRoutesDeps): void {
  const routed: Routed = { server, deps, owned: createOwnedEndpoints(deps) };
  listRoute(routed);
  createRoute(routed);
  readRoute(routed);
  changeRoute(routed);
  deleteRoute(routed);
  enabledRoutes(routed);
  endpointSecretRoutes(server, deps);
}

const answer = (reply: FastifyReply, owned: OwnedEndpoint) =>
  reply.header('etag', entityTag(owned.endpoint.revision)).send(endpointView(owned));

function listRoute({ server, owned }: Routed): void {
  server.route({
    method: 'GET',
    url: '/clients/:id/endpoints',
    config: { role: 'viewer', scope: 'client' },
    schema: {
      operationId: 'listClientEndpoints',
      summary: 'List the endpoints of a client: `default`, then the others by name',
      tags,
      params: byId,
      response: { 200: jsonAnswer('All of them', pageShape(endpointShape)) },
    },
    handler: async ({ params }) => {
      const client = await owned.requireClient(params.id);
      return { items: client.endpoints.map((endpoint) => endpointView({ client, endpoint })), next: null };
    },
  });
}

function createRoute({ server, deps, owned }: Routed): void {
  server.route({
    method: 'POST',
    url: '/clients/:id/endpoints',
    config: { ...operating, audit: 'created an endpoint of a client' },
    schema: {
      operationId: 'createClientEndpoint',
      summary: 'Create an endpoint of a client',
      description:
        'Only name and URL are required. Omitted fields follow the endpoint `default`, which each client has.',
      tags,
      headers: idempotentHeaders,
      params: byId,
      body: newEndpoint,
      response: { 201: answered, ...problems(409) },
    },
    handler: async ({ params: { id }, body: { name, url, ...terms } }, reply) => {
      const client = await owned.requireClient(id);
      owned.checkUrl(client, url, terms);
      const created = await deps.endpointStore.create(client.clientId, name, { url, terms });
      if (created.kind === 'missing') throw notFound('client', id);
      if (created.kind === 'name-taken') throw nameTaken(client, name);
      if (created.kind === 'too-many') throw tooMany(client);
      await deps.clients.refresh();
      reply.code(201).header('location', endpointView(created.owned).links.self);
      return answer(reply, created.owned);
    },
  });
}

function readRoute({ server, owned }: Routed): void {
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
    handler: async ({ params }, reply) => answer(reply, await owned.require(params.id, params.endpoint)),
  });
}

function changeRoute({ server, owned }: Routed): void {
  server.route({
    method: 'PATCH',
    url: '/clients/:id/endpoints/:endpoint',
    config: { ...operating, audit: 'changed an endpoint of a client' },
    schema: {
      operationId: 'changeClientEndpoint',
      summary: 'Change some fields of an endpoint',
      description:
        'Changes also apply to waiting jobs, within about a second. Another URL applies to new jobs and ' +
        'schedules only. null makes a field follow `default`, and resets a field of `default` to its initial ' +
        'value (JSON merge patch).',
      tags,
      params: endpointInPath,
      headers: ifMatchHeaders,
      body: endpointPatch,
      response: { 200: answered, ...problems(409) },
    },
    // The body is not validated before the handler, because the handler validates the merged endpoint.
    validatorCompiler: rawBody,
    handler: async (request, reply) => {
      const { params, headers } = request;
      const body: unknown = request.body;
      const changed = await owned.change(params, expectedRevision(headers['if-match']), ({ client, endpoint }) => {
        const wanted = patched(endpoint, body);
        if (wanted.url !== endpoint.url) owned.checkUrl(client, wanted.url, wanted.terms);
        return wanted;
      });
      return answer(reply, changed);
    },
  });
}

function deleteRoute({ server, deps }: Routed): void {
  server.route({
    method: 'DELETE',
    url: '/clients/:id/endpoints/:endpoint',
    config: { ...operating, audit: 'deleted an endpoint of a client' },
    schema: {
      operationId: 'deleteClientEndpoint',
      summary: 'Delete an endpoint',
      description:
        'No unfinished job and no schedule that has not ended may name it. Finished jobs still show its ' +
        'name. `default` exists as long as its client.',
      tags,
      params: endpointInPath,
      response: { 204: z.null().describe('It does not exist any more'), ...problems(409) },
    },
    handler: async ({ params: { id, endpoint: name } }, reply) => {
      const removed = await deps.endpointStore.remove(await clientInPath(id, deps.clients), name);
      if (removed.kind === 'missing') throw notFound('endpoint', name);
      if (removed.kind === 'default') throw defaultNotDeletable();
      if (removed.kind === 'in-use') throw stillInUse(name, removed);
      await deps.clients.refresh();
      return reply.code(204).send(null);
    },
  });
}

function enabledRoutes({ server, owned }: Routed): void {
  for (const verb of ['disable', 'enable'] as const) {
    server.route({
      method: 'POST',
      url: `/clients/:id/endpoints/:endpoint/${verb}`,
      config: { ...operating, audit: `${verb}d an endpoint of a client` },
      schema: {
        operationId: `${verb}ClientEndpoint`,
        summary: verb === 'disable' ? 'Disable an endpoint: its jobs are accepted, and wait' : 'Enable an endpoint',
        description: ofDefault[verb],
        tags,
        headers: idempotentHeaders,
        params: endpointInPath,
        ...(verb === 'disable' && { body: disabling }),
        response: { 200: answered },
      },
      handler: async (request, reply) => {
        const none = verb === 'enable' ? checkShape(noFields, request.body ?? {}) : undefined;
        if (none?.ok === false) throw invalidRequest(none.problems, none.more);
        const { reason } = verb === 'disable' ? disabling.parse(request.body ?? {}) : {};
        const wanted = verb === 'enable' ? { enabled: true } : { enabled: false, disabledReason: reason ?? null };
        return answer(reply, await owned.change(request.params, null, () => wanted));
      },
    });
  }
}

const ofDefault = {
  disable: 'Disabling `default` stops the client: no jobs are accepted for it, and none of its endpoints is called.',
  enable: 'Enabling `default` resumes the client; endpoints that were disabled themselves stay disabled.',
};

/** Body of the request `enable`: it has no reason, unlike that of `disable`. */
const noFields = z.strictObject({});

const fields = z.record(z.string(), z.unknown());

/** Applies a merge patch (RFC 7396) to the top level: a field of null is reset to the value that a new endpoint has. */
function patched({ name, url, terms }: ClientEndpoint, patch: unknown): { url: string | null; terms: EndpointTerms } {
  const written = fields.safeParse(patch);
  if (!written.success) {
    const detail = `has to be an object, not ${quoted(patch)}`;
    throw invalidRequest([{ pointer: '', code: 'wrong-type', detail }]);
  }
  const merged: [string, unknown][] = Object.entries({ url, ...terms, ...written.data });
  const definedFields = merged.filter(([, value]) => value !== null);
  const shape = name === defaultEndpointName ? newDefaultEndpoint : patchedEndpoint;
  const checked = checkShape(shape, Object.fromEntries(definedFields));
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
  const detail = `the client ${quoted(name)} (${publicId('client', clientId)}) has ${maxEndpointsOfClient} endpoints, which is the maximum`;
  return new HttpProblem({ status: 409, code: 'too-many-endpoints', detail });
}

function defaultNotDeletable(): HttpProblem {
  const detail =
    'each client needs the endpoint "default", for jobs without an endpoint: disable it to stop the client, or delete the client';
  return new HttpProblem({ status: 409, code: 'default-endpoint', detail });
}

function stillInUse(name: string, { hasJobs, schedules }: EndpointUse): HttpProblem {
  const reasons = [
    ...(hasJobs ? ['jobs that have not ended'] : []),
    ...(schedules > 0 ? [`${schedules} schedules that have not`] : []),
  ];
  const detail = `the endpoint ${quoted(name)} is named by ${reasons.join(' and ')}; disabled, it calls nothing meanwhile`;
  return new HttpProblem({ status: 409, code: 'endpoint-in-use', detail });
}
