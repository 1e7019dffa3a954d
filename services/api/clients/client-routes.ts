import type { FastifyReply } from 'fastify';
import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import {
  clientDefinition,
  clientName,
  clientPatch,
  clientShape,
  newClient,
  type ClientDefinition,
} from '../../../shared/contracts/jobs/clients.ts';
import type { Client } from '../../../shared/ports/clients.ts';
import { clientsInScope } from '../access/scopes.ts';
import type { ClientReader } from '../../../shared/runtime/installation/client-reader.ts';
import type { ClientEgress } from './client-egress.ts';
import { clientInPath } from './client-in-path.ts';
import { pageQuery, pageShape, partOfName } from '../frame/pages.contract.ts';
import { jsonAnswer, problems } from '../frame/document/answer-shapes.ts';
import { checkShape } from '../frame/server/check-shape.ts';
import { rawBody, type HttpServer } from '../frame/server/create-http-server.ts';
import { changeRevised, entityTag, expectedRevision, ifMatchHeaders } from '../frame/if-match.ts';
import { HttpProblem, invalidRequest, notFound, quoted } from '../frame/http-problem.ts';
import { idempotentHeaders } from '../frame/server/idempotency.ts';
import type { ClientChange, ClientStore, ClientUse } from './postgres/client-store.ts';
import { cursorInQuery, pageView } from '../frame/public-ids.ts';
import { clientView } from './client-view.ts';

export interface ClientRoutesDeps {
  clientStore: ClientStore;
  clients: Pick<ClientReader, 'current' | 'refresh'>;
  clientEgress: ClientEgress;
}

const byId = z.object({ id: z.string().describe('cli_…, or its name') });
const tags = ['clients'];
const answered = jsonAnswer('The client', clientShape);

/** Registers the routes of clients. All processes apply a change within about a second. */
export function clientRoutes(server: HttpServer, deps: ClientRoutesDeps): void {
  for (const register of [listRoute, createRoute, readRoute, changeRoute, deleteRoute]) register(server, deps);
}

const answer = (reply: FastifyReply, client: Client) =>
  reply.header('etag', entityTag(client.revision)).send(clientView(client));

async function requireClient(id: string, { clientStore, clients }: ClientRoutesDeps): Promise<Client> {
  const client = await clientStore.get(await clientInPath(id, clients));
  if (!client) throw notFound('client', id);
  return client;
}

/**
 * Stores a change, and returns once this process uses it.
 * @param expected revision that the caller expects; null permits any
 */
async function changeClient(
  id: string,
  expected: number | null,
  changeOf: (before: Client) => ClientChange,
  deps: ClientRoutesDeps,
): Promise<Client> {
  const changed = await changeRevised(expected, {
    read: () => requireClient(id, deps),
    change: async (before) => {
      const wanted = changeOf(before);
      const outcome = await deps.clientStore.change(before.clientId, wanted, before.revision);
      if (outcome.kind === 'name-taken') throw nameTaken(wanted.name ?? before.name);
      return outcome;
    },
    nameOf: ({ name }) => name,
  });
  if (changed.kind === 'missing') throw notFound('client', id);
  // The refresh ensures that the next request to this process already uses the change.
  await deps.clients.refresh();
  return changed.client;
}

function listRoute(server: HttpServer, { clientStore }: ClientRoutesDeps): void {
  server.route({
    method: 'GET',
    url: '/clients',
    config: { role: 'viewer', scope: 'client' },
    schema: {
      operationId: 'listClients',
      summary: 'List clients, oldest first',
      tags,
      querystring: pageQuery.extend({ q: partOfName }),
      response: { 200: jsonAnswer('A page of clients', pageShape(clientShape)) },
    },
    handler: async (request) => {
      const { limit, cursor, q } = request.query;
      const filter = { ids: clientsInScope(request), text: q };
      const page = await clientStore.list(filter, limit, cursorInQuery('client', cursor));
      return pageView('client', page, clientView);
    },
  });
}

function createRoute(server: HttpServer, deps: ClientRoutesDeps): void {
  server.route({
    method: 'POST',
    url: '/clients',
    config: { role: 'operator', scope: 'installation', audit: 'created a client' },
    schema: {
      operationId: 'createClient',
      summary: 'Create a client',
      description:
        'Only the name is required. `endpoint` has the terms of its endpoint `default`. Its calls are signed ' +
        'as soon as it has a key: POST /v1/clients/{id}/endpoints/default/keys.',
      tags,
      headers: idempotentHeaders,
      body: newClient,
      response: { 201: answered },
    },
    handler: async ({ body: { name, endpoint, ...definition }, begun }, reply) => {
      const { url, ...terms } = endpoint;
      const rules = { client: name, allow: terms.egress.allow };
      const forbidden = url === null ? null : deps.clientEgress.problemOf(rules, url, '/endpoint/url');
      if (forbidden) throw invalidRequest([forbidden]);
      const clientId = begun?.createdId ?? uuidv7();
      const created = await deps.clientStore.create({ clientId, name, definition, endpoint: { url, terms } });
      if (!created) throw nameTaken(name);
      await deps.clients.refresh();
      reply.code(201).header('location', clientView(created).links.self);
      return answer(reply, created);
    },
  });
}

