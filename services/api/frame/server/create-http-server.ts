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
import { isReadMethod } from './same-origin.ts';
import { unstorableTexts } from './unstorable-texts.ts';
import { limitArrival, longestArrivalMs } from './limit-arrival.ts';
import { rememberPaths } from './known-paths.ts';
import { traceIdHeader, traceOfRequest } from './request-trace.ts';

/** Server whose routes are described by shapes of zod. */
export type HttpServer = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  ZodTypeProvider
>;

declare module 'fastify' {
  interface FastifyInstance {
    /** Shapes of requests of all registered routes, by method and path. */
    requestShapes: Map<string, FastifySchema>;
    /** Handler of unmatched requests, for plugins that register their own not-found handler. */
    answerNoRoute: ReturnType<typeof createAnswerNoRoute>;
  }
}

export interface HttpServerDeps {
  logger: Logger;
  /** Returns the path by which a request is routed, for example without the base path of a proxy. */
  pathOf?: (url: string) => string;
  /** Handles some requests that match no route, such as those for pages of the console. */
  otherwise?: { isFor(request: FastifyRequest): boolean; send(reply: FastifyReply): FastifyReply } | undefined;
  explain: ExplainError;
}

const maxBodyBytes = 1024 * 1024;

/**
 * Headers that restrict browsers, with the same values as those of the package helmet. The package itself takes 7 % of
 * the time of a short request, because it computes the values each time. Strict-Transport-Security is left to the proxy
 * that terminates TLS.
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

/** Milliseconds from the first byte of a request to the end of its headers. The time of responses is not limited. */
const headersTimeoutMs = 30_000;

/** Maximum characters of one decoded part of a path. */
const maxParamLength = 2000;

/**
 * Maximum number of requests on a connection. Without a limit, a client would use the same one of several processes for
 * ever.
 */
const maxRequestsPerSocket = 10_000;

/** Creates a server with the parts that all routes share: JSON bodies, problems, request ids and safe headers. */
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
    // User ids have up to 256 bytes. The limit is higher, so that a request with a longer id reaches its route, which
    // refuses it.
    routerOptions: { maxParamLength },
    // The framework's own response 503 is not a problem document. Requests that arrive during the stop are served as
    // usual.
    return503OnClosing: false,
    clientErrorHandler: answerClientError,
    requestIdHeader: false,
    genReqId: requestIdOf,
    frameworkErrors: answerProblem,
  }).withTypeProvider<ZodTypeProvider>();

  server.setValidatorCompiler(validatorCompiler);
  server.setSerializerCompiler(serializerCompiler);
  // Adds the id of the trace to the log lines of a request that belongs to a trace.
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

  // This hook runs after all hooks that authenticate. A request for an unknown route is answered here, before its body
  // is read.
  server.addHook('preParsing', (request, reply, payload, done) => {
    const isUnread = request.is404 && !isReadMethod(request.method);
    if (isUnread || paths.isSibling(request.routeOptions.url, request.params)) {
      server.answerNoRoute(request, reply);
      return;
    }
    if (!isReadMethod(request.method)) requireUtf8(request.headers['content-type']);
    done(null, payload);
  });

  // Checks parameters even if the route does not declare them. Texts in bodies are checked by the JSON parser.
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

/** During the stop, closes each connection with its last response instead of waiting for the keep-alive timeout. */
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

/**
 * Returns the request id of the caller, so that the logs of both sides match. Returns a new id if the caller's is
 * unsuitable for a header or a log line.
 */
function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && requestIdPattern.test(given) ? given : randomUUID();
}

/**
 * Accepts any body, for routes whose handler validates the body. The other parts of the request are validated as usual.
 */
export const rawBody: FastifySchemaCompiler<unknown> = ({ schema, httpPart }) => {
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
 * Serializes responses without validation, because stored data may exceed a limit that was lowered after it was stored.
 */
const serializerCompiler: FastifySerializerCompiler<z.ZodType> = () => (value) => JSON.stringify(value);
