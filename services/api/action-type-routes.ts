import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import type { ActionTypeConfig } from '../../shared/contracts/engine-config.ts';
import type { RegisteredActionType } from '../../shared/ports/registry.ts';
import type { CatalogueReader } from './catalogue-reader.ts';
import { checkActionType, patched, replacementOf, type WantedActionType } from './check-action-type.ts';
import { actionType, actionTypeDefinition, actionTypePatch, actionTypeReplacement } from './contracts/action-types.ts';
import { pageShape } from './contracts/pages.ts';
import { jsonAnswer, problems } from './http/answer-shapes.ts';
import type { HttpServer } from './http/create-http-server.ts';
import { entityTag, expectedRevision, outdated } from './http/entity-tag.ts';
import { HttpProblem, invalidRequest, notFound, quoted } from './http/http-problem.ts';
import { idempotentHeaders } from './idempotency.ts';
import type { ActionTypeChanged, ActionTypeRemoved, ActionTypeStore } from './ports/action-type-store.ts';
import { actionTypeView } from './views/action-type.ts';

export interface ActionTypeRoutesDeps {
  actionTypes: ActionTypeStore;
  catalogue: CatalogueReader;
}

const byName = z.object({ name: z.string() });
const matching = z.looseObject({
  'if-match': z.string().optional().describe('The ETag that it was shown with: 412 where it has changed since'),
});
const tags = ['action types'];
const answered = jsonAnswer('The action type', actionType);
/** What is wrong is said by the handlers, which know what is registered. */
const asItCame = { validatorCompiler: () => (value: unknown) => ({ value }) };

export function actionTypeRoutes(server: HttpServer, { actionTypes, catalogue }: ActionTypeRoutesDeps): void {
  const viewOf = (type: RegisteredActionType) => actionTypeView(type, catalogue.current().countries);
  const answer = (reply: FastifyReply, type: RegisteredActionType) =>
    reply.header('etag', entityTag(type.revision)).send(viewOf(type));

  async function require(name: string): Promise<RegisteredActionType> {
    const type = await actionTypes.get(name);
    if (!type) throw notFound('action-type', name);
    return type;
  }

  /** Another may change it between our look and our write: then its newest state is looked at again. */
  async function change(name: string, expected: number | null, wish: (before: ActionTypeConfig) => unknown) {
    for (;;) {
      const before = await require(name);
      const wanted = required(checkActionType(wish(before.config), before.config));
      if (expected !== null && expected !== before.revision) throw refusalOf({ kind: 'outdated', type: before }, name);
      const changed = await actionTypes.change(name, wanted, before.revision);
      if (changed.kind === 'changed') return changed.type;
      if (expected !== null || changed.kind === 'missing') throw refusalOf(changed, name);
    }
  }

  server.route({
    method: 'GET',
    url: '/action-types',
    schema: {
      operationId: 'listActionTypes',
      summary: 'What a chain may be made of',
      tags,
      response: { 200: jsonAnswer('All of them, by name', pageShape(actionType)), ...problems(401, 429) },
    },
    handler: async () => ({ items: (await actionTypes.list()).map(viewOf), next: null }),
  });

  server.route({
    method: 'POST',
    url: '/action-types',
    schema: {
      operationId: 'createActionType',
      summary: 'Register an action type',
      description: 'Campaigns may use it at once. Nothing has to be started anew.',
      tags,
      headers: idempotentHeaders,
      body: actionTypeDefinition,
      response: { 201: answered, ...problems(400, 401, 409, 413, 415, 422, 429) },
    },
    ...asItCame,
    handler: async ({ body }, reply) => {
      const { name, wanted } = checkedDefinition(body);
      const created = await actionTypes.create(name, { ...wanted, enabled: wanted.enabled ?? true });
      if (!created) throw existing(name);
      reply.code(201).header('location', viewOf(created).links.self);
      return answer(reply, created);
    },
  });

  server.route({
    method: 'GET',
    url: '/action-types/:name',
    schema: {
      operationId: 'getActionType',
      summary: 'Show an action type',
      tags,
      params: byName,
      response: { 200: answered, ...problems(401, 404, 429) },
    },
    handler: async ({ params }, reply) => answer(reply, await require(params.name)),
  });

  server.route({
    method: 'PUT',
    url: '/action-types/:name',
    schema: {
      operationId: 'replaceActionType',
      summary: 'Say anew how an action type is called',
      description: 'What is not said is as for a new one. Workers call by it from about a second later on.',
      tags,
      params: byName,
      headers: matching,
      body: actionTypeReplacement,
      response: { 200: answered, ...problems(400, 401, 404, 412, 413, 415, 422, 429) },
    },
    ...asItCame,
    handler: async ({ params, headers, body }, reply) =>
      answer(reply, await change(params.name, expectedRevision(headers['if-match']), () => replacementOf(body))),
  });

  server.route({
    method: 'PATCH',
    url: '/action-types/:name',
    schema: {
      operationId: 'changeActionType',
      summary: 'Change some of how an action type is called',
      description: 'null takes a field back to what it is for a new one (JSON merge patch).',
      tags,
      params: byName,
      headers: matching,
      body: actionTypePatch,
      response: { 200: answered, ...problems(400, 401, 404, 412, 413, 415, 422, 429) },
    },
    ...asItCame,
    handler: async ({ params, headers, body }, reply) => {
      const expected = expectedRevision(headers['if-match']);
      return answer(reply, await change(params.name, expected, (before) => patched(before, body)));
    },
  });

  server.route({
    method: 'DELETE',
    url: '/action-types/:name',
    schema: {
      operationId: 'deleteActionType',
      summary: 'Delete an action type that no campaign has in its chain',
      description: 'One that is used can be disabled: PATCH it with {"enabled": false}.',
      tags,
      params: byName,
      headers: matching,
      response: { 204: z.null().describe('It is gone'), ...problems(401, 404, 409, 412, 429) },
    },
    handler: async ({ params: { name }, headers }, reply) => {
      const removed = await actionTypes.remove(name, expectedRevision(headers['if-match']));
      if (removed.kind !== 'removed') throw refusalOf(removed, name);
      return reply.code(204).send(null);
    },
  });
}

