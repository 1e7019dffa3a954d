import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { HttpProblem, problemBody, quoted } from '../http-problem.ts';
import type { KnownPaths } from './known-paths.ts';
import { traceOfRequest } from './request-trace.ts';

/**
 * Muster's own texts for the framework's errors about requests, by error code. Other errors keep their status and
 * message.
 */
const known: Record<string, (request: FastifyRequest) => { code: string; detail: string }> = {
  FST_ERR_CTP_BODY_TOO_LARGE: () => ({ code: 'body-too-large', detail: 'the body is larger than 1 MiB' }),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ({ headers }) => ({
    code: 'unsupported-media-type',
    detail: `content-type is ${quoted(headers['content-type'])}, and has to be application/json`,
  }),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () => ({
    code: 'malformed-request',
    detail: 'the length of the body differs from its content-length',
  }),
  FST_ERR_BAD_URL: ({ url }) => ({ code: 'malformed-url', detail: `${quoted(url)} is not a URL path` }),
};

/** Returns the problem for an error that is not a bug, such as an unreachable database. Undefined for other errors. */
export type ExplainError = (error: unknown) => HttpProblem | undefined;

/**
 * Creates the handler that sends a problem for each error. Only faults of the server are logged; their problem contains
 * the id of the request.
 */
export function createAnswerProblem(explain: ExplainError) {
  return (error: FastifyError, request: FastifyRequest, reply: FastifyReply): void => {
    const explained = error instanceof HttpProblem ? undefined : explain(error);
    const problem = explained ?? problemOf(error, request);
    const { method, url } = request;
    if (problem.status >= 500 && explained)
      request.log.warn({ cause: error.message, method, url }, 'request could not be processed now');
    else if (problem.status >= 500 && !(error instanceof HttpProblem))
      request.log.error({ err: error, method, url }, 'request failed');
    // The framework would close the connection if the body has not been read. Bytes that arrive later would then reset
    // the connection, and a sender that is still writing would see the reset instead of this response. So the rest of
    // the body is read, for at most thirty seconds.
    void reply.removeHeader('connection');
    send(problem, request, reply);
  };
}

/** Creates the handler of unmatched requests. It sends 405 for a known path with another method, otherwise 404. */
export function createAnswerNoRoute(methodsAt: KnownPaths['methodsAt']) {
  return (request: FastifyRequest, reply: FastifyReply): void => send(noRoute(request, methodsAt), request, reply);
}

function send(problem: HttpProblem, request: FastifyRequest, reply: FastifyReply): void {
  void reply
    .code(problem.status)
    // Hooks usually have set this header. They do not run if the URL is malformed.
    .header('x-request-id', request.id)
    .headers(problem.headers)
    // The body is sent as a string, so that the framework does not apply the serializer of the route.
    .type('application/problem+json; charset=utf-8')
    .send(JSON.stringify(problemBody(problem, request.id, traceOfRequest(request.headers)?.traceId)));
}

function problemOf(error: FastifyError, request: FastifyRequest): HttpProblem {
  if (error instanceof HttpProblem) return error;
  const status = error.statusCode ?? 500;
  if (status < 400 || status >= 500) {
    return new HttpProblem({ status: 500, code: 'internal-error', detail: 'an internal error occurred' });
  }
  const facts = known[error.code]?.(request) ?? { code: 'malformed-request', detail: error.message };
  return new HttpProblem({ status, ...facts });
}

function noRoute({ method, url }: FastifyRequest, methodsAt: KnownPaths['methodsAt']): HttpProblem {
  const [path = ''] = url.split('?');
  const allowed = methodsAt(path).join(', ');
  if (allowed === '') {
    const detail = `there is no ${method} ${quoted(path)}; /openapi.json lists all operations`;
    return new HttpProblem({ status: 404, code: 'no-such-route', detail });
  }
  const detail = `${quoted(path)} does not support ${method}, only ${allowed}`;
  return new HttpProblem({ status: 405, code: 'method-not-allowed', detail, headers: { allow: allowed } });
}
