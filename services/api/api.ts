import type { FastifyRequest } from 'fastify';
import { createHttpServer, type HttpServer } from './frame/server/create-http-server.ts';
import { describeRoutes, documentRoutes } from './frame/document/document-routes.ts';
import { readQuotaProblem } from './frame/quota-problem.ts';
import type { Service } from '../../shared/runtime/process/service.ts';
import { collectSentences } from './access/audit/change-sentences.ts';
import { createServerParts, type ApiDeps } from './api-parts.ts';
import { consoleFileRoutes, createPageSender } from './console/console-routes.ts';
import { describeInstallation } from './frame/document/describe-installation.ts';
import type { HttpProblem } from './frame/http-problem.ts';
import { databaseUnavailable } from './frame/server/database-unavailable.ts';
import { pathBelow } from './frame/server/path-below.ts';
import { findRoutesFiles, tagsOf, type RoutesFile } from './routes-files.ts';
import { v1Routes } from './v1-routes.ts';

export interface Api extends Service {
  /** Starts the server. Resolves with its base URL as soon as it accepts connections. */
  start(): Promise<string>;
  readonly server: HttpServer;
}

const documentation = {
  title: 'Muster',
  version: '1',
  description:
    'Batch campaigns for millions of users: audience, actions and schedule, progress while a campaign runs, and a report that adds up. ' +
    'Text lengths are in UTF-16 code units: a character above U+FFFF counts as two.',
};

/** Creates the HTTP API. It keeps no state that other API processes would need. */
export async function createApi(deps: ApiDeps): Promise<Api> {
  const files = await findRoutesFiles(import.meta.dirname);
  const basePath = deps.publicAddress?.basePath ?? '';
  const page = deps.pages && createPageSender(deps.pages, basePath);
  const server = createHttpServer({
    logger: deps.logger,
    explain: (error) => explainError(error, files),
    pathOf: (url) => pathBelow(basePath, url),
    otherwise: page,
  });
  let ready = true;
  let closed: Promise<undefined> | undefined;
  const parts = { ...deps, ...createServerParts(deps), isReady: () => ready };

  const document = await describeRoutes(server, {
    ...documentation,
    tags: tagsOf(files),
    basePath,
    amend: (document) => describeInstallation(document, deps.catalogue.current()),
    asOf: () => JSON.stringify(deps.catalogue.current()),
  });
  // A person who opens the address in a browser gets a page instead of a 404.
  server.get('/', { schema: { hide: true } }, (_request, reply) =>
    page ? page.send(reply) : reply.redirect(`${basePath}/docs/`),
  );
  if (deps.pages) consoleFileRoutes(server, deps.pages);
  collectSentences(server);
  server.decorateRequest('apiKey', null);
  server.decorateRequest('endedKey', null);
  await server.register(async (v1: HttpServer) => await v1Routes(v1, parts, files), { prefix: '/v1' });
  for (const { openRoutes } of files) {
    if (openRoutes) await server.register(async (scope: HttpServer) => await openRoutes(scope, parts));
  }
  const admitReader = (request: FastifyRequest) => parts.authentication.callerOf(request);
  await documentRoutes(server, document, deps.docs === 'public' ? () => Promise.resolve() : admitReader);
  // An open stream would keep the server from stopping until the run of the stream ends.
  server.addHook('preClose', (done) => {
    parts.watch.stop();
    parts.campaignWatch.stop();
    done();
  });
  await server.ready();

  /**
   * Stops the server: it accepts no more connections and ends streams at once. Resolves when all other responses are
   * sent.
   */
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

function explainError(error: unknown, files: readonly RoutesFile[]): HttpProblem | undefined {
  for (const { explain } of files) {
    const problem = explain?.(error);
    if (problem) return problem;
  }
  return readQuotaProblem(error) ?? databaseUnavailable(error);
}
