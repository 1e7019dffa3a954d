import { timingSafeEqual, createHash } from 'node:crypto';
import fastify, { type FastifyInstance } from 'fastify';
import { z } from 'zod';
import { largestPage } from '../../../shared/contracts/endpoints/segmentation.ts';
import { countryPattern } from '../../../shared/domain/endpoint/shard.ts';
import type { CheckSignature } from '../../../shared/domain/endpoint/require-signature.ts';
import type { Meter } from '../../../shared/ports/meter.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import { connectorsMetrics } from '../report/metrics.ts';
import type { ActionService } from '../actions/action-service.ts';
import type { SegmentService } from '../segments/segment-service.ts';
import { bodyOf, idOf, problem, send } from '../actions/http/answers.ts';

export interface ConnectorsServerDeps {
  segments: SegmentService;
  actions: ActionService;
  /** Adds routes of actions other than their batches. */
  addRoutes: (server: FastifyInstance) => void;
  /** Required `Authorization` header; undefined if requests need none. */
  authorization: string | undefined;
  /** Check of a request's signature; undefined if batches and previews need no signature. */
  checkSignature: CheckSignature | undefined;
  meter: Meter;
  logger: Logger;
}

export interface ConnectorsServer {
  /** Starts listening. Resolves with the base URL `http://host:port`, with the actual port. */
  listen(place: { host: string; port: number }): Promise<string>;
  /** Accepts no new connections, and resolves when all requests are answered. */
  close(): Promise<void>;
}

const country = z.string().regex(countryPattern, 'has to be two capital letters');
const limitUpTo = (most: number, usual: number) => z.coerce.number().int().min(1).max(most).default(usual);

const listQuery = z.object({
  country: country.optional(),
  search: z.string().optional(),
  after: z.string().optional(),
  limit: limitUpTo(200, 50),
});
const describeQuery = z.object({ country });
const pageQuery = z.object({
  country,
  snapshot: z.string(),
  // User ids never contain this character, and Postgres cannot store it.
  after: z
    .string()
    .refine((text) => !text.includes('\0'), 'must not contain U+0000')
    .optional(),
  limit: limitUpTo(largestPage, 1000),
});
/** Large enough for 1,000 ids and the parameters of a batch. */
const maxBodyBytes = 4 * 1024 * 1024;

/**
 * Longer than callers keep idle connections. Otherwise a request sent just when the server closes its connection would
 * be lost.
 */
const keepAliveMs = 65_000;

export function createConnectorsServer({
  segments,
  actions,
  addRoutes,
  authorization,
  checkSignature,
  meter,
  logger,
}: ConnectorsServerDeps): ConnectorsServer {
  const server = fastify({
    keepAliveTimeout: keepAliveMs,
    routerOptions: { maxParamLength: 1000 },
    forceCloseConnections: 'idle',
  });
  const seconds = meter.histogram(connectorsMetrics.requests);
  const expected = authorization === undefined ? undefined : digestOf(authorization);

  server.addHook('onRequest', async (request, reply) => {
    if (request.routeOptions.config.isPublic === true) return;
    if (expected === undefined || timingSafeEqual(digestOf(request.headers.authorization ?? ''), expected)) return;
    await problem(reply, 401, 'unauthorized', 'the Authorization header is not the one of CONNECTORS_AUTHORIZATION');
  });
  server.addHook('preHandler', async (request, reply) => {
    if (request.routeOptions.config.isSigned !== true) return;
    const unsigned = checkSignature?.(request.headers, bodyOf(request)) ?? null;
    if (unsigned !== null) await problem(reply, 401, 'bad-signature', unsigned);
  });
  server.addHook('onResponse', (request, reply, done) => {
    const { name } = request.routeOptions.config;
    if (name !== undefined)
      seconds.of({ request: name, status: String(reply.statusCode) }).observe(reply.elapsedTime / 1000);
    done();
  });
  server.setNotFoundHandler((_, reply) => problem(reply, 404, 'not-found', 'there is nothing here'));
  server.setErrorHandler((error, request, reply) => {
    if (error instanceof z.ZodError)
      return problem(reply, 400, request.method === 'GET' ? 'bad-query' : 'bad-body', wordsOf(error));
    const status = statusOf(error);
    if (status < 500) return problem(reply, status, 'bad-request', 'the request cannot be read');
    logger.error({ err: error, url: request.url }, 'request failed');
    return problem(reply, 503, 'failed', 'the request failed: the log has the cause');
  });

  server.get('/v1/segments', { config: { name: 'list' } }, async (request) =>
    segments.list(listQuery.parse(request.query)),
  );
  server.get('/v1/segments/:id', { config: { name: 'describe' } }, async (request, reply) =>
    send(reply, await segments.describe(idOf(request), describeQuery.parse(request.query).country)),
  );
  server.get('/v1/segments/:id/users', { config: { name: 'page' } }, async (request, reply) => {
    const { after = null, ...query } = pageQuery.parse(request.query);
    return send(reply, await segments.page(idOf(request), { ...query, after }));
  });

  server.removeAllContentTypeParsers();
  // Bodies are passed on as received, because the service parses them itself.
  server.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: maxBodyBytes }, (_, body, done) => done(null, body));
  server.post('/v1/actions/:id/batches', { config: { name: 'batch', isSigned: true } }, async (request, reply) =>
    send(reply, await actions.apply(idOf(request), request.headers, bodyOf(request))),
  );
  addRoutes(server);

  return {
    listen: (place) => server.listen(place),
    close: () => server.close(),
  };
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Name of the request in metrics. */
    name?: string;
    /** True for requests of mail recipients, who send no `Authorization` header. */
    isPublic?: true;
    /**
     * True for requests that Muster sends for an action type. They must be signed if `CONNECTORS_SIGNING_SECRET` is
     * set.
     */
    isSigned?: true;
  }
}

function wordsOf({ issues }: z.ZodError): string {
  return issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ');
}

function statusOf(error: unknown): number {
  return error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500;
}

/** Returns a digest. Digests have equal lengths, which a timing-safe comparison requires. */
function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