function checkedDefinition(body: unknown): { name: string; wanted: WantedActionType } {
  const { name, ...rest } = z.record(z.string(), z.unknown()).catch({}).parse(body);
  const named = actionTypeDefinition.shape.name.safeParse(name);
  const checked = checkActionType(body === undefined ? {} : rest, null);
  const problem = { pointer: '/name', code: name === undefined ? 'missing' : 'invalid-value' };
  const detail = `has to be 1 to 64 small letters, digits and -, beginning with a letter, not ${quoted(name)}`;
  const errors = [...(named.success ? [] : [{ ...problem, detail }]), ...(checked.ok ? [] : checked.problems)];
  if (!checked.ok || !named.success) throw invalidRequest(errors, checked.ok ? 0 : checked.more);
  return { name: named.data, wanted: checked.value };
}

function required(checked: ReturnType<typeof checkActionType>): WantedActionType {
  if (!checked.ok) throw invalidRequest(checked.problems, checked.more);
  return checked.value;
}

function existing(name: string): HttpProblem {
  const detail = `there is an action type ${quoted(name)} already: change it with PUT or PATCH`;
  return new HttpProblem({ status: 409, code: 'action-type-exists', detail });
}

function refusalOf(
  refused: Exclude<ActionTypeChanged | ActionTypeRemoved, { kind: 'changed' | 'removed' }>,
  name: string,
) {
  switch (refused.kind) {
    case 'missing':
      return notFound('action-type', name);
    case 'outdated':
      return outdated(`${name} is at revision ${refused.type.revision} by now: look at it, and say it anew`);
    case 'used': {
      const more = refused.campaigns - refused.names.length;
      const named = `${refused.names.map(quoted).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
      const detail = `${refused.campaigns} campaigns have ${name} in their chain: ${named}; disable it instead`;
      return new HttpProblem({ status: 409, code: 'action-type-in-use', detail });
    }
  }
}
