import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import { newClientAuth } from '../../../shared/contracts/jobs/client-auth.ts';
import { addedClientKey, endpointShape, newClientKey } from '../../../shared/contracts/jobs/client-endpoints.ts';
import { webhookKeyOf, webhookSecretForm } from '../../../shared/domain/endpoint/standard-webhooks.ts';
import { clientKeyContext } from '../../../shared/domain/job/job-ids.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { SecretBox } from '../../../shared/runtime/configuration/secret-box.ts';
import type { ClientReader } from '../../../shared/runtime/installation/client-reader.ts';
import { type HttpProblem, invalidRequest, notFound } from '../frame/http-problem.ts';
import { sealing } from '../frame/sealing.ts';
import { headersOfSecretAnswers } from '../frame/server/idempotency.ts';
import { requireId } from '../frame/public-ids.ts';
import { jsonAnswer, problems } from '../frame/document/answer-shapes.ts';
import { rawBody, type HttpServer } from '../frame/server/create-http-server.ts';
import { checkAddressesOfAuth, clientAuthRefusals, readClientAuth, sealClientAuth } from './client-auth.ts';
import { egressOf, type ClientEgress } from './client-egress.ts';
import { clientInPath } from './client-in-path.ts';
import { clientKeyView, endpointView } from './endpoint-view.ts';
import type { ClientStore } from './postgres/client-store.ts';
import type { EndpointStore } from './postgres/endpoint-store.ts';

export interface EndpointSecretRoutesDeps {
  clientStore: ClientStore;
  endpointStore: EndpointStore;
  clients: Pick<ClientReader, 'current' | 'refresh'>;
  secretBox: SecretBox;
  clientEgress: ClientEgress;
  clock: Clock;
}

export const endpointInPath = z.object({
  id: z.string().describe('cli_…, or its name'),
  endpoint: z.string().describe('Its name'),
});

const byKey = endpointInPath.extend({ keyId: z.string().describe('csk_…') });
const tags = ['clients'];
const answered = jsonAnswer('The endpoint', endpointShape);
const operating = { role: 'operator', scope: 'client' } as const;
const secretBytes = 32;

/**
 * Registers the routes of an endpoint's signing keys (Standard Webhooks) and of the credentials that dispatchers add to
 * its calls. Each call has one signature for each valid key. An endpoint without keys or credentials uses those of the
 * endpoint `default`.
 */
