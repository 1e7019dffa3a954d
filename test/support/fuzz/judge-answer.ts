import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { z } from 'zod';
import type { OpenApiDocument, Operation } from './operations.ts';

export interface Answer {
  status: number;
  /** Content type in the header. */
  contentType: string | undefined;
  headers: Readonly<Record<string, unknown>>;
  /** The body, or the first part of an event stream. */
  body: string;
}

/** Returns the violations of an answer against the API's own document. */
export type JudgeAnswer = (operation: Operation, answer: Answer) => string[];

const problemShape = z.object({
  status: z.number(),
  code: z.string(),
  errors: z.array(z.object({ pointer: z.string(), detail: z.string().min(1) })),
});

/**
 * Creates a judge of answers by an OpenAPI document. A `default` response does not count: an operation has to declare
 * each status.
 */
export function createJudge(document: OpenApiDocument): JudgeAnswer {
  const ajv = new Ajv2020({ strict: false, allErrors: true, logger: false });
  formats.default(ajv);
  ajv.addSchema(document, 'openapi');
  return (operation, { status, contentType, headers, body }) => {
    if (status >= 500) return [`answered ${status}: ${body}`];
    const response = operation.responses[String(status)];
    if (response === undefined) return [`answered ${status}, which is not declared: ${body}`];
    const missing = Object.keys(response.headers).filter(
      (name) => isAlwaysSent(name, status) && !(name.toLowerCase() in headers),
    );
    if (missing.length > 0) return [`${status} has no ${missing.join(', ')}`];
    const declared = Object.keys(response.content);
    if (declared.length === 0) return body === '' ? [] : [`${status} has a body, and none is declared`];
    const type = contentType?.split(';', 1)[0] ?? 'none';
    if (!declared.includes(type)) return [`${status} came as ${type}; declared are ${declared.join(', ')}`];
    const pointer = schemaAt([...operation.pointer, 'responses', String(status), 'content', type, 'schema']);
    if (type === 'text/event-stream') return eventsIn(body).flatMap((event) => unfittingEvent(event, pointer));
    if (type.endsWith('ndjson') || !type.endsWith('json')) return [];
    return unfitting(JSON.parse(body), pointer);
  };

  function unfittingEvent({ name, data }: StreamEvent, pointer: string): string[] {
    const $ref = `${pointer}/x-events/${encodeURIComponent(name)}`;
    try {
      return unfitting(data, $ref);
    } catch {
      return [`the event ${name} is not declared`];
    }
  }

  function unfitting(value: unknown, $ref: string): string[] {
    const validate = ajv.getSchema($ref) ?? ajv.compile({ $ref });
    if (validate(value) !== true) return [`does not fit ${$ref}: ${ajv.errorsText(validate.errors)}`];
    return unnamedFields(value);
  }
}

interface StreamEvent {
  name: string;
  data: unknown;
}

/** Returns the complete events in a part of a stream. */
export function eventsIn(stream: string): StreamEvent[] {
  const blocks = stream.split('\n\n').slice(0, -1);
  return blocks.flatMap((block) => {
    const fields = new Map(
      block.split('\n').map((line) => [line.split(': ', 1)[0], line.slice(line.indexOf(': ') + 2)]),
    );
    const [name, data] = [fields.get('event'), fields.get('data')];
    if (name === undefined || data === undefined) return [];
    const value: unknown = JSON.parse(data);
    return [{ name, data: value }];
  });
}

/** True for headers that every answer with this status has. */
function isAlwaysSent(name: string, status: number): boolean {
  if (name === 'Retry-After') return status === 429 || status === 503;
  return name === 'X-Request-Id';
}

/** Returns the refused fields that the answer does not name. */
function unnamedFields(body: unknown): string[] {
  const problem = problemShape.safeParse(body);
  if (!problem.success || problem.data.code !== 'invalid-request' || problem.data.status !== 422) return [];
  return problem.data.errors.length > 0 ? [] : [`a 422 that names no field: ${JSON.stringify(body)}`];
}

/** Returns the reference to a schema: a JSON pointer as a URI fragment. */
function schemaAt(parts: readonly string[]): string {
  const escaped = parts.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')));
  return `openapi#/${escaped.join('/')}`;
}
