import type { FastifySchema, RouteOptions } from 'fastify';
import { z } from 'zod';
import { problems, type ProblemStatus } from './answer-shapes.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Statuses that would follow from what the route takes, and that it never answers. */
    never?: readonly ProblemStatus[];
  }
}

/**
 * How the problems are described that follow from what a route takes: its key, its path, its body, its preconditions. A
 * route itself says only what follows from its own rules, such as a state that forbids it.
 */
export function withUsualProblems(schema: FastifySchema, { method, config }: RouteOptions): FastifySchema {
  if (config?.role === undefined) return schema;
  const never = new Set(config.never);
  // A body that is read as it comes may come too slowly.
  const ofUploads: ProblemStatus[] = config.uploads === undefined ? [] : [408];
  const statuses = [...usualStatuses(schema, String(method)), ...ofUploads].filter((status) => !never.has(status));
  return { ...schema, response: { ...problems(...statuses), ...fieldsIn(schema.response) } };
}

const withBody = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

function usualStatuses(schema: FastifySchema, method: string): ProblemStatus[] {
  const headers = schema.headers instanceof z.ZodObject ? schema.headers.shape : {};
  const isRepeatable = 'idempotency-key' in headers;
  // Texts that no table can hold are refused in each path and query, also in one that the route does not read.
  const statuses: ProblemStatus[] = [401, 422, 429];
  if (schema.params !== undefined) statuses.push(404);
  // A body may come whether one is expected or not: JSON of a bearable size, with numbers that can be kept.
  if (withBody.has(method)) statuses.push(400, 413, 415);
  // A key that was used for another request, or whose first request is still being carried out.
  if (isRepeatable) statuses.push(409);
  if ('if-match' in headers) statuses.push(412);
  return statuses;
}

function fieldsIn(response: unknown): object {
  return typeof response === 'object' && response !== null ? response : {};
}
