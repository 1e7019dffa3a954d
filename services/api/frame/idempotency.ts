import type { FastifyReply, FastifyRequest } from 'fastify';
import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { HttpProblem, quoted } from './http-problem.ts';
import type { HttpServer } from './server/create-http-server.ts';
import type { IdempotentRequests, StoredAnswer } from './postgres/idempotent-requests.ts';

export type { IdempotentRequests };

const keyPattern = /^[\x21-\x7e]{1,255}$/;

/** For the documentation of routes that take it; other headers pass. */
export const idempotentHeaders = z.looseObject({
  'idempotency-key': z
    .string()
    .optional()
    .describe('A repeat with the same key gets the first answer and changes nothing'),
});

/** A request that was begun under its key, and has to be completed or abandoned. */
interface BegunRequest {
  apiKey: string;
  key: string;
  /**
   * What the request creates gets this id, so that a repeat finds it also when this process dies before it has
   * answered.
   */
  createdId: string;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Its answer is not kept, so it takes no `Idempotency-Key`. */
    isAnswerSecret?: true;
  }
  interface FastifyRequest {
    begun: BegunRequest | null;
  }
}

/**
 * `Idempotency-Key` on POST: the first request's answer is kept, a repeat gets it and changes nothing. Only success is
 * kept: a refused request had no effect, and may be made again when what stood in its way is gone. It is asked before
 * the body is checked, so that a repeat is not refused for what has changed since, such as a time that is past by now.
 */
export function addIdempotency(server: HttpServer, requests: IdempotentRequests): void {
  server.decorateRequest('begun', null);

  server.addHook('preValidation', async (request, reply) => {
    const begun = beginningOf(request);
    if (!begun) return;
    const verdict = await requests.begin(begun.apiKey, begun.key, digestOf(request));
    switch (verdict.kind) {
      case 'new':
        request.begun = { ...begun, createdId: verdict.createdId };
        return;
      case 'stored':
        return await repeat(reply, verdict.answer);
      case 'other-body':
        throw reused(begun.key);
      case 'in-progress':
        throw stillRunning(begun.key);
    }
  });

  server.addHook('onSend', async (request, reply, payload) => {
    const { begun } = request;
    if (!begun) return;
    request.begun = null;
    const succeeded = reply.statusCode < 400 && typeof payload === 'string';
    try {
      if (succeeded) await requests.complete(begun.apiKey, begun.key, { status: reply.statusCode, body: payload });
      else await requests.abandon(begun.apiKey, begun.key);
    } catch (error) {
      // The work is done, and its answer is worth more to the caller than the key.
      request.log.warn({ err: error }, 'could not keep the answer of an idempotent request');
    }
  });
}

function beginningOf({
  method,
  headers,
  apiKey,
  routeOptions,
}: FastifyRequest): Pick<BegunRequest, 'apiKey' | 'key'> | undefined {
  const key = headers['idempotency-key'];
  if (
    method !== 'POST' ||
    key === undefined ||
    !apiKey ||
    routeOptions.config.isFrequent ||
    routeOptions.config.isAnswerSecret
  )
    return undefined;
  if (typeof key === 'string' && keyPattern.test(key)) return { apiKey: apiKey.key, key };
  const detail = `the header Idempotency-Key has to be 1 to 255 visible ASCII characters, not ${quoted(key)}`;
  throw new HttpProblem({ status: 400, code: 'invalid-idempotency-key', detail });
}

function digestOf({ method, url, body }: FastifyRequest): string {
  // What is read as it comes cannot be compared before it is read.
  const compared = body instanceof Readable ? null : (body ?? null);
  return hash('sha256', JSON.stringify([method, url, compared]), 'hex');
}

/** What of an answer is also sent as a header. */
const located = z.object({ links: z.object({ self: z.string() }) });

function repeat(reply: FastifyReply, { status, body }: StoredAnswer): FastifyReply {
  const answer = status === 201 ? located.safeParse(JSON.parse(body)).data : undefined;
  if (answer) reply.header('location', answer.links.self);
  return reply.code(status).header('idempotent-replayed', 'true').type('application/json; charset=utf-8').send(body);
}

function reused(key: string): HttpProblem {
  const detail = `Idempotency-Key ${quoted(key)} was used for another request; take a new one`;
  return new HttpProblem({ status: 422, code: 'idempotency-key-reused', detail });
}

function stillRunning(key: string): HttpProblem {
  const detail = `the first request with Idempotency-Key ${quoted(key)} has not been answered yet; try again in a moment`;
  return new HttpProblem({ status: 409, code: 'request-in-progress', detail, headers: { 'retry-after': '1' } });
}
