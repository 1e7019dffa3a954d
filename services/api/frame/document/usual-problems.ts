import type { FastifySchema, RouteOptions } from 'fastify';
import { z } from 'zod';
import { problems, type ProblemStatus } from './answer-shapes.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Statuses that this function would add, but that the route never sends. */
    never?: readonly ProblemStatus[];
  }
}

/**
 * Adds the problems that follow from the key, path, body and preconditions of a route. A route itself lists only
 * problems of its own rules, such as a state that forbids the request.
 */
export function withUsualProblems(schema: FastifySchema, { method, config }: RouteOptions): FastifySchema {
  if (config?.role === undefined) return schema;
  const never = new Set(config.never);
  // A body that is read as a stream can exceed the time limit for its arrival.
  const ofUploads: ProblemStatus[] = config.uploads === undefined ? [] : [408];
  const statuses = [...usualStatuses(schema, String(method)), ...ofUploads].filter((status) => !never.has(status));
  return { ...schema, response: { ...problems(...statuses), ...fieldsIn(schema.response) } };
}

const withBody = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

function usualStatuses(schema: FastifySchema, method: string): ProblemStatus[] {
  const headers = schema.headers instanceof z.ZodObject ? schema.headers.shape : {};
  const isRepeatable = 'idempotency-key' in headers;
  // A path or a query with a text that Postgres cannot store is refused, even if the route does not read it.
  const statuses: ProblemStatus[] = [401, 422, 429];
  if (schema.params !== undefined) statuses.push(404);
  // Any request with one of these methods may have a body, which must be JSON of limited size with exact numbers.
  if (withBody.has(method)) statuses.push(400, 413, 415);
  // 409: the idempotency key was used for another request, or its first request is still running.
  if (isRepeatable) statuses.push(409);
  if ('if-match' in headers) statuses.push(412);
  return statuses;
}

function fieldsIn(response: unknown): object {
  return typeof response === 'object' && response !== null ? response : {};
}