function readRoute(server: HttpServer, deps: ClientRoutesDeps): void {
  server.route({
    method: 'GET',
    url: '/clients/:id',
    config: { role: 'viewer', scope: 'client' },
    schema: {
      operationId: 'getClient',
      summary: 'Show a client',
      tags,
      params: byId,
      response: { 200: answered },
    },
    handler: async ({ params }, reply) => answer(reply, await requireClient(params.id, deps)),
  });
}

function changeRoute(server: HttpServer, deps: ClientRoutesDeps): void {
  server.route({
    method: 'PATCH',
    url: '/clients/:id',
    config: { role: 'operator', scope: 'installation', audit: 'changed limits of a client' },
    schema: {
      operationId: 'changeClient',
      summary: 'Change some limits of a client',
      description:
        'Terms of calls belong to the endpoints of the client. null resets a field to its default (JSON ' +
        'merge patch).',
      tags,
      params: byId,
      headers: ifMatchHeaders,
      body: clientPatch,
      response: { 200: answered, ...problems(409) },
    },
    // The body is not validated before the handler, because the handler validates the merged client.
    validatorCompiler: rawBody,
    handler: async (request, reply) => {
      const { params, headers } = request;
      const body: unknown = request.body;
      const expected = expectedRevision(headers['if-match']);
      return answer(reply, await changeClient(params.id, expected, (before) => patched(before, body), deps));
    },
  });
}

function deleteRoute(server: HttpServer, deps: ClientRoutesDeps): void {
  server.route({
    method: 'DELETE',
    url: '/clients/:id',
    config: { role: 'operator', scope: 'installation', audit: 'deleted a client' },
    schema: {
      operationId: 'deleteClient',
      summary: 'Delete a client',
      description:
        'Its endpoint `default` has to be disabled, it may have no stored jobs, and its schedules have to be ' +
        'disabled too: they are deleted with it. The results of its jobs stay readable, by their ids and by ' +
        'the id of the client.',
      tags,
      params: byId,
      response: { 204: z.null().describe('It does not exist any more'), ...problems(409) },
    },
    handler: async ({ params: { id } }, reply) => {
      const removed = await deps.clientStore.remove(await clientInPath(id, deps.clients));
      if (removed.kind === 'missing') throw notFound('client', id);
      if (removed.kind === 'in-use') throw stillInUse(id, removed);
      await deps.clients.refresh();
      return reply.code(204).send(null);
    },
  });
}

const fields = z.record(z.string(), z.unknown());

/** Applies a merge patch (RFC 7396) to the top level: a field of null is reset to its default. */
function patched({ name, definition }: Client, patch: unknown): { name: string; definition: ClientDefinition } {
  const written = fields.safeParse(patch);
  if (!written.success) {
    const detail = `has to be an object, not ${quoted(patch)}`;
    throw invalidRequest([{ pointer: '', code: 'wrong-type', detail }]);
  }
  const merged: [string, unknown][] = Object.entries({ ...definition, ...written.data });
  const { name: wantedName = name, ...rest } = Object.fromEntries(merged.filter(([, value]) => value !== null));
  const [named, defined] = [checkShape(clientName, wantedName), checkShape(clientDefinition, rest)];
  if (named.ok && defined.ok) return { name: named.value, definition: defined.value };
  const problemsOfName = named.ok ? [] : named.problems.map((problem) => ({ ...problem, pointer: '/name' }));
  throw invalidRequest([...problemsOfName, ...(defined.ok ? [] : defined.problems)]);
}

function stillInUse(id: string, { isEnabled, jobs, schedules }: ClientUse): HttpProblem {
  const reasons = [
    ...(isEnabled ? ['is enabled, or was changed in the last seconds'] : []),
    ...(jobs > 0 ? [`has ${jobs} stored jobs, which can be cancelled: POST /v1/jobs/changes`] : []),
    ...(schedules > 0 ? [`has ${schedules} schedules that are not disabled`] : []),
  ];
  return new HttpProblem({ status: 409, code: 'client-in-use', detail: `${quoted(id)} ${reasons.join('; and it ')}` });
}

function nameTaken(name: string): HttpProblem {
  return new HttpProblem({ status: 409, code: 'name-taken', detail: `there is a client ${quoted(name)} already` });
}
