import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  apiKeyKinds,
  apiKeyPatch,
  apiKeyShape,
  apiKeyStates,
  issuedApiKey,
  listedApiKey,
  newApiKey,
  rotation,
} from '../../../shared/contracts/access/api-keys.ts';
import { roles } from '../../../shared/domain/roles.ts';
import { isWithin } from '../../../shared/domain/scopes.ts';
import type { ClientReader } from '../../../shared/runtime/installation/client-reader.ts';
import {
  digestOfApiKey,
  issueApiKey,
  newApiKey as newSecret,
} from '../../../shared/runtime/installation/api-key-secret.ts';
import { changeRevised, entityTag, expectedRevision, ifMatchHeaders } from '../frame/if-match.ts';
import { HttpProblem, notFound } from '../frame/http-problem.ts';
import { headersOfSecretAnswers } from '../frame/server/idempotency.ts';
import { asBoolean, pageQuery, pageShape, partOfName, yesOrNo } from '../frame/pages.contract.ts';
import { cursorInQuery, pageView, requireId } from '../frame/public-ids.ts';
import { jsonAnswer, problems } from '../frame/document/answer-shapes.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { apiKeyView, scopeView } from './api-key-view.ts';
import type { Authentication } from './authenticate.ts';
import type { ApiKeyRecord } from './credentials/postgres/key-rows.ts';
import type { KeyStore } from './credentials/postgres/key-store.ts';
import type { SessionStore } from './postgres/session-store.ts';
import { requireBoundsOfClients, requireGrantable, scopeIn } from './key-grants.ts';
import { callerOf } from './scopes.ts';

export interface RequireKeyDeps {
  apiKeys: Pick<KeyStore, 'get'>;
}

export interface ApiKeyRoutesDeps {
  apiKeys: KeyStore;
  sessions: Pick<SessionStore, 'countOpen'>;
  clients: Pick<ClientReader, 'current' | 'refresh'>;
  authentication: Authentication;
}

const byId = z.object({ id: z.string().describe('key_…') });
const tags = ['keys'];
const config = { role: 'operator', scope: 'key' } as const;
const refusals = { 'beyond-client': 'a bound is above the limit of each client of the key' };
const keyAnswer = jsonAnswer('The key', apiKeyShape);

/** Registers the routes of API keys. A key sees and changes only keys whose scope is within its own. */
export function apiKeyRoutes(server: HttpServer, deps: ApiKeyRoutesDeps): void {
  listRoutes(server, deps);
  issueRoutes(server, deps);
  changeRoute(server, deps);
  revokeRoute(server, deps);
}

/**
 * Returns a key.
 * @throws {HttpProblem} 404 if the key does not exist, or if its scope exceeds the caller's
 */
export async function requireKey(
  request: FastifyRequest,
  id: string,
  { apiKeys }: RequireKeyDeps,
): Promise<ApiKeyRecord> {
  const found = await apiKeys.get(requireId('apiKey', id));
  if (!found || !isWithin(found.scope, callerOf(request).scope)) throw notFound('apiKey', id);
  return found;
}

function listRoutes(server: HttpServer, deps: ApiKeyRoutesDeps): void {
  const { apiKeys, sessions, clients } = deps;

  server.route({
    method: 'GET',
    url: '/api-keys',
    config,
    schema: {
      operationId: 'listApiKeys',
      summary: 'List keys, newest first, with keys that were revoked in the last thirty days',
      tags,
      querystring: pageQuery.extend({
        state: z.enum(apiKeyStates).optional(),
        role: z.enum(roles).optional(),
        kind: z.enum(apiKeyKinds).optional().describe('person: people and programs of an issuer'),
        used: yesOrNo.describe('false: only keys that were never used'),
        endsWithinDays: z.coerce
          .number()
          .int()
          .min(1)
          .max(365)
          .optional()
          .describe('Only active keys that expire within this number of days'),
        refused: z
          .enum(['true', 'false'])
          .optional()
          .describe('true: only keys that were refused in the last seven days, because something still uses them'),
        q: partOfName.describe('Part of the name or the owner; case-insensitive'),
      }),
      response: { 200: jsonAnswer('A page of keys', pageShape(listedApiKey)) },
    },
    handler: async (request) => {
      const { refused, used, limit, cursor, ...filter } = request.query;
      const wanted = { ...filter, refused: asBoolean(refused), used: asBoolean(used), within: callerOf(request).scope };
      const page = await apiKeys.list(wanted, limit, cursorInQuery('apiKey', cursor));
      const open = await sessions.countOpen(page.items.map(({ key }) => key));
      return pageView('apiKey', page, (record) => ({
        ...apiKeyView(record, clients),
        sessions: open.get(record.key) ?? 0,
      }));
    },
  });

  server.route({
    method: 'GET',
    url: '/api-keys/:id',
    config,
    schema: { operationId: 'getApiKey', summary: 'Show a key', tags, params: byId, response: { 200: keyAnswer } },
    handler: async (request, reply) => answer(reply, await requireKey(request, request.params.id, deps), deps),
  });
}

