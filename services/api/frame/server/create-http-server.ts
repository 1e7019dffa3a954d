import Fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifySchema,
  type FastifySchemaCompiler,
  type FastifySerializerCompiler,
  type RawReplyDefaultExpression,
  type RawRequestDefaultExpression,
  type RawServerDefault,
} from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { z } from 'zod';
import type { Logger } from '../../../../shared/runtime/logger.ts';
import { answerClientError } from './answer-client-error.ts';
import { createAnswerNoRoute, createAnswerProblem, type ExplainError } from './answer-problems.ts';
import { checkShape } from './check-shape.ts';
import { invalidRequest } from '../http-problem.ts';
import { requireUtf8 } from './content-charset.ts';
import { parseJsonBody } from './json-body.ts';
import { isLook } from './same-origin.ts';
import { unstorableTexts } from './unstorable-texts.ts';
import { limitArrival, longestArrivalMs } from './limit-arrival.ts';
import { rememberPaths } from './known-paths.ts';
import { traceIdHeader, traceOfRequest } from './request-trace.ts';

/** A server whose routes are described by zod shapes. */
export type HttpServer = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  ZodTypeProvider
>;

declare module 'fastify' {
  interface FastifyInstance {
    /** Shapes of requests by method and path, of all routes that are registered. */
    requestShapes: Map<string, FastifySchema>;
    /** For the not-found handlers of routes that have hooks of their own. */
    answerNoRoute: ReturnType<typeof createAnswerNoRoute>;
  }
}

export interface HttpServerDeps {
  logger: Logger;
  /** Turns the path that was asked into one of ours, such as below a proxy's. */
  pathOf?: (url: string) => string;
  /** Answers some of what no route does, such as a page of the console; undefined: nothing of it. */
  otherwise?: { isFor(request: FastifyRequest): boolean; send(reply: FastifyReply): FastifyReply } | undefined;
  explain: ExplainError;
}

const maxBodyBytes = 1024 * 1024;

/**
 * What keeps browsers from doing anything with an answer, as the package helmet has it; that needs 7 % of what a short
 * request costs, because it works them out anew for each. Strict-Transport-Security is not among them: the proxy that
 * ends TLS decides about it.
 */
const safeHeaders = {
  'content-security-policy': "default-src 'none';frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'SAMEORIGIN',
  'x-permitted-cross-domain-policies': 'none',
} as const;

/** From the first byte of a request to the end of its head; answers may take as long as they like. */
const headersTimeoutMs = 30_000;

/** Characters of one part of a path, decoded. */
const maxParamLength = 2000;

/** A connection that is used for ever would hold to one of several processes for ever. */
const maxRequestsPerSocket = 10_000;

/**
 * The habits that all routes share: JSON bodies only, every refusal as `application/problem+json`, a request id in and
 * out, and headers that keep browsers from doing anything with the answers.
 */
