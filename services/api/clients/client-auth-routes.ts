import { z } from 'zod';
import { newClientAuth } from '../../../shared/contracts/jobs/client-auth.ts';
import { clientShape } from '../../../shared/contracts/jobs/clients.ts';
import { jsonAnswer, problems } from '../frame/document/answer-shapes.ts';
import { bodyAsItCame, type HttpServer } from '../frame/server/create-http-server.ts';
import { notFound } from '../frame/http-problem.ts';
import { checkAddressesOfAuth, clientAuthRefusals, readClientAuth, sealClientAuth } from './client-auth.ts';
import { clientInPath } from './client-in-path.ts';
import type { ClientKeyRoutesDeps } from './client-key-routes.ts';
import { clientView } from './client-view.ts';

const byId = z.object({ id: z.string().describe('cli_…, or its name') });
const tags = ['clients'];
const answered = jsonAnswer('The client', clientShape);

/** Registers the routes of credentials that dispatchers add to a client's calls, so that jobs do not carry them. */
export function clientAuthRoutes(
  server: HttpServer,
  { clientStore, clients, secretBox, clientEgress, clock }: ClientKeyRoutesDeps,
): void {
  server.route({
    method: 'PUT',
    url: '/clients/:id/auth',
    config: {
      role: 'operator',
      scope: 'client',
      refusals: clientAuthRefusals,
      audit: 'set the authorization of a client’s calls',
    },
    schema: {
      operationId: 'setClientAuth',
      summary: 'Set what a client’s calls are authorised with',
      description:
        'Sent to the servers that it names alone, by calls that have no authorization of their own. It takes the place of the one before, in every dispatcher within about a second. It is kept encrypted; its secrets are never shown.',
      tags,
      params: byId,
      body: newClientAuth,
      response: { 200: answered, ...problems(409) },
    },
    // The handler validates, because the usual messages would quote the secret.
    validatorCompiler: bodyAsItCame,
    handler: async (request) => {
      const { id } = request.params;
      const auth = readClientAuth(request.body);
      const clientId = await clientInPath(id, clients);
      const before = await clientStore.get(clientId);
      if (before) checkAddressesOfAuth(auth, before, clientEgress);
      const client = await clientStore.setAuth(clientId, sealClientAuth(auth, clientId, clock.now(), secretBox));
      if (!client) throw notFound('client', id);
      await clients.refresh();
      request.auditDetail = { auth: auth.kind, origins: auth.origins };
      return clientView(client);
    },
  });

  server.route({
    method: 'DELETE',
    url: '/clients/:id/auth',
    config: { role: 'operator', scope: 'client', audit: 'removed the authorization of a client’s calls' },
    schema: {
      operationId: 'removeClientAuth',
      summary: 'Let a client’s calls go without it',
      description: 'Where there is none, nothing changes.',
      tags,
      params: byId,
      response: { 200: answered },
    },
    handler: async (request) => {
      const { id } = request.params;
      const client = await clientStore.setAuth(await clientInPath(id, clients), null);
      if (!client) throw notFound('client', id);
      await clients.refresh();
      request.auditDetail = { auth: null };
      return clientView(client);
    },
  });
}
