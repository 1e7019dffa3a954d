import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import { newClientAuth } from '../../../shared/contracts/jobs/client-auth.ts';
import { addedEndpointKey, endpointShape } from '../../../shared/contracts/jobs/client-endpoints.ts';
import { newClientKey } from '../../../shared/contracts/jobs/clients.ts';
import { notFound } from '../frame/http-problem.ts';
import { headersOfSecretAnswers } from '../frame/server/idempotency.ts';
import { requireId } from '../frame/public-ids.ts';
import { jsonAnswer, problems } from '../frame/document/answer-shapes.ts';
import { bodyAsItCame, type HttpServer } from '../frame/server/create-http-server.ts';
import { checkAddressesOfAuth, clientAuthRefusals, readClientAuth, sealClientAuth } from './client-auth.ts';
import { clientInPath } from './client-in-path.ts';
import { givenOrNewKey, type ClientKeyRoutesDeps } from './client-key-routes.ts';
import { clientKeyView } from './client-view.ts';
import { endpointView } from './endpoint-view.ts';
import type { EndpointStore } from './postgres/endpoint-store.ts';

export interface EndpointSecretRoutesDeps extends ClientKeyRoutesDeps {
  endpointStore: EndpointStore;
}

export const endpointInPath = z.object({
  id: z.string().describe('cli_…, or its name'),
  endpoint: z.string().describe('Its name'),
});

const byKey = endpointInPath.extend({ keyId: z.string().describe('csk_…') });
const tags = ['clients'];
const answered = jsonAnswer('The endpoint', endpointShape);
const operating = { role: 'operator', scope: 'client' } as const;

/** Registers the routes of an endpoint's signing keys and credentials, which replace those of its client. */
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
        'From its first one on, calls through it are signed by its own and no more by its client’s. The older ones sign too until they expire.',
      tags,
      headers: headersOfSecretAnswers,
      params: endpointInPath,
      body: newClientKey,
      response: { 201: jsonAnswer('The key', addedEndpointKey), ...problems(409) },
    },
    handler: async (request, reply) => {
      const { params, body } = request;
      const clientId = await clientInPath(params.id, clients);
      const keyId = uuidv7();
      const { secret, sealed } = givenOrNewKey(body, { clientId, keyId }, secretBox);
      const othersExpireAt = new Date(clock.now().getTime() + body.othersExpireInSeconds * 1000);
      const endpoint = await endpointStore.addKey(clientId, params.endpoint, { keyId, sealed, othersExpireAt });
      const key = endpoint?.keys.find((each) => each.keyId === keyId);
      if (!endpoint || !key) throw notFound('endpoint', params.endpoint);
      await clients.refresh();
      request.auditDetail = { key: clientKeyView(key).id, othersExpireAt: othersExpireAt.toISOString() };
      reply.code(201);
      const shown = body.secret === undefined ? secret : null;
      return { key: clientKeyView(key), secret: shown, endpoint: endpointView(clientId, endpoint) };
    },
  });

  server.route({
    method: 'DELETE',
    url: '/clients/:id/endpoints/:endpoint/keys/:keyId',
    config: { ...operating, audit: 'ended a signing key of an endpoint' },
    schema: {
      operationId: 'removeClientEndpointKey',
      summary: 'End a signing key of an endpoint at once',
      description: 'For one that others know. To change over in peace, add another, and let this one expire.',
      tags,
      params: byKey,
      response: { 200: answered },
    },
    handler: async (request) => {
      const { id, endpoint: name, keyId } = request.params;
      const clientId = await clientInPath(id, clients);
      const endpoint = await endpointStore.removeKey(clientId, name, requireId('clientKey', keyId));
      if (!endpoint) throw notFound('endpoint', name);
      await clients.refresh();
      request.auditDetail = { key: keyId };
      return endpointView(clientId, endpoint);
    },
  });

  server.route({
    method: 'PUT',
    url: '/clients/:id/endpoints/:endpoint/auth',
    config: { ...operating, refusals: clientAuthRefusals, audit: 'set the authorization of an endpoint’s calls' },
    schema: {
      operationId: 'setClientEndpointAuth',
      summary: 'Set what calls through an endpoint are authorised with',
      description:
        'In the place of its client’s. Sent to the servers that it names alone, by calls that have no authorization of their own. It is kept encrypted; its secrets are never shown.',
      tags,
      params: endpointInPath,
      body: newClientAuth,
      response: { 200: answered, ...problems(409) },
    },
    // The handler validates, because the usual messages would quote the secret.
    validatorCompiler: bodyAsItCame,
    handler: async (request) => {
      const { id, endpoint: name } = request.params;
      const auth = readClientAuth(request.body);
      const clientId = await clientInPath(id, clients);
      const client = await clientStore.get(clientId);
      if (client) checkAddressesOfAuth(auth, client, clientEgress);
      const sealed = sealClientAuth(auth, clientId, clock.now(), secretBox);
      const endpoint = await endpointStore.setAuth(clientId, name, sealed);
      if (!endpoint) throw notFound('endpoint', name);
      await clients.refresh();
      request.auditDetail = { auth: auth.kind, origins: auth.origins };
      return endpointView(clientId, endpoint);
    },
  });

  server.route({
    method: 'DELETE',
    url: '/clients/:id/endpoints/:endpoint/auth',
    config: { ...operating, audit: 'removed the authorization of an endpoint’s calls' },
    schema: {
      operationId: 'removeClientEndpointAuth',
      summary: 'Let calls through an endpoint go with what its client has',
      description: 'Where there is none, nothing changes.',
      tags,
      params: endpointInPath,
      response: { 200: answered },
    },
    handler: async (request) => {
      const { id, endpoint: name } = request.params;
      const clientId = await clientInPath(id, clients);
      const endpoint = await endpointStore.setAuth(clientId, name, null);
      if (!endpoint) throw notFound('endpoint', name);
      await clients.refresh();
      request.auditDetail = { auth: null };
      return endpointView(clientId, endpoint);
    },
  });
}
