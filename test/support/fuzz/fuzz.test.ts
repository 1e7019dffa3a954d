import { describe, expect, it } from 'vitest';
import { fc } from '../properties.ts';
import { createJudge } from './judge-answer.ts';
import { operationsOf, readDocument } from './operations.ts';
import { createRequestFit, undeclaredRefusals } from './request-fit.ts';
import { requestsFor } from './request-arbitraries.ts';

const problem = {
  type: 'object',
  properties: { status: { type: 'integer' }, code: { type: 'string' }, errors: { type: 'array' } },
  required: ['status', 'code', 'errors'],
};
const thing = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] };
const json = (name: string) => ({ schema: { $ref: `#/components/schemas/${name}` } });
const document = readDocument({
  openapi: '3.1.0',
  paths: {
    '/things/{id}': {
      put: {
        operationId: 'putThing',
        'x-refusals': { 'id-taken': 'another thing has the id' },
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' }, description: 'thg_…' }],
        requestBody: { content: { 'application/json': json('Thing') } },
        responses: {
          200: { content: { 'application/json': json('Thing') } },
          204: {},
          422: { content: { 'application/problem+json': json('Problem') } },
          default: { content: { 'application/problem+json': json('Problem') } },
        },
      },
    },
  },
  components: { schemas: { Thing: thing, Problem: problem } },
});
const [operation] = operationsOf(document);
if (operation === undefined) throw new Error('the document has an operation');

describe('the check of a response against the OpenAPI document', () => {
  const judge = createJudge(document);
  const judged = (status: number, body: unknown, contentType = 'application/json; charset=utf-8') =>
    judge(operation, { status, contentType, headers: {}, body: body === undefined ? '' : JSON.stringify(body) });
  const refusal = { status: 422, code: 'invalid-request', errors: [{ pointer: '/id', detail: 'is missing' }] };
  const asProblem = 'application/problem+json';

  it('accepts a response that matches the document', () => {
    expect(judged(200, { id: 'thg_1', more: true })).toEqual([]);
    expect(judged(204, undefined)).toEqual([]);
    expect(judged(422, refusal, asProblem)).toEqual([]);
  });

  it.each([
    ['it is a 500', 500, refusal, asProblem, 'answered 500'],
    ['its status is covered only by the default', 409, refusal, asProblem, 'answered 409, which is not declared'],
    ['its status is not declared', 202, { id: 'thg_1' }, 'application/json', 'answered 202, which is not declared'],
    ['its body lacks a field', 200, {}, 'application/json', "must have required property 'id'"],
    ['its body is of another type', 200, { id: 1 }, 'application/json', 'id must be string'],
    ['it has a body that is not declared', 204, { id: 'thg_1' }, 'application/json', '204 has a body'],
    ['it has another content type', 422, refusal, 'application/json', '422 came as application/json'],
    [
      'it is a validation error without a field',
      422,
      { ...refusal, errors: [] },
      asProblem,
      'a 422 that names no field',
    ],
  ])('rejects a response if %s', (_fault, status, body, contentType, complaint) => {
    expect(judged(status, body, contentType)).toEqual([expect.stringContaining(complaint)]);
  });
});

describe('the check of a refusal for a request that the OpenAPI document allows', () => {
  const refused = (code: string) =>
    undeclaredRefusals(
      operation,
      JSON.stringify({
        code: 'invalid-request',
        detail: 'the request has problems',
        errors: [{ pointer: '/id', code, detail: 'is taken' }],
      }),
    );

  it('reports the refusal unless the operation declares its code', () => {
    expect(refused('id-taken')).toEqual([]);
    expect(refused('invalid-value')).toEqual(['/id invalid-value: is taken']);
  });

  it('requires that parameters and body match their schemas', () => {
    const fit = createRequestFit(document);
    const allows = (id: string, body: string, query: [string, string][] = []) =>
      fit.allows(operation, { path: { id }, query, headers: {}, type: 'application/json', body });
    expect(allows('thg_1', '{"id":"thg_1"}')).toBe(true);
    expect([allows('thg_1', '{}'), allows('thg_1', '{'), allows('thg_1', '{"id":"thg_1"}', [['q', 'x']])]).toEqual([
      false,
      false,
      false,
    ]);
  });
});

describe('random requests', () => {
  const drawn = (seed: number) =>
    fc.sample(requestsFor(operation, document, { inPaths: {}, elsewhere: {} }, createRequestFit(document)), {
      seed,
      numRuns: 60,
    });

  it('are identical for the same seed and differ for another', () => {
    expect(drawn(7)).toEqual(drawn(7));
    expect(drawn(7)).not.toEqual(drawn(8));
  });

  it('contain requests that match the schemas and requests that do not', () => {
    const fits = (body: string | undefined) => /^\{"id":"[^]*"\}$/.test(body ?? '');
    const fitting = drawn(7).filter(({ isFitting }) => isFitting);
    const bent = drawn(7).filter(({ isFitting }) => !isFitting);
    expect(fitting.length).toBeGreaterThan(10);
    expect(fitting.every(({ body }) => fits(body))).toBe(true);
    expect(bent.filter(({ body }) => !fits(body)).length).toBeGreaterThan(10);
  });
});
