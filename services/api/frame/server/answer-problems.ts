import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { HttpProblem, problemBody, quoted } from '../http-problem.ts';
import type { KnownPaths } from './known-paths.ts';
import { traceOfRequest } from './request-trace.ts';

/**
 * Errors of the framework that are the caller's, in our words. Those not named here keep their status and their
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
    detail: 'the body is not as long as its content-length says',
  }),
  FST_ERR_BAD_URL: ({ url }) => ({ code: 'malformed-url', detail: `${quoted(url)} is no URL path` }),
};

/** Names the errors that are no bug, such as a database that cannot be reached. */
export type ExplainError = (error: unknown) => HttpProblem | undefined;

/**
 * Answers whatever was thrown. Only what is our own fault is logged, with its cause; the caller gets the request id.
 */
export function createAnswerProblem(explain: ExplainError) {
  return (error: FastifyError, request: FastifyRequest, reply: FastifyReply): void => {
    const explained = error instanceof HttpProblem ? undefined : explain(error);
    const problem = explained ?? problemOf(error, request);
    const { method, url } = request;
    if (problem.status >= 500 && explained)
      request.log.warn({ cause: error.message, method, url }, 'request could not be carried out now');
    else if (problem.status >= 500 && !(error instanceof HttpProblem))
      request.log.error({ err: error, method, url }, 'request failed');
    // The framework closes the connection where it has not read the body. Bytes that still come would be answered with
    // a reset, which a sender that is still writing sees instead of this answer. They are read on, for at most thirty
    // seconds.
    void reply.removeHeader('connection');
    send(problem, request, reply);
  };
}

/** 405 where the path is known and the method is not, otherwise 404. */
export function createAnswerNoRoute(methodsAt: KnownPaths['methodsAt']) {
  return (request: FastifyRequest, reply: FastifyReply): void => send(noRoute(request, methodsAt), request, reply);
}

function send(problem: HttpProblem, request: FastifyRequest, reply: FastifyReply): void {
  void reply
    .code(problem.status)
    // Hooks have set it already, except where the URL was so wrong that they did not run.
    .header('x-request-id', request.id)
    .headers(problem.headers)
    // A string, so that the route's own answer shapes have no say in it.
    .type('application/problem+json; charset=utf-8')
    .send(JSON.stringify(problemBody(problem, request.id, traceOfRequest(request.headers)?.traceId)));
}

function problemOf(error: FastifyError, request: FastifyRequest): HttpProblem {
  if (error instanceof HttpProblem) return error;
  const status = error.statusCode ?? 500;
  if (status < 400 || status >= 500) {
    return new HttpProblem({ status: 500, code: 'internal-error', detail: 'something went wrong on our side' });
  }
  const said = known[error.code]?.(request) ?? { code: 'malformed-request', detail: error.message };
  return new HttpProblem({ status, ...said });
}

function noRoute({ method, url }: FastifyRequest, methodsAt: KnownPaths['methodsAt']): HttpProblem {
  const [path = ''] = url.split('?');
  const allowed = methodsAt(path).join(', ');
  if (allowed === '') {
    const detail = `there is no ${method} ${quoted(path)}; /openapi.json lists what there is`;
    return new HttpProblem({ status: 404, code: 'no-such-route', detail });
  }
  const detail = `${quoted(path)} does not take ${method}, but ${allowed}`;
  return new HttpProblem({ status: 405, code: 'method-not-allowed', detail, headers: { allow: allowed } });
}
