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
import { changeRevised, entityTag, expectedRevision, ifMatchHeaders } from '../frame/if-match.ts';
import { pageShape } from '../frame/pages.contract.ts';
import { jsonAnswer, problems } from '../frame/document/answer-shapes.ts';
import { checkShape } from '../frame/server/check-shape.ts';
import { bodyAsItCame, type HttpServer } from '../frame/server/create-http-server.ts';
import { egressOf } from './client-egress.ts';
import { clientInPath } from './client-in-path.ts';
import { endpointInPath, endpointSecretRoutes, type EndpointSecretRoutesDeps } from './endpoint-secret-routes.ts';
import { endpointView } from './endpoint-view.ts';
import type { EndpointChange, EndpointUse, OwnedEndpoint } from './postgres/endpoint-store.ts';

const byId = z.object({ id: z.string().describe('cli_…, or its name') });
const tags = ['clients'];
const answered = jsonAnswer('The endpoint', endpointShape);
const operating = { role: 'operator', scope: 'installation' } as const;

/** Registers the routes of a client's endpoints, `default` among them: where calls go, and by which terms. */
export function endpointRoutes(server: HttpServer, deps: EndpointSecretRoutesDeps): void {
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

  const answer = (reply: FastifyReply, owned: OwnedEndpoint) =>
    reply.header('etag', entityTag(owned.endpoint.revision)).send(endpointView(owned));

  function checkUrl(client: Client, url: string | null, terms: EndpointTerms): void {
    const forbidden = url === null ? null : deps.clientEgress.problemOf(egressOf(client, terms), url, '/url');
    if (forbidden) throw invalidRequest([forbidden]);
  }

  async function change(
    { id, endpoint: name }: z.output<typeof endpointInPath>,
    expected: number | null,
    changeOf: (before: OwnedEndpoint) => EndpointChange,
  ): Promise<OwnedEndpoint> {
    const changed = await changeRevised(expected, {
      look: async () => {
        const before = await require(id, name);
        return { before, revision: before.endpoint.revision };
      },
      change: async ({ before, revision }) =>
        await endpointStore.change(before.client.clientId, name, changeOf(before), revision),
      nameOf: () => name,
    });
    if (changed.kind === 'missing') throw notFound('endpoint', name);
    // Ensures that the next request to this process already uses the change.
    await clients.refresh();
    return changed.owned;
  }

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
      const client = await requireClient(params.id);
      return { items: client.endpoints.map((endpoint) => endpointView({ client, endpoint })), next: null };
    },
  });

  server.route({
    method: 'POST',
    url: '/clients/:id/endpoints',
    config: { ...operating, audit: 'made an endpoint of a client' },
    schema: {
      operationId: 'createClientEndpoint',
      summary: 'Create an endpoint of a client',
      description:
        'Its name and its URL are enough: fields that it leaves out follow `default`, which each client has.',
      tags,
      headers: idempotentHeaders,
      params: byId,
      body: newEndpoint,
      response: { 201: answered, ...problems(409) },
    },
    handler: async ({ params: { id }, body: { name, url, ...terms } }, reply) => {
      const client = await requireClient(id);
      checkUrl(client, url, terms);
      const created = await endpointStore.create(client.clientId, name, { url, terms });
      if (created.kind === 'missing') throw notFound('client', id);
      if (created.kind === 'name-taken') throw nameTaken(client, name);
      if (created.kind === 'too-many') throw tooMany(client);
      await clients.refresh();
      reply.code(201).header('location', endpointView(created.owned).links.self);
      return answer(reply, created.owned);
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
    handler: async ({ params }, reply) => answer(reply, await require(params.id, params.endpoint)),
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
        'null makes a field what `default` has, and a field of `default` what a new one has (JSON merge patch).',
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
      const changed = await change(params, expectedRevision(headers['if-match']), ({ client, endpoint }) => {
        const wanted = patched(endpoint, body);
        if (wanted.url !== endpoint.url) checkUrl(client, wanted.url, wanted.terms);
        return wanted;
      });
      return answer(reply, changed);
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
        'Nothing that has not ended may name it: no job, and no schedule. What ended is shown with its name as before. ' +
        '`default` stays as long as its client.',
      tags,
      params: endpointInPath,
      response: { 204: z.null().describe('It is gone'), ...problems(409) },
    },
    handler: async ({ params: { id, endpoint: name } }, reply) => {
      const removed = await endpointStore.remove(await clientInPath(id, clients), name);
      if (removed.kind === 'missing') throw notFound('endpoint', name);
      if (removed.kind === 'default') throw defaultStays();
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
        return answer(reply, await change(request.params, null, () => wanted));
      },
    });
  }

  endpointSecretRoutes(server, deps);
}

const ofDefault = {
  disable: '`default` stops its client: nothing is accepted for it, and nothing called through any of its endpoints.',
  enable: '`default` lets its client go on; endpoints that were disabled themselves stay so.',
};

/** Body of `enable`, which takes no reason. */
const noFields = z.strictObject({});

const fields = z.record(z.string(), z.unknown());

/** Applies a merge patch (RFC 7396) of one level: null resets a field to what a new endpoint has. */
function patched({ name, url, terms }: ClientEndpoint, patch: unknown): { url: string | null; terms: EndpointTerms } {
  const written = fields.safeParse(patch);
  if (!written.success) {
    const detail = `has to be an object, not ${quoted(patch)}`;
    throw invalidRequest([{ pointer: '', code: 'wrong-type', detail }]);
  }
  const merged: [string, unknown][] = Object.entries({ url, ...terms, ...written.data });
  const said = merged.filter(([, value]) => value !== null);
  const shape = name === defaultEndpointName ? newDefaultEndpoint : patchedEndpoint;
  const checked = checkShape(shape, Object.fromEntries(said));
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

function defaultStays(): HttpProblem {
  const detail =
    'each client has the endpoint "default", which jobs without an endpoint go through: disabled, it stops its client, and it is deleted with it';
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
