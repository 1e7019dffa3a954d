import type { FastifyRequest } from 'fastify';
import { createHttpServer, type HttpServer } from './frame/server/create-http-server.ts';
import { describeRoutes, documentRoutes } from './frame/document/document-routes.ts';
import { beyondQuota } from './frame/beyond-quota.ts';
import type { Meter } from '../../shared/ports/meter.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import type { Service } from '../../shared/runtime/process/service.ts';
import type { ConsolePages } from './console/console-pages.ts';
import { consoleFileRoutes, createPageSender } from './console/console-routes.ts';
import { describeInstallation } from './frame/document/describe-installation.ts';
import { databaseUnavailable } from './frame/server/database-unavailable.ts';
import { createAuthenticate, type AuthenticateDeps } from './access/authenticate.ts';
import { createEventStreams } from './access/event-streams.ts';
import { createHeavyRequests } from './access/heavy-requests.ts';
import { healthRoutes, type HealthRoutesDeps } from './installation/health-routes.ts';
import { pathBelow } from './frame/server/path-below.ts';
import { receiptRoutes, type ReceiptRoutesDeps } from './receipts/receipt-routes.ts';
import { apiMetrics } from './frame/metrics.ts';
import { v1Routes, type V1Deps } from './v1-routes.ts';
import { workCalendarProblem } from './schedules/work-calendar-problem.ts';
import { exportShardFigures } from './installation/shards/shard-look.ts';
import { createCampaignWatch } from './live/watch-campaigns.ts';
import { createRunWatch } from './runs/watch-run.ts';

export type ApiDeps = Omit<V1Deps, 'watch' | 'campaignWatch' | 'streams' | 'heavyRequests' | 'authentication'> &
  Omit<AuthenticateDeps, 'onRefused'> &
  Pick<ReceiptRoutesDeps, 'signers' | 'receipts'> &
  Pick<HealthRoutesDeps, 'ping'> &
  ListenDeps;

interface ListenDeps {
  host: string;
  /** 0: any free one. */
  port: number;
  /** The console; without it, `/` leads to the documentation. */
  pages?: ConsolePages | undefined;
  /** Whether the OpenAPI document is for everybody, or for keys and sessions. */
  docs: 'public' | 'keyed';
  logger: Logger;
  meter?: Meter;
}

export interface Api extends Service {
  /** Resolves with the base URL when connections are taken. */
  start(): Promise<string>;
  readonly server: HttpServer;
}

const documentation = {
  title: 'Muster',
  version: '1',
  description:
    'Batch campaigns for millions of users: who, what and when, progress while they run, and a report that adds up. ' +
    'Lengths of texts count UTF-16 units: a character beyond U+FFFF counts as two.',
  tags: [
    { name: 'campaigns', description: 'Who gets what, and when' },
    { name: 'approvals', description: 'Who has to approve what before it runs, and who has' },
    { name: 'templates', description: 'What campaigns are made from' },
    { name: 'runs', description: 'A campaign being carried out: progress, report, failures' },
    { name: 'audiences', description: 'Uploaded lists of users, for campaigns to name' },
    { name: 'action types', description: 'What a chain may be made of' },
    { name: 'quiet hours', description: 'When an action type calls nobody of a country' },
    { name: 'suppressions', description: 'Users whom an action type never calls for' },
    { name: 'receipts', description: 'What became of users that an asynchronous action accepted' },
    { name: 'dead letters', description: 'Messages that were set aside' },
    { name: 'quarantined steps', description: 'Steps whose calls ended their workers again and again' },
    { name: 'shards', description: 'An action type in a country: one topic, its partitions and workers' },
    { name: 'clients', description: 'Who schedules callbacks, and by which rules' },
    { name: 'jobs', description: 'Callbacks that are due once' },
    { name: 'dead jobs', description: 'Callbacks that were given up' },
    { name: 'schedules', description: 'What recurs, and what of it fired' },
    { name: 'groups', description: 'The markets that schedules fire for' },
    { name: 'work calendars', description: 'Days off that schedules go by' },
    { name: 'scheduler', description: 'Who fires what is due, and how late it is' },
    { name: 'webhooks', description: 'Who is told what becomes of campaigns and runs' },
    { name: 'keys', description: 'Who may use the API, and for what' },
    { name: 'session', description: 'Who is logged in to the console' },
    { name: 'audit', description: 'Who changed what' },
    { name: 'health', description: 'For whoever keeps the process running' },
  ],
};

/** The HTTP interface. It holds nothing that another one of its kind could not serve as well. */
export async function createApi(deps: ApiDeps): Promise<Api> {
  const watch = createRunWatch(deps);
  const campaignWatch = createCampaignWatch(deps);
  const streams = createEventStreams(deps);
  const heavyRequests = createHeavyRequests(deps);
  const refusedKeys = deps.meter?.counter(apiMetrics.unauthorized).of({});
  const onRefusedKey = () => refusedKeys?.add();
  const authentication = createAuthenticate({ ...deps, onRefused: onRefusedKey });
  if (deps.meter) exportShardFigures(deps.meter, deps.shardLook);
  const basePath = deps.publicAddress?.basePath ?? '';
  const page = deps.pages && createPageSender(deps.pages, basePath);
  const server = createHttpServer({
    logger: deps.logger,
    explain: (error) => beyondQuota(error) ?? workCalendarProblem(error) ?? databaseUnavailable(error),
    pathOf: (url) => pathBelow(basePath, url),
    otherwise: page,
  });
  let ready = true;
  let closed: Promise<undefined> | undefined;

  const document = await describeRoutes(server, {
    ...documentation,
    basePath,
    amend: (document) => describeInstallation(document, deps.catalogue.current()),
    asOf: () => JSON.stringify(deps.catalogue.current()),
  });
  // A person who types the address wants to read, not a problem.
  server.get('/', { schema: { hide: true } }, (_request, reply) =>
    page ? page.send(reply) : reply.redirect(`${basePath}/docs/`),
  );
  if (deps.pages) consoleFileRoutes(server, deps.pages);
  server.decorateRequest('apiKey', null);
  server.decorateRequest('endedKey', null);
  healthRoutes(server, { ping: deps.ping, ready: () => ready });
  await server.register(
    async (v1: HttpServer) =>
      await v1Routes(v1, { ...deps, watch, campaignWatch, streams, heavyRequests, authentication }),
    { prefix: '/v1' },
  );
  await server.register(
    (scope: HttpServer, _options, done) => {
      receiptRoutes(scope, { ...deps, onRefusedKey });
      done();
    },
    { prefix: '/v1' },
  );
  const admitReader = (request: FastifyRequest) => authentication.callerOf(request);
  await documentRoutes(server, document, deps.docs === 'public' ? () => Promise.resolve() : admitReader);
  // An open stream would keep the server from closing for as long as its run takes.
  server.addHook('preClose', (done) => {
    watch.stop();
    campaignWatch.stop();
    done();
  });
  await server.ready();

  /** Stops listening and ends the streams at once; resolves when the answers that were begun are sent. */
  const close = (): Promise<undefined> => (closed ??= server.close());

  return {
    server,
    start: () => server.listen({ host: deps.host, port: deps.port }),
    ready: () => ready && server.server.listening,
    stopIntake: () => {
      ready = false;
      void close();
      return Promise.resolve();
    },
    finishWork: close,
    close,
  };
}
