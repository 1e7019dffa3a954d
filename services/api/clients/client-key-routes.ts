import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import { addedClientKey, clientShape, newClientKey } from '../../../shared/contracts/jobs/clients.ts';
import { clientKeyContext } from '../../../shared/domain/job/job-ids.ts';
import { webhookKeyOf, webhookSecretForm } from '../../../shared/domain/endpoint/standard-webhooks.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { ClientReader } from '../../../shared/runtime/installation/client-reader.ts';
import type { SecretBox } from '../../../shared/runtime/configuration/secret-box.ts';
import type { ClientEgress } from './client-egress.ts';
import { clientInPath } from './client-in-path.ts';
import { jsonAnswer, problems } from '../frame/document/answer-shapes.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { type HttpProblem, invalidRequest, notFound } from '../frame/http-problem.ts';
import { headersOfSecretAnswers } from '../frame/server/idempotency.ts';
import { sealing } from '../frame/sealing.ts';
import type { ClientStore } from './postgres/client-store.ts';
import { requireId } from '../frame/public-ids.ts';
import { clientKeyView, clientView } from './client-view.ts';

export interface ClientKeyRoutesDeps {
  clientStore: ClientStore;
  clients: Pick<ClientReader, 'current' | 'refresh'>;
  secretBox: SecretBox;
  clientEgress: ClientEgress;
  clock: Clock;
}

const byId = z.object({ id: z.string().describe('cli_…, or its name') });
const byKey = byId.extend({ keyId: z.string().describe('csk_…') });
const tags = ['clients'];
const secretBytes = 32;

/** Registers the routes of signing keys (Standard Webhooks). Each call carries a signature by each valid key. */
export function clientKeyRoutes(
  server: HttpServer,
  { clientStore, clients, secretBox, clock }: ClientKeyRoutesDeps,
): void {
  server.route({
    method: 'POST',
    url: '/clients/:id/keys',
    config: {
      role: 'operator',
      scope: 'client',
      audit: 'added a signing key to a client',
      isAnswerSecret: true,
      refusals: { 'invalid-secret': 'the secret is not `whsec_` and 24 to 64 bytes in base64' },
    },
    schema: {
      operationId: 'addClientKey',
      summary: 'Add a signing key',
      description: 'The older ones sign too until they expire, so that receivers can change over in peace.',
      tags,
      headers: headersOfSecretAnswers,
      params: byId,
      body: newClientKey,
      response: { 201: jsonAnswer('The key', addedClientKey), ...problems(409) },
    },
    handler: async (request, reply) => {
      const { params, body } = request;
      const clientId = await clientInPath(params.id, clients);
      const keyId = uuidv7();
      const { secret, sealed } = givenOrNewKey(body, { clientId, keyId }, secretBox);
      const othersExpireAt = new Date(clock.now().getTime() + body.othersExpireInSeconds * 1000);
      const client = await clientStore.addKey(clientId, { keyId, sealed, othersExpireAt });
      const key = client?.keys.find((each) => each.keyId === keyId);
      if (!client || !key) throw notFound('client', params.id);
      await clients.refresh();
      request.auditDetail = { key: clientKeyView(key).id, othersExpireAt: othersExpireAt.toISOString() };
      reply.code(201);
      return { key: clientKeyView(key), secret: body.secret === undefined ? secret : null, client: clientView(client) };
    },
  });

  server.route({
    method: 'DELETE',
    url: '/clients/:id/keys/:keyId',
    config: { role: 'operator', scope: 'client', audit: 'ended a signing key of a client' },
    schema: {
      operationId: 'removeClientKey',
      summary: 'End a signing key at once',
      description: 'For one that others know. To change over in peace, add another, and let this one expire.',
      tags,
      params: byKey,
      response: { 200: jsonAnswer('The client', clientShape) },
    },
    handler: async (request) => {
      const { id, keyId } = request.params;
      const client = await clientStore.removeKey(await clientInPath(id, clients), requireId('clientKey', keyId));
      if (!client) throw notFound('client', id);
      await clients.refresh();
      request.auditDetail = { key: keyId };
      return clientView(client);
    },
  });
}

/** @throws {HttpProblem} 422 for an invalid secret, 409 if secrets cannot be stored */
export function givenOrNewKey(
  given: { secret?: string | undefined },
  { clientId, keyId }: { clientId: string; keyId: string },
  secretBox: SecretBox,
): { secret: string; sealed: string } {
  if (given.secret !== undefined && !webhookKeyOf(given.secret)) throw noSecret();
  const secret = given.secret ?? `whsec_${randomBytes(secretBytes).toString('base64')}`;
  return { secret, sealed: sealing(() => secretBox.seal(secret, clientKeyContext(clientId, keyId))).sealed };
}

function noSecret(): HttpProblem {
  const detail = `has to be ${webhookSecretForm}, and is not`;
  return invalidRequest([{ pointer: '/secret', code: 'invalid-secret', detail }]);
}
