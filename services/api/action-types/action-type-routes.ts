import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import type { RegisteredActionType } from '../../../shared/ports/registry.ts';
import type { ShardRefusal } from '../../../shared/ports/shard-reports.ts';
import { actionTypeSecretRoutes, type ActionTypeSecretRoutesDeps } from './action-type-secret-routes.ts';
import type { CatalogueReader } from '../frame/catalogue-reader.ts';
import { checkActionType, applyPatch, replacementOf, type WantedActionType } from './check-action-type.ts';
import {
  actionType,
  actionTypeDefinition,
  actionTypePatch,
  actionTypeReplacement,
  listedActionType,
  type ActionType,
} from './action-types.contract.ts';
import { pageShape } from '../frame/pages.contract.ts';
import { jsonAnswer, problems } from '../frame/document/answer-shapes.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { changeRefusal, type ActionTypeChanger, type ActionTypeChangerDeps } from './change-action-type.ts';
import { entityTag, expectedRevision, ifMatchHeaders } from '../frame/if-match.ts';
import { HttpProblem, invalidRequest, quoted } from '../frame/http-problem.ts';
import { idempotentHeaders } from '../frame/server/idempotency.ts';
import type { ActionTypeStore } from './postgres/action-type-store.ts';
import type { AuditDetail } from '../access/audit/record-changes.ts';
import { actionTypeView } from './action-type-view.ts';

export interface ActionTypeRoutesDeps {
  actionTypes: ActionTypeStore;
  changer: ActionTypeChanger;
  catalogue: CatalogueReader;
  egress: ActionTypeChangerDeps['egress'];
  /** Returns the shards that workers report as unable to serve. */
  refusals: () => Promise<readonly ShardRefusal[]>;
}

const byName = z.object({ name: z.string() });
const tags = ['action types'];
const typeAnswer = jsonAnswer('The action type', actionType);
/** Skips the validation of bodies. The handlers report all problems, because they know the registered action type. */
const unvalidated = { validatorCompiler: () => (value: unknown) => ({ value }) };

export function actionTypeRoutes(
  server: HttpServer,
  { actionTypes, changer, egress, catalogue, refusals }: ActionTypeRoutesDeps,
): void {
  const viewOf = (type: RegisteredActionType) => actionTypeView(type, catalogue.current().countries);
  const answer = (reply: FastifyReply, type: RegisteredActionType) =>
    reply.header('etag', entityTag(type.revision)).send(viewOf(type));
  const parts = { actionTypes, egress, changer, viewOf, answer };
  listRoute(server, parts, refusals);
  createRoute(server, parts);
  actionTypeRoute(server, parts);
  replaceRoute(server, parts);
  changeRoute(server, parts);
  actionTypeSecretRoutes(server, parts);
  deleteRoute(server, parts);
}

interface Parts extends ActionTypeSecretRoutesDeps {
  egress: ActionTypeChangerDeps['egress'];
  viewOf: (type: RegisteredActionType) => ActionType;
}

function listRoute(
  server: HttpServer,
  { actionTypes, viewOf }: Parts,
  refusalsNow: ActionTypeRoutesDeps['refusals'],
): void {
  server.route({
    method: 'GET',
    url: '/action-types',
    config: { role: 'viewer', scope: 'none' },
    schema: {
      operationId: 'listActionTypes',
      summary: 'List action types',
      tags,
      response: { 200: jsonAnswer('All action types, by name', pageShape(listedActionType)) },
    },
    handler: async () => {
      const [types, refused] = await Promise.all([actionTypes.list(), refusalsNow()]);
      const byType = Map.groupBy(refused, ({ actionType }) => actionType);
      const refusalsOf = (name: string) => (byType.get(name) ?? []).map(({ country, cause }) => ({ country, cause }));
      return { items: types.map((type) => ({ ...viewOf(type), refusals: refusalsOf(type.name) })), next: null };
    },
  });
}

function createRoute(server: HttpServer, { actionTypes, egress, viewOf, answer }: Parts): void {
  server.route({
    method: 'POST',
    url: '/action-types',
    config: { role: 'operator', scope: 'installation', audit: 'registered an action type' },
    schema: {
      operationId: 'createActionType',
      summary: 'Register an action type',
      description: 'Campaigns may use it at once, without a restart.',
      tags,
      headers: idempotentHeaders,
      body: actionTypeDefinition,
      response: { 201: typeAnswer },
    },
    ...unvalidated,
    handler: async ({ body }, reply) => {
      const { name, wanted } = checkedDefinition(body, egress);
      const created = await actionTypes.create(name, { config: wanted.config, enabled: wanted.enabled ?? true });
      if (!created) throw alreadyRegistered(name);
      reply.code(201).header('location', viewOf(created).links.self);
      return answer(reply, created);
    },
  });
}

