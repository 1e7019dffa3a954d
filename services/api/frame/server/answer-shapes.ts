import { STATUS_CODES } from 'node:http';
import type { Readable } from 'node:stream';
import { z } from 'zod';
import { problem } from '../problems.contract.ts';

export type ProblemStatus = 400 | 401 | 403 | 404 | 409 | 412 | 413 | 415 | 422 | 429 | 503 | 507;

/**
 * How problems are described: all alike. A route names those of its own rules; what follows from its shape is added by
 * `withUsualProblems`, and 500 goes without saying.
 */
export function problems(...statuses: ProblemStatus[]) {
  const content = { 'application/problem+json': { schema: problem } };
  return Object.fromEntries(
    statuses.map((status) => [status, { description: STATUS_CODES[status] ?? 'Problem', content }]),
  );
}

export function jsonAnswer<Shape extends z.ZodType>(description: string, schema: Shape) {
  return { description, content: { 'application/json': { schema } } };
}

/** A text that is written while it is sent, beside JSON in an answer's `content`. */
export const streamed = { schema: z.custom<Readable>().meta({ type: 'string' }) };