export function createHttpServer({ logger, explain, pathOf = (url) => url, otherwise }: HttpServerDeps): HttpServer {
  const answerProblem = createAnswerProblem(explain);
  const loggerInstance: FastifyBaseLogger = logger;
  const server = Fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: maxBodyBytes,
    rewriteUrl: ({ url = '/' }) => pathOf(url),
    exposeHeadRoutes: true,
    requestTimeout: longestArrivalMs,
    http: { headersTimeout: headersTimeoutMs },
    maxRequestsPerSocket,
    // A user id has up to 256 bytes; those that break this rule can be asked for too.
    routerOptions: { maxParamLength },
    // The framework's own 503 is no problem document; what still comes in while we stop is answered like the rest.
    return503OnClosing: false,
    clientErrorHandler: answerClientError,
    requestIdHeader: false,
    genReqId: requestIdOf,
    frameworkErrors: answerProblem,
  }).withTypeProvider<ZodTypeProvider>();

  server.setValidatorCompiler(validatorCompiler);
  server.setSerializerCompiler(serializerCompiler);
  // Lines about a request that belongs to a trace say so.
  server.setChildLoggerFactory((parent, bindings, options, { headers }) => {
    const trace = traceOfRequest(headers);
    return parent.child(trace ? { ...bindings, traceId: trace.traceId } : bindings, options);
  });
  server.setErrorHandler(answerProblem);
  const requestShapes = new Map<string, FastifySchema>();
  server.decorate('requestShapes', requestShapes);
  server.addHook('onRoute', ({ method, url, schema }) => {
    if (schema) requestShapes.set(`${String(method)} ${url}`, schema);
  });
  const paths = rememberPaths(server);
  server.decorate(
    'answerNoRoute',
    createAnswerNoRoute((path) => paths.methodsAt(path)),
  );
  server.setNotFoundHandler((request, reply) =>
    otherwise?.isFor(request) ? otherwise.send(reply) : server.answerNoRoute(request, reply),
  );
  server.addHook('onRequest', (request, reply, done) => {
    limitArrival(request, reply);
    reply.header('x-request-id', request.id);
    const trace = traceOfRequest(request.headers);
    if (trace) reply.header(traceIdHeader, trace.traceId);
    reply.headers(safeHeaders);
    done();
  });

  // After all hooks that ask for a key, and before a body is read that nothing is done with.
  server.addHook('preParsing', (request, reply, payload, done) => {
    const isUnread = request.is404 && !isLook(request.method);
    if (isUnread || paths.isSibling(request.routeOptions.url, request.params)) {
      server.answerNoRoute(request, reply);
      return;
    }
    if (!isLook(request.method)) requireUtf8(request.headers['content-type']);
    done(null, payload);
  });

  // A route need not declare its parameters for this check. The parser of JSON checks bodies.
  server.addHook('preValidation', ({ params, query }, _reply, done) => {
    const problems = [...unstorableTexts(params), ...unstorableTexts(query)];
    done(problems.length > 0 ? invalidRequest(problems) : undefined);
  });

  server.removeAllContentTypeParsers();
  server.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    try {
      done(null, parseJsonBody(typeof body === 'string' ? Buffer.from(body) : body));
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)));
    }
  });

  closeConnectionsWithTheirLastAnswer(server);
  return server;
}

/**
 * A connection whose answer was being sent when the server began to close would idle through its keep-alive time, and
 * closing wait for it.
 */
function closeConnectionsWithTheirLastAnswer(server: HttpServer): void {
  let closing = false;
  server.addHook('preClose', (done) => {
    closing = true;
    done();
  });
  server.addHook('onResponse', (_request, _reply, done) => {
    if (closing) server.server.closeIdleConnections();
    done();
  });
}

const requestIdPattern = /^[\x21-\x7e]{1,128}$/;

/** The caller's, so that its logs and ours meet; one of our own where that one does not fit a header or a log line. */
function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && requestIdPattern.test(given) ? given : randomUUID();
}

/** For routes that check their bodies themselves; the rest of the request is checked as everywhere. */
export const bodyAsItCame: FastifySchemaCompiler<unknown> = ({ schema, httpPart }) => {
  if (httpPart === 'body' || !(schema instanceof z.ZodType)) return (value: unknown) => ({ value });
  return validatorOf(schema);
};

const validatorCompiler: FastifySchemaCompiler<z.ZodType> = ({ schema }) => validatorOf(schema);

function validatorOf(schema: z.ZodType) {
  return (value: unknown) => {
    const checked = checkShape(schema, value);
    return checked.ok ? { value: checked.value } : { error: invalidRequest(checked.problems, checked.more) };
  };
}

/**
 * What is sent was typed by the shape already; checking it again would turn a limit that was tightened since into a
 * failure.
 */
const serializerCompiler: FastifySerializerCompiler<z.ZodType> = () => (value) => JSON.stringify(value);