function issueRoutes(server: HttpServer, deps: ApiKeyRoutesDeps): void {
  const { apiKeys, clients } = deps;

  server.route({
    method: 'POST',
    url: '/api-keys',
    config: { ...config, refusals, isAnswerSecret: true, audit: 'created a key' },
    schema: {
      operationId: 'createApiKey',
      summary: 'Create a key',
      description: 'The response shows its secret once. A key cannot grant more rights than the key that creates it.',
      tags,
      headers: headersOfSecretAnswers,
      body: newApiKey,
      response: { 201: jsonAnswer('The key, and its secret', issuedApiKey) },
    },
    handler: async (request, reply) => {
      const { name, owner, role, scope: named, bounds, expiresAt: ends } = request.body;
      const grant = { role, scope: await scopeIn(named, clients), bounds, expiresAt: dateOf(ends) };
      requireGrantable(request, grant);
      requireBoundsOfClients(bounds, grant.scope, clients);
      const { key, secret, digest } = issueApiKey();
      const made = await apiKeys.add({ key, name, owner, digest, ...grant, createdBy: callerOf(request).key });
      const view = apiKeyView(made, clients);
      request.auditDetail = { key: view.id, name, owner, role, scope: view.scope, bounds, expiresAt: view.expiresAt };
      return reply.code(201).header('location', view.links.self).send({ key: view, secret });
    },
  });

  server.route({
    method: 'POST',
    url: '/api-keys/:id/rotate',
    config: { ...config, isAnswerSecret: true, audit: 'replaced the secret of a key' },
    schema: {
      operationId: 'rotateApiKey',
      summary: 'Replace the secret of a key',
      description:
        'The response shows the new secret once. The former secret, and sessions that it opened, work until ' +
        'the overlap ends.',
      tags,
      headers: headersOfSecretAnswers,
      params: byId,
      body: rotation.prefault({}),
      response: { 200: jsonAnswer('The key, and its new secret', issuedApiKey), ...problems(409) },
    },
    handler: async (request) => {
      const { key, issuer } = await requireKey(request, request.params.id, deps);
      if (issuer !== null) throw notAKey(request.params.id, 'it has no secret');
      const { overlapSeconds } = request.body;
      const secret = newSecret(key);
      const rotated = await apiKeys.rotate(key, digestOfApiKey(secret), overlapSeconds * 1000, callerOf(request).key);
      if (!rotated) throw keyRevoked(request.params.id);
      deps.authentication.forget();
      request.auditDetail = { overlapSeconds };
      return { key: apiKeyView(rotated, clients), secret };
    },
  });
}

function changeRoute(server: HttpServer, deps: ApiKeyRoutesDeps): void {
  const { apiKeys, clients } = deps;
  server.route({
    method: 'PATCH',
    url: '/api-keys/:id',
    config: { ...config, refusals, audit: 'changed a key' },
    schema: {
      operationId: 'changeApiKey',
      summary: 'Change the name, owner, role, scope, bounds or expiry of a key',
      description:
        'The process that answers applies the change at once, the others within a second. For a person or ' +
        'program of an issuer, only the expiry can be changed. A time in the past shuts the person out, null ' +
        'lets the person in again.',
      tags,
      params: byId,
      headers: ifMatchHeaders,
      body: apiKeyPatch,
      response: { 200: keyAnswer, ...problems(409) },
    },
    handler: async (request, reply) => {
      const { params, headers, body } = request;
      const changed = await changeRevised(expectedRevision(headers['if-match']), {
        read: async () => {
          const before = await requireKey(request, params.id, deps);
          if (before.revokedAt) throw keyRevoked(params.id);
          if (before.issuer !== null && Object.keys(body).some((field) => field !== 'expiresAt')) {
            throw notAKey(params.id, 'its tokens determine all fields except expiresAt');
          }
          return before;
        },
        change: async (before) => {
          const { name = before.name, owner = before.owner, role = before.role, scope: named, expiresAt: ends } = body;
          const { bounds = before.bounds } = body;
          const scope = named ? await scopeIn(named, clients) : before.scope;
          const expiresAt = ends === undefined ? before.expiresAt : dateOf(ends);
          const wanted = { name, owner, role, scope, bounds, expiresAt };
          // The issuer grants the rights of a person; an operator only decides whether the person is shut out. So only
          // rights of real keys are checked.
          if (before.issuer === null) requireGrantable(request, wanted);
          if (body.bounds) requireBoundsOfClients(bounds, scope, clients);
          request.auditDetail = { ...body, ...(named && { scope: scopeView(scope, clients) }) };
          return await apiKeys.change(before.key, wanted, before.revision, callerOf(request).key);
        },
        nameOf: () => params.id,
      });
      if (changed.kind === 'missing') throw notFound('apiKey', params.id);
      deps.authentication.forget();
      return answer(reply, changed.apiKey, deps);
    },
  });
}

function revokeRoute(server: HttpServer, deps: ApiKeyRoutesDeps): void {
  server.route({
    method: 'DELETE',
    url: '/api-keys/:id',
    config: { ...config, audit: 'revoked a key' },
    schema: {
      operationId: 'revokeApiKey',
      summary: 'Revoke a key, and end the sessions that it opened',
      description:
        'The process that answers applies it at once, the others within a second. The key stays listed for ' +
        'thirty days.',
      tags,
      params: byId,
      response: { 200: keyAnswer },
    },
    handler: async (request, reply) => {
      const { key } = await requireKey(request, request.params.id, deps);
      const revoked = await deps.apiKeys.revoke(key);
      if (!revoked) throw notFound('apiKey', request.params.id);
      deps.authentication.forget();
      return answer(reply, revoked, deps);
    },
  });
}

function answer(reply: FastifyReply, record: ApiKeyRecord, { clients }: ApiKeyRoutesDeps) {
  return reply.header('etag', entityTag(record.revision)).send(apiKeyView(record, clients));
}

function dateOf(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}

function notAKey(id: string, why: string): HttpProblem {
  const detail = `${id} is a person or program of an issuer, and not a key: ${why}`;
  return new HttpProblem({ status: 409, code: 'not-a-key', detail });
}

function keyRevoked(id: string): HttpProblem {
  return new HttpProblem({ status: 409, code: 'key-revoked', detail: `${id} is revoked: create another key` });
}
