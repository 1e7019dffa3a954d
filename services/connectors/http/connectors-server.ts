import { timingSafeEqual, createHash } from 'node:crypto';
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { z } from 'zod';
import { largestPage } from '../../../shared/contracts/endpoints/segmentation.ts';
import { countryPattern } from '../../../shared/domain/endpoint/shard.ts';
import type { CheckSignature } from '../../../shared/domain/endpoint/require-signature.ts';
import type { Meter } from '../../../shared/ports/meter.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import { connectorsMetrics } from '../report/metrics.ts';
import type { ActionAnswer, ActionService } from '../sql-action/action-service.ts';
import type { Answer, SegmentService } from '../segments/segment-service.ts';

export interface ConnectorsServerDeps {
  segments: SegmentService;
  actions: ActionService;
  /** Undefined: requests need no `Authorization` header. */
  authorization: string | undefined;
  /** Undefined: batches need no signature. */
  checkSignature: CheckSignature | undefined;
  meter: Meter;
  logger: Logger;
}

export interface ConnectorsServer {
  /** Resolves with the base URL, `http://host:port`, with the actual port. */
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
  // No user id has this character, and Postgres takes no text with it.
  after: z
    .string()
    .refine((text) => !text.includes('\0'), 'must not contain U+0000')
    .optional(),
  limit: limitUpTo(largestPage, 1000),
});
/** Room for 1,000 ids and the parameters of a batch. */
const maxBodyBytes = 4 * 1024 * 1024;

const idPath = z.object({ id: z.string() });

/** Longer than callers keep idle connections: a request sent just when the server closes one would be lost. */
const keepAliveMs = 65_000;

export function createConnectorsServer({
  segments,
  actions,
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
    if (expected === undefined || timingSafeEqual(digestOf(request.headers.authorization ?? ''), expected)) return;
    await problem(reply, 401, 'unauthorized', 'the Authorization header is not the one of CONNECTORS_AUTHORIZATION');
  });
  server.addHook('onResponse', (request, reply, done) => {
    const { name } = request.routeOptions.config;
    if (name !== undefined)
      seconds.of({ request: name, status: String(reply.statusCode) }).observe(reply.elapsedTime / 1000);
    done();
  });
  server.setNotFoundHandler((_, reply) => problem(reply, 404, 'not-found', 'there is nothing here'));
  server.setErrorHandler((error, request, reply) => {
    if (error instanceof z.ZodError) return problem(reply, 400, 'bad-query', wordsOf(error));
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
  // The service reads the body as it was sent.
  server.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: maxBodyBytes }, (_, body, done) => done(null, body));
  server.post('/v1/actions/:id/batches', { config: { name: 'batch' } }, async (request, reply) => {
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    const unsigned = checkSignature?.(request.headers, body) ?? null;
    if (unsigned !== null) return problem(reply, 401, 'bad-signature', unsigned);
    return send(reply, await actions.apply(idOf(request), request.headers, body));
  });

  return {
    listen: (place) => server.listen(place),
    close: () => server.close(),
  };
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Name of the request in metrics. */
    name?: string;
  }
}

function idOf(request: FastifyRequest): string {
  return idPath.parse(request.params).id;
}

function send(reply: FastifyReply, answer: Answer<object> | ActionAnswer): FastifyReply {
  if (answer.ok) return reply.send(answer.value);
  const { status, code, message, retryAfterSeconds } = answer.refusal;
  if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds);
  return problem(reply, status, code, message);
}

function problem(reply: FastifyReply, status: number, code: string, message: string): FastifyReply {
  return reply.code(status).send({ code, message });
}

function wordsOf({ issues }: z.ZodError): string {
  return issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ');
}

function statusOf(error: unknown): number {
  return error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : 500;
}

/** Digests have one length, which the comparison requires. */
function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
