import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { describedApi } from '../../../services/api/api-document.ts';
import { checkShape } from '../../../services/api/frame/server/check-shape.ts';
import { fc } from '../properties.ts';
import type { JsonValue } from './json.ts';
import { operationsOf, readDocument, type Operation } from './operations.ts';
import { createRequestFit } from './request-fit.ts';
import { fewOrMany, fitting } from './schema-arbitraries.ts';

/** Number of values for each part of each operation; `FUZZ_RUNS` overrides it. */
const numRuns = Number(process.env['FUZZ_RUNS'] ?? 12);

const { document: written, shapes } = await describedApi();
const document = readDocument(written);
const fit = createRequestFit(document);
const terms = { schemas: document.components.schemas, words: {} };

describe('a value that the schemas of an operation allow', () => {
  const parts = operationsOf(document).flatMap((operation) => {
    const shape = shapes.get(`${operation.method} ${operation.path.replaceAll(/\{(\w+)\}/g, ':$1')}`);
    const { body, params, querystring, headers } = shape ?? {};
    const places = { path: params, query: querystring, header: headers } as const;
    const inHead = (['path', 'query', 'header'] as const).map((place) => ({
      part: place,
      shape: places[place],
      values: textsIn(operation, place),
    }));
    const schema = operation.requestBody?.content['application/json']?.schema;
    const ofBody = schema === undefined ? [] : [{ part: 'body', shape: body, values: valuesOf(schema) }];
    return [...inHead, ...ofBody].flatMap(({ shape: of, ...rest }) =>
      of instanceof z.ZodType ? [{ operation, name: `${operation.method} ${operation.path}`, shape: of, ...rest }] : [],
    );
  });

  it.each(parts)('is refused by its shape only for documented rules: $name, $part', (each) => {
    const { operation, shape, values } = each;
    fc.assert(
      fc.property(values, (value) => {
        const checked = checkShape(shape, value);
        if (checked.ok) return;
        const undeclared = checked.problems.filter(({ code }) => !Object.hasOwn(operation['x-refusals'], code));
        expect(undeclared).toEqual([]);
      }),
      { numRuns },
    );
  });
});

function valuesOf(schema: JsonValue): fc.Arbitrary<JsonValue> {
  return fitting(schema, terms).filter((value) => fit.fitsSchema(schema, value));
}

/** Converts values to texts, because a URL or a header holds nothing else. */
function textsIn({ parameters }: Operation, place: 'path' | 'query' | 'header'): fc.Arbitrary<Record<string, string>> {
  const declared = parameters.filter((each) => each.in === place);
  const values = declared.map(({ name, schema }) => {
    const texts = fitting(schema, terms, name).filter((value) => fit.fitsSchema(schema, value));
    return [name, texts.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))] as const;
  });
  const needed = declared.flatMap(({ name, required }) => (required ? [name] : []));
  return fewOrMany(Object.fromEntries(values), needed);
}
