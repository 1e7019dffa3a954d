import type { FastifyReply, FastifyRequest } from 'fastify';
import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { HttpProblem, quoted } from '../http-problem.ts';
import type { HttpServer } from './create-http-server.ts';
import type { IdempotentRequests, StoredAnswer } from '../postgres/idempotent-requests.ts';
import { refusals } from '../../../../shared/contracts/stated-rules.ts';

export type { IdempotentRequests };

const keyPattern = /^[\x21-\x7e]{1,255}$/;

/** Headers of routes that accept an idempotency key. Other headers are accepted, too. */
export const idempotentHeaders = headersWith(
  'A repeated request with the same key returns the first answer and changes nothing',
);

/**
 * Headers of routes whose response contains a secret. Such a response is not stored, so a repeat does not receive it.
 */
export const headersOfSecretAnswers = headersWith(
  'A repeated request with the same key changes nothing and is refused with 409 `secret-not-kept`, because the answer contains a secret',
);

function headersWith(description: string) {
  return z.looseObject({
    'idempotency-key': z
      .string()
      .optional()
      .describe(description)
      .meta({
        pattern: keyPattern.source,
        ...refusals({ 'idempotency-key-reused': 'the `Idempotency-Key` was used for another request' }),
      }),
  });
}

/** Request that was begun under its key. It must be completed or abandoned. */
interface BegunRequest {
  apiKey: string;
  key: string;
  /** Id for the created object. A repeat finds the object by this id even if this process dies before it responds. */
  createdId: string;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The response contains a secret and is not stored, so a repeat with the same key is refused. */
    isAnswerSecret?: true;
    /** The request changes nothing. Its key is ignored, and its response is not stored. */
    changesNothing?: true;
  }
  interface FastifyRequest {
    begun: BegunRequest | null;
  }
}

/**
 * Implements `Idempotency-Key` for POST: the first response is stored, and a repeat receives the same response without
 * another effect. Only successful responses are stored: a refused request had no effect, and may be repeated. The key
 * is looked up before the body is validated, so that a repeat is not refused because of later changes, such as a time
 * that has passed. If the response contains a secret, only the fact that the request had, or may have had, an effect is
 * stored. A repeat is then refused and creates nothing. For such routes, a status of 500 or more counts as an effect,
 * and no other process continues the request after a crash.
 */
export function addIdempotency(server: HttpServer, requests: IdempotentRequests): void {
  server.decorateRequest('begun', null);

  server.addHook('preValidation', async (request, reply) => {
    const begun = beginningOf(request);
    if (!begun) return;
    const isSecret = request.routeOptions.config.isAnswerSecret === true;
    const verdict = await requests.begin(begun.apiKey, begun.key, digestOf(request), !isSecret);
    switch (verdict.kind) {
      case 'new':
        request.begun = { ...begun, createdId: verdict.createdId };
        return;
      case 'stored':
        if (isSecret) throw secretNotKept(begun.key, verdict.answer);
        return await repeat(reply, verdict.answer);
      case 'other-body':
        throw reused(begun.key);
      case 'in-progress':
        throw stillRunning(begun.key);
      case 'broken-off':
        throw isSecret ? secretNotKept(begun.key, undefined) : stillRunning(begun.key);
    }
  });

  server.addHook('onSend', async (request, reply, payload) => {
    const { begun } = request;
    if (!begun) return;
    request.begun = null;
    const answer = keptAnswer(request, reply, payload);
    try {
      if (answer) await requests.complete(begun.apiKey, begun.key, answer);
      else await requests.abandon(begun.apiKey, begun.key);
    } catch (error) {
      // The request had its effect, so the caller receives the response even if the key could not be stored.
      request.log.warn({ err: error }, 'could not keep the answer of an idempotent request');
    }
  });
}

/** Returns the part of a response to store; undefined if the request had no effect and may be repeated. */
function keptAnswer({ routeOptions }: FastifyRequest, reply: FastifyReply, payload: unknown): StoredAnswer | undefined {
  const { statusCode: status } = reply;
  if (routeOptions.config.isAnswerSecret) {
    const isRefused = status >= 400 && status < 500;
    return isRefused ? undefined : { status, body: JSON.stringify({ location: reply.getHeader('location') }) };
  }
  return status < 400 && typeof payload === 'string' ? { status, body: payload } : undefined;
}

function beginningOf({
  method,
  headers,
  apiKey,
  routeOptions,
}: FastifyRequest): Pick<BegunRequest, 'apiKey' | 'key'> | undefined {
  const key = headers['idempotency-key'];
  const { isFrequent, changesNothing } = routeOptions.config;
  if (method !== 'POST' || key === undefined || !apiKey || isFrequent || changesNothing) return undefined;
  if (typeof key === 'string' && keyPattern.test(key)) return { apiKey: apiKey.key, key };
  const detail = `the header Idempotency-Key has to be 1 to 255 visible ASCII characters, not ${quoted(key)}`;
  throw new HttpProblem({ status: 400, code: 'invalid-idempotency-key', detail });
}

function digestOf({ method, url, body }: FastifyRequest): string {
  // A body that is read as a stream cannot be compared before it is read.
  const compared = body instanceof Readable ? null : (body ?? null);
  return hash('sha256', JSON.stringify([method, url, compared]), 'hex');
}

/** Part of a response body that is also sent as the header `Location`. */
const located = z.object({ links: z.object({ self: z.string() }) });

function repeat(reply: FastifyReply, { status, body }: StoredAnswer): FastifyReply {
  const answer = status === 201 ? located.safeParse(JSON.parse(body)).data : undefined;
  if (answer) reply.header('location', answer.links.self);
  return reply.code(status).header('idempotent-replayed', 'true').type('application/json; charset=utf-8').send(body);
}

function reused(key: string): HttpProblem {
  const detail = `Idempotency-Key ${quoted(key)} was used for another request; use a new one`;
  return new HttpProblem({ status: 422, code: 'idempotency-key-reused', detail });
}

function stillRunning(key: string): HttpProblem {
  const detail = `the first request with Idempotency-Key ${quoted(key)} is still in progress; try again in a moment`;
  return new HttpProblem({ status: 409, code: 'request-in-progress', detail, headers: { 'retry-after': '1' } });
}

const keptOfSecret = z.object({ location: z.string().optional() });

/**
 * Returns the problem for a repeat whose response would contain a secret.
 * @param answer stored part of the first response; undefined if the first request has no response
 */
function secretNotKept(key: string, answer: StoredAnswer | undefined): HttpProblem {
  const isDone = answer !== undefined && answer.status < 400;
  const location = isDone ? keptOfSecret.parse(JSON.parse(answer.body)).location : undefined;
  const effect = isDone ? 'took effect' : 'may have taken effect';
  const made = location === undefined ? '' : ` (${location})`;
  const detail =
    `the first request with Idempotency-Key ${quoted(key)} ${effect}${made}. Its answer contains a secret, which is not ` +
    'stored. If you do not have the secret, delete the created resource and send a new Idempotency-Key';
  return new HttpProblem({ status: 409, code: 'secret-not-kept', detail });
}
