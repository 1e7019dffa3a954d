import { STATUS_CODES } from 'node:http';
import type { Readable } from 'node:stream';
import { z } from 'zod';
import { problem } from '../problems.contract.ts';

export type ProblemStatus = 400 | 401 | 403 | 404 | 408 | 409 | 412 | 413 | 415 | 422 | 429 | 503 | 507;

/**
 * Describes the problem responses of a route, which all have the same form. The route lists the statuses of its own
 * rules. `withUsualProblems` adds the others. Status 500 is never listed.
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

/**
 * Schema of a response text that is generated while it is sent, as an alternative to JSON in a response's `content`.
 */
export const streamed = { schema: z.custom<Readable>().meta({ type: 'string' }) };

/**
 * Describes server-sent events, as an alternative to JSON in a response's `content`. Generated clients read the schema
 * as that of an event's data. `x-events` contains the schema of the data by the name of the event.
 * @param events shapes by event name; they must be components of the document
 */
export function eventStream(events: Readonly<Record<string, z.ZodType>>) {
  const refs = Object.entries(events).map(([name, shape]) => [name, { $ref: componentOf(shape) }] as const);
  const description = `JSON after \`data:\`, by the name after \`event:\`: ${Object.keys(events).join(', ')}`;
  const anyOf = refs.map(([, ref]) => ref);
  return { schema: z.custom<Readable>().meta({ description, anyOf, 'x-events': Object.fromEntries(refs) }) };
}

function componentOf(shape: z.ZodType): string {
  const id = shape.meta()?.id;
  if (id === undefined) throw new TypeError('the data of an event has to be a component');
  return `#/components/schemas/${id}`;
}