function actionTypeRoute(server: HttpServer, { changer, answer }: Parts): void {
  server.route({
    method: 'GET',
    url: '/action-types/:name',
    config: { role: 'viewer', scope: 'none' },
    schema: {
      operationId: 'getActionType',
      summary: 'Show an action type',
      tags,
      params: byName,
      response: { 200: typeAnswer },
    },
    handler: async ({ params }, reply) => answer(reply, await changer.require(params.name)),
  });
}

function replaceRoute(server: HttpServer, { changer, answer }: Parts): void {
  server.route({
    method: 'PUT',
    url: '/action-types/:name',
    config: { role: 'operator', scope: 'installation', audit: 'replaced an action type' },
    schema: {
      operationId: 'replaceActionType',
      summary: 'Replace the definition of an action type',
      description: 'Omitted fields get their defaults. Workers use the new definition after about a second.',
      tags,
      params: byName,
      headers: ifMatchHeaders,
      body: actionTypeReplacement,
      response: { 200: typeAnswer, ...problems(409) },
    },
    ...unvalidated,
    handler: async (request, reply) => {
      const { params, headers, body } = request;
      const wanted = (before: RegisteredActionType) => changer.changeFrom(replacementOf(body, before.name), before);
      const changed = await changer.change(params.name, expectedRevision(headers['if-match']), wanted);
      request.auditDetail = secretsIn(body);
      return answer(reply, changed);
    },
  });
}

function changeRoute(server: HttpServer, { changer, answer }: Parts): void {
  server.route({
    method: 'PATCH',
    url: '/action-types/:name',
    config: { role: 'operator', scope: 'installation', audit: 'changed an action type' },
    schema: {
      operationId: 'changeActionType',
      summary: 'Change some fields of an action type',
      description: 'null resets a field to its default (JSON merge patch).',
      tags,
      params: byName,
      headers: ifMatchHeaders,
      body: actionTypePatch,
      response: { 200: typeAnswer, ...problems(409) },
    },
    ...unvalidated,
    handler: async (request, reply) => {
      const { params, headers, body } = request;
      const wanted = (before: RegisteredActionType) => changer.changeFrom(applyPatch(before.config, body), before);
      const changed = await changer.change(params.name, expectedRevision(headers['if-match']), wanted);
      request.auditDetail = secretsIn(body);
      return answer(reply, changed);
    },
  });
}

function deleteRoute(server: HttpServer, { actionTypes }: Parts): void {
  server.route({
    method: 'DELETE',
    url: '/action-types/:name',
    config: { role: 'operator', scope: 'installation', audit: 'deleted an action type' },
    schema: {
      operationId: 'deleteActionType',
      summary: 'Delete an action type that no campaign has in its chain',
      description: 'An action type that is used can be disabled: PATCH it with {"enabled": false}.',
      tags,
      params: byName,
      headers: ifMatchHeaders,
      response: { 204: z.null().describe('It does not exist any more'), ...problems(409) },
    },
    handler: async ({ params: { name }, headers }, reply) => {
      const removed = await actionTypes.remove(name, expectedRevision(headers['if-match']));
      if (removed.kind !== 'removed') throw changeRefusal(removed, name);
      return reply.code(204).send(null);
    },
  });
}

function checkedDefinition(
  body: unknown,
  { guard }: ActionTypeChangerDeps['egress'],
): { name: string; wanted: WantedActionType } {
  const { name, ...rest } = z.record(z.string(), z.unknown()).catch({}).parse(body);
  const named = actionTypeDefinition.shape.name.safeParse(name);
  const checked = checkActionType(body === undefined ? {} : rest, null, guard);
  const problem = { pointer: '/name', code: name === undefined ? 'missing' : 'invalid-value' };
  const detail = `has to be 1 to 64 small letters, digits and -, beginning with a letter, not ${quoted(name)}`;
  const errors = [...(named.success ? [] : [{ ...problem, detail }]), ...(checked.ok ? [] : checked.problems)];
  if (!checked.ok || !named.success) throw invalidRequest(errors, checked.ok ? 0 : checked.more);
  return { name: named.data, wanted: checked.value };
}

/** Returns the names of the secrets that a change sets or removes, for the audit log. Values are never included. */
function secretsIn(body: unknown): AuditDetail {
  const { secrets } = z
    .object({ secrets: z.record(z.string(), z.unknown()) })
    .catch({ secrets: {} })
    .parse(body);
  const changed = Object.entries(secrets).filter(([, value]) => value === null || typeof value === 'string');
  if (changed.length === 0) return {};
  return { secrets: Object.fromEntries(changed.map(([name, value]) => [name, value === null ? 'removed' : 'set'])) };
}

function alreadyRegistered(name: string): HttpProblem {
  const detail = `there is an action type ${quoted(name)} already: change it with PUT or PATCH`;
  return new HttpProblem({ status: 409, code: 'action-type-exists', detail });
}
