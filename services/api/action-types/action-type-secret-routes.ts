import type { FastifyReply, FastifySchemaCompiler } from 'fastify';
import { z } from 'zod';
import { secretNames, type RegisteredActionType } from '../../../shared/ports/registry.ts';
import { changeRefusal, type ActionTypeChanger } from './change-action-type.ts';
import { checkReceiptsSupported, checkSecretBody } from './check-secrets.ts';
import { actionType, secretBody } from './action-types.contract.ts';
import { jsonAnswer, problems } from '../frame/document/answer-shapes.ts';
import { checkShape } from '../frame/server/check-shape.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { expectedRevision, ifMatchHeaders } from '../frame/if-match.ts';
import { invalidRequest } from '../frame/http-problem.ts';
import type { ActionTypeStore } from './postgres/action-type-store.ts';

export interface ActionTypeSecretRoutesDeps {
  changer: ActionTypeChanger;
  actionTypes: ActionTypeStore;
  answer: (reply: FastifyReply, type: RegisteredActionType) => FastifyReply;
}

const bySecret = z.object({ name: z.string(), secret: z.enum(secretNames) });
const tags = ['action types'];

/** Accepts any body. The handler validates it, because the usual messages of validation would quote the secret. */
const unquotingBody: FastifySchemaCompiler<unknown> =
  ({ httpPart }) =>
  (value: unknown) => {
    const checked = httpPart === 'params' ? checkShape(bySecret, value) : { ok: true as const, value };
    return checked.ok ? { value: checked.value } : { error: invalidRequest(checked.problems, checked.more) };
  };

/** Registers the routes of secrets. Responses show only whether a secret exists, and since when. */
export function actionTypeSecretRoutes(
  server: HttpServer,
  { changer, actionTypes, answer }: ActionTypeSecretRoutesDeps,
): void {
  server.route({
    method: 'PUT',
    url: '/action-types/:name/secrets/:secret',
    config: { role: 'operator', scope: 'installation', audit: 'set a secret of an action type' },
    schema: {
      operationId: 'setActionTypeSecret',
      summary: 'Set a secret of an action type',
      description:
        'authorization: the whole header of calls; it takes precedence over the variable that ' +
        '`authorizationEnv` names. signing: signs calls (Standard Webhooks). receipts: verifies the ' +
        'signatures of delivery receipts. Workers use the secret after about a second. It is stored ' +
        'encrypted and never shown.',
      tags,
      params: bySecret,
      headers: ifMatchHeaders,
      body: secretBody,
      response: {
        200: jsonAnswer('The action type, which shows that the secret exists', actionType),
        ...problems(409),
      },
    },
    validatorCompiler: unquotingBody,
    handler: async (request, reply) => {
      const { name, secret } = request.params;
      const checked = checkSecretBody(secret, request.body);
      if (!checked.ok) throw invalidRequest(checked.problems);
      const changed = await changer.change(name, expectedRevision(request.headers['if-match']), (before) => {
        const problem = secret === 'receipts' ? checkReceiptsSupported(before.config, '/value') : [];
        if (problem.length > 0) throw invalidRequest(problem);
        return { secrets: { [secret]: changer.seal(secret, checked.value, before) } };
      });
      request.auditDetail = { secrets: { [secret]: 'set' } };
      return answer(reply, changed);
    },
  });

  server.route({
    method: 'DELETE',
    url: '/action-types/:name/secrets/:secret',
    config: { role: 'operator', scope: 'installation', audit: 'removed a secret of an action type' },
    schema: {
      operationId: 'removeActionTypeSecret',
      summary: 'Remove a secret of an action type',
      description: 'Calls go without it after about a second. If there is none, nothing changes.',
      tags,
      params: bySecret,
      headers: ifMatchHeaders,
      response: { 204: z.null().describe('The secret does not exist any more'), ...problems(422) },
    },
    handler: async (request, reply) => {
      const { name, secret } = request.params;
      const expected = expectedRevision(request.headers['if-match']);
      const changed = await actionTypes.change(name, { secrets: { [secret]: null } }, expected);
      if (changed.kind !== 'changed') throw changeRefusal(changed, name);
      request.auditDetail = { secrets: { [secret]: 'removed' } };
      return reply.code(204).send(null);
    },
  });
}
