import { z } from 'zod';
import { clientLoad } from '../../../shared/contracts/jobs/client-load.ts';
import { endpointName } from '../../../shared/contracts/jobs/call-terms.ts';
import { clientForecast, clientLedger, jobCounts } from '../../../shared/contracts/jobs/client-figures.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import { completed, outletsOf } from '../../../shared/runtime/installation/call-outlets.ts';
import type { ClientReader } from '../../../shared/runtime/installation/client-reader.ts';
import { clientsInScope } from '../access/scopes.ts';
import { endpointNamed } from './named-client.ts';
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
      summary: 'Count what became of all jobs, client by client',
      description:
        'Of the clients that the key may see. Sidelined jobs are among the stored ones; a client’s ledger tells them apart, and whether it adds up.',
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
      summary: 'What became of all jobs that were accepted for a client',
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
      summary: 'What waits of a client now, and what is called of what may be',
      description:
        'Lag and backlog, calls per second and at once of their limits, by endpoint, worst first; and by dispatcher, with the jobs that each may still be sent.',
      tags,
      params: byId,
      response: { 200: jsonAnswer('The load', clientLoad) },
    },
    handler: async ({ params }) => {
      const client = await require(params.id);
      const outletIds = outletsOf(client).map(({ outletId }) => outletId);
      const [due, aside, atDispatchers] = await Promise.all([
        clientLoads.due(outletIds),
        clientLoads.aside(outletIds),
        clientLoads.atDispatchers(outletIds),
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
      summary: 'Calls per second in the next hours, by what is stored',
      description:
        'Of jobs that go through one endpoint, `default` unless given. Without retries and what schedules will bring. Many jobs are reckoned from a part of them.',
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
      const { endpointId, terms } = endpointNamed(client, name, '/endpoint');
      const { publishRatePerSecond = null } = completed(terms, client.endpoints[0].terms);
      const forecast = await clientFigures.forecast(endpointId, hours);
      const { clientId } = client;
      return forecastView({ clientId, publishRatePerSecond }, forecast, { hours, now: clock.now() });
    },
  });
}
