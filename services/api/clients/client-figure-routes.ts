import { z } from 'zod';
import { clientLoad } from '../../../shared/contracts/jobs/client-load.ts';
import { endpointName } from '../../../shared/contracts/jobs/call-terms.ts';
import { clientForecast, clientLedger, jobCounts } from '../../../shared/contracts/jobs/client-figures.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import { completed, callEndpointsOf } from '../../../shared/runtime/installation/call-endpoints.ts';
import type { ClientReader } from '../../../shared/runtime/installation/client-reader.ts';
import { clientsInScope } from '../access/scopes.ts';
import { requireNamedEndpoint } from './named-client.ts';
import { clientInPath } from './client-in-path.ts';
import { jsonAnswer } from '../frame/document/answer-shapes.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { notFound } from '../frame/http-problem.ts';
import type { ClientFigures } from './postgres/client-figures.ts';
import type { ClientLedgers } from './postgres/client-ledgers.ts';
import type { ClientLoads } from './postgres/client-loads.ts';
import type { ClientStore } from './postgres/client-store.ts';
import type { AllClientTotals } from './postgres/client-totals.ts';
import { countsView, forecastView, ledgerView } from './client-figures-view.ts';
import { loadView } from './client-load-view.ts';

export interface ClientFigureRoutesDeps {
  clientStore: ClientStore;
  clientFigures: ClientFigures;
  clientLedgers: ClientLedgers;
  clientLoads: ClientLoads;
  clientTotals: AllClientTotals;
  clients: Pick<ClientReader, 'current' | 'refresh'>;
  clock: Clock;
}

const byId = z.object({ id: z.string().describe('cli_…, or its name') });
const tags = ['clients'];

export function clientFigureRoutes(server: HttpServer, deps: ClientFigureRoutesDeps): void {
  const { clientStore, clientFigures, clientLedgers, clientLoads, clientTotals, clients, clock } = deps;

  async function require(id: string) {
    const client = await clientStore.get(await clientInPath(id, clients));
    if (!client) throw notFound('client', id);
    return client;
  }

  server.route({
    method: 'GET',
    url: '/jobs/counts',
    config: {
      role: 'viewer',
      scope: 'client',
      refusals: {
        missing: '`client` is needed beside `orderingKey` and for this state',
        'unknown-client': 'no client has this id or name',
        'invalid-span': '`dueUntil` is not later than `dueFrom`',
      },
    },
    schema: {
      operationId: 'countJobs',
      summary: 'Count all jobs by result, for each client',
      description:
        'For the clients that the key may see. Stored jobs include sidelined ones; the ledger of a client ' +
        'shows them separately, and whether the counts add up.',
      tags: ['jobs'],
      response: { 200: jsonAnswer('The counts', jobCounts) },
    },
    handler: async (request) => countsView(await clientTotals.all(clientsInScope(request)), clock.now()),
  });

  server.route({
    method: 'GET',
    url: '/clients/:id/ledger',
    config: { role: 'viewer', scope: 'client' },
    schema: {
      operationId: 'getClientLedger',
      summary: 'Show the results of all jobs that were accepted for a client',
      tags,
      params: byId,
      response: { 200: jsonAnswer('The ledger', clientLedger) },
    },
    handler: async ({ params }) => {
      const { clientId } = await require(params.id);
      return ledgerView(clientId, await clientLedgers.ledgerOf(clientId), clock.now());
    },
  });

  server.route({
    method: 'GET',
    url: '/clients/:id/load',
    config: { role: 'viewer', scope: 'client' },
    schema: {
      operationId: 'getClientLoad',
      summary: 'Show the waiting jobs and the calls of a client, with its limits',
      description:
        'Lag, backlog, calls per second and concurrent calls with their limits, by endpoint, worst first. By ' +
        'dispatcher, also the number of jobs that it may still be sent.',
      tags,
      params: byId,
      response: { 200: jsonAnswer('The load', clientLoad) },
    },
    handler: async ({ params }) => {
      const client = await require(params.id);
      const endpointIds = callEndpointsOf(client).map(({ endpointId }) => endpointId);
      const [due, aside, atDispatchers] = await Promise.all([
        clientLoads.due(endpointIds),
        clientLoads.aside(endpointIds),
        clientLoads.atDispatchers(endpointIds),
      ]);
      const check = due.isPart ? (await clientLedgers.ledgerOf(client.clientId)).check : null;
      return loadView(client, { due, aside, atDispatchers, check }, clock.now());
    },
  });

  server.route({
    method: 'GET',
    url: '/clients/:id/forecast',
    config: {
      role: 'viewer',
      scope: 'client',
      refusals: { 'unknown-endpoint': 'the client has no endpoint of this name' },
    },
    schema: {
      operationId: 'getClientForecast',
      summary: 'Forecast calls per second in the next hours, from the stored jobs',
      description:
        'For jobs of one endpoint, `default` unless given. Without retries and without future occurrences of ' +
        'schedules. Large numbers of jobs are estimated from a part of them.',
      tags,
      params: byId,
      querystring: z.strictObject({
        hours: z.coerce.number().min(0.1).max(72).default(6),
        endpoint: endpointName.optional(),
      }),
      response: { 200: jsonAnswer('The forecast', clientForecast) },
    },
    handler: async ({ params, query: { hours, endpoint: name } }) => {
      const client = await require(params.id);
      const { endpointId, terms } = requireNamedEndpoint(client, name, '/endpoint');
      const { publishRatePerSecond = null } = completed(terms, client.endpoints[0].terms);
      const forecast = await clientFigures.forecast(endpointId, hours);
      const { clientId } = client;
      return forecastView({ clientId, publishRatePerSecond }, forecast, { hours, now: clock.now() });
    },
  });
}