export function endpointSecretRoutes(server: HttpServer, deps: EndpointSecretRoutesDeps): void {
  const { clientStore, endpointStore, clients, secretBox, clientEgress, clock } = deps;

  server.route({
    method: 'POST',
    url: '/clients/:id/endpoints/:endpoint/keys',
    config: {
      ...operating,
      isAnswerSecret: true,
      refusals: { 'invalid-secret': 'the secret is not `whsec_` and 24 to 64 bytes in base64' },
      audit: 'added a signing key to an endpoint',
    },
    schema: {
      operationId: 'addClientEndpointKey',
      summary: 'Add a signing key of an endpoint',
      description:
        'Older keys also sign until they expire, so that receivers can switch without a gap. From its first ' +
        'key on, calls of an endpoint are signed with its own keys, and no more with those of `default`.',
      tags,
      headers: headersOfSecretAnswers,
      params: endpointInPath,
      body: newClientKey,
      response: { 201: jsonAnswer('The key', addedClientKey), ...problems(409) },
    },
    handler: async (request, reply) => {
      const { params, body } = request;
      const clientId = await clientInPath(params.id, clients);
      const keyId = uuidv7();
      const { secret, sealed } = givenOrNewKey(body, { clientId, keyId }, secretBox);
      const othersExpireAt = new Date(clock.now().getTime() + body.othersExpireInSeconds * 1000);
      const owned = await endpointStore.addKey(clientId, params.endpoint, { keyId, sealed, othersExpireAt });
      const key = owned?.endpoint.keys.find((each) => each.keyId === keyId);
      if (!owned || !key) throw notFound('endpoint', params.endpoint);
      await clients.refresh();
      request.auditDetail = { key: clientKeyView(key).id, othersExpireAt: othersExpireAt.toISOString() };
      reply.code(201);
      const newSecret = body.secret === undefined ? secret : null;
      return { key: clientKeyView(key), secret: newSecret, endpoint: endpointView(owned) };
    },
  });

  server.route({
    method: 'DELETE',
    url: '/clients/:id/endpoints/:endpoint/keys/:keyId',
    config: { ...operating, audit: 'ended a signing key of an endpoint' },
    schema: {
      operationId: 'removeClientEndpointKey',
      summary: 'End a signing key of an endpoint at once',
      description: 'For a key that others know. For a planned change, add another key and let this one expire.',
      tags,
      params: byKey,
      response: { 200: answered },
    },
    handler: async (request) => {
      const { id, endpoint: name, keyId } = request.params;
      const clientId = await clientInPath(id, clients);
      const owned = await endpointStore.removeKey(clientId, name, requireId('clientKey', keyId));
      if (!owned) throw notFound('endpoint', name);
      await clients.refresh();
      request.auditDetail = { key: keyId };
      return endpointView(owned);
    },
  });

  server.route({
    method: 'PUT',
    url: '/clients/:id/endpoints/:endpoint/auth',
    config: { ...operating, refusals: clientAuthRefusals, audit: 'set the authorization of an endpoint’s calls' },
    schema: {
      operationId: 'setClientEndpointAuth',
      summary: 'Set the authorization of calls through an endpoint',
      description:
        'Sent only to the servers that it names, by calls that have no authorization of their own. That of ' +
        '`default` also applies to endpoints without one. It replaces the former one, in every dispatcher ' +
        'within about a second. It is stored encrypted; its secrets are never shown.',
      tags,
      params: endpointInPath,
      body: newClientAuth,
      response: { 200: answered, ...problems(409) },
    },
    // The handler validates the body, because the usual messages of validation would quote the secret.
    validatorCompiler: rawBody,
    handler: async (request) => {
      const { id, endpoint: name } = request.params;
      const auth = readClientAuth(request.body);
      const clientId = await clientInPath(id, clients);
      const client = await clientStore.get(clientId);
      const before = client?.endpoints.find((each) => each.name === name);
      if (client && before) checkAddressesOfAuth(auth, egressOf(client, before.terms), clientEgress);
      const sealed = sealClientAuth(auth, clientId, clock.now(), secretBox);
      const owned = await endpointStore.setAuth(clientId, name, sealed);
      if (!owned) throw notFound('endpoint', name);
      await clients.refresh();
      request.auditDetail = { auth: auth.kind, origins: auth.origins };
      return endpointView(owned);
    },
  });

  server.route({
    method: 'DELETE',
    url: '/clients/:id/endpoints/:endpoint/auth',
    config: { ...operating, audit: 'removed the authorization of an endpoint’s calls' },
    schema: {
      operationId: 'removeClientEndpointAuth',
      summary: 'Remove the authorization of an endpoint',
      description:
        'Calls then use that of `default`; calls of `default` go without. If there is none, nothing changes.',
      tags,
      params: endpointInPath,
      response: { 200: answered },
    },
    handler: async (request) => {
      const { id, endpoint: name } = request.params;
      const clientId = await clientInPath(id, clients);
      const owned = await endpointStore.setAuth(clientId, name, null);
      if (!owned) throw notFound('endpoint', name);
      await clients.refresh();
      request.auditDetail = { auth: null };
      return endpointView(owned);
    },
  });
}

/**
 * Returns the given key, or a new one.
 * @throws {HttpProblem} 422 for an invalid secret, 409 if this process cannot store secrets
 */
function givenOrNewKey(
  given: { secret?: string | undefined },
  { clientId, keyId }: { clientId: string; keyId: string },
  secretBox: SecretBox,
): { secret: string; sealed: string } {
  if (given.secret !== undefined && !webhookKeyOf(given.secret)) throw invalidSecret();
  const secret = given.secret ?? `whsec_${randomBytes(secretBytes).toString('base64')}`;
  return { secret, sealed: sealing(() => secretBox.seal(secret, clientKeyContext(clientId, keyId))).sealed };
}

function invalidSecret(): HttpProblem {
  const detail = `has to be ${webhookSecretForm}, and is not`;
  return invalidRequest([{ pointer: '/secret', code: 'invalid-secret', detail }]);
}
