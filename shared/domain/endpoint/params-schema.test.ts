import { describe, expect, it } from 'vitest';
import { paramsSchemaProblems, schemaDialect } from './params-schema.ts';

/** `path message`, a line each. */
const problemsOf = (schema: unknown) =>
  paramsSchemaProblems(schema).map(({ path, message }) => `/${path.join('/')} ${message}`);

describe('a schema of parameters', () => {
  it.each<[string, object]>([
    ['nothing at all', {}],
    [
      'a reward',
      { type: 'object', required: ['rewardId'], properties: { rewardId: { type: 'string', minLength: 1 } } },
    ],
    ['its dialect', { $schema: schemaDialect, title: 'Points', examples: [{ points: 1 }] }],
    [
      'choices',
      { oneOf: [{ required: ['a'] }, { required: ['b'] }], not: { required: ['a', 'b'] }, if: true, then: {} },
    ],
    [
      'lists',
      { properties: { tags: { type: ['array', 'null'], uniqueItems: true, maxItems: 20, items: { enum: ['a'] } } } },
    ],
    ['parts of its own', { $defs: { id: { type: 'string' } }, properties: { a: { $ref: '#/$defs/id' } } }],
    ['where its options are', { properties: { id: { type: 'string', 'x-options': '/v1/options' } } }],
    ['where those of a part are', { $defs: { id: { type: 'integer', 'x-options': 'https://x.test/ids' } } }],
    ['properties that are called like keywords', { properties: { $ref: { type: 'string' }, enum: {}, pattern: {} } }],
    ['values that look like schemas', { const: { $ref: 'x' }, default: { pattern: 1 }, enum: [{ type: 'x' }] }],
    [
      'patterns and formats',
      { patternProperties: { '^x-': { format: 'date' } }, propertyNames: { pattern: '^[a-z]+$' } },
    ],
  ])('may say %s', (_name, schema) => {
    expect(problemsOf(schema)).toEqual([]);
  });

  it.each<[string, unknown, string]>([
    ['no object', true, '/ has to be a schema: an object'],
    [
      'a keyword that nobody knows',
      { properties: { a: { minimun: 1 } } },
      '/properties/a/minimun is not accepted here',
    ],
    ['a name for others', { $id: 'https://x.test' }, '/$id is not accepted here'],
    [
      'another dialect',
      { $schema: 'http://json-schema.org/draft-07/schema#' },
      '/$schema has to be https://json-schema',
    ],
    [
      'a type that there is not',
      { properties: { a: { type: 'int' } } },
      '/properties/a/type has to be object or array',
    ],
    ['no type', { type: [] }, '/type has to be object or array'],
    [
      'options that are nowhere',
      { properties: { a: { type: 'string', 'x-options': 'ftp://x' } } },
      '/properties/a/x-options has to be an http',
    ],
    ['options of all', { type: 'string', 'x-options': '/o' }, '/x-options has to stand at a parameter'],
    [
      'options of items',
      { properties: { a: { items: { type: 'string', 'x-options': '/o' } } } },
      '/properties/a/items/x-options has to stand at a parameter',
    ],
    [
      'options of a list',
      { properties: { a: { type: 'array', 'x-options': '/o' } } },
      '/properties/a/x-options needs the type string',
    ],
    ['a bound that is no number', { minimum: '1' }, '/minimum has to be a number'],
    ['a length below 0', { minLength: -1 }, '/minLength has to be a whole number from 0'],
    ['multiples of 0', { multipleOf: 0 }, '/multipleOf has to be a number above 0'],
    ['names that are none', { required: [1] }, '/required has to be a list of names'],
    ['names by name that are none', { dependentRequired: { a: 'b' } }, '/dependentRequired has to be an object'],
    ['no values', { enum: [] }, '/enum has to be a list of values'],
    ['schemas that are none', { properties: [] }, '/properties has to be an object with a schema for each name'],
    ['a schema that is none', { allOf: [{}, 1] }, '/allOf/1 has to be a schema'],
    ['no schemas', { anyOf: [] }, '/anyOf has to be a list of schemas'],
    ['a format that nobody checks', { format: 'regex' }, '/format has to be date-time or date'],
    ['another’s schema', { items: { $ref: 'https://x.test/y' } }, '/items/$ref has to be #/$defs/<name>'],
    ['itself', { properties: { a: { $ref: '#' } } }, '/properties/a/$ref has to be #/$defs/<name>'],
    ['a part that is not there', { $ref: '#/$defs/a' }, '/$ref refers to what is not there: $defs has no a'],
    ['parts in parts', { items: { $defs: {} } }, '/items/$defs has to stand at the top'],
    ['a part of itself', { $defs: { a: { items: { $ref: '#/$defs/a' } } } }, '/$defs/a contains itself'],
    ['a pattern that may take for ever', { pattern: '^(a+)+$' }, '/pattern must not repeat a group'],
    ['such a pattern of names', { patternProperties: { '^(a+)+$': {} } }, '/patternProperties must not repeat a group'],
    ['unique items without an end', { uniqueItems: true }, '/uniqueItems needs maxItems of at most 1000'],
    ['too much', { title: 'x'.repeat(17_000) }, '/ has to be at most 16384 bytes'],
  ])('must not say %s', (_name, schema, problem) => {
    expect(problemsOf(schema).join('\n')).toContain(problem);
  });

  it('says all that is wrong at once', () => {
    expect(problemsOf({ minimum: '1', properties: { a: { type: 'int' }, b: 7 } })).toHaveLength(3);
  });

  it('must not go deeper than anybody means', () => {
    const nested = (depth: number): object => (depth === 0 ? {} : { items: nested(depth - 1) });
    expect(problemsOf(nested(16))).toEqual([]);
    expect(problemsOf(nested(40)).join()).toContain('is nested deeper than 16 schemas');
  });

  it('must not be a short one that stands for an enormous one', () => {
    const twice = (name: string) => ({ allOf: [{ $ref: `#/$defs/${name}` }, { $ref: `#/$defs/${name}` }] });
    const $defs = Object.fromEntries(
      Array.from({ length: 30 }, (_, n) => [`d${n}`, n === 0 ? {} : twice(`d${n - 1}`)]),
    );
    expect(problemsOf({ $defs, properties: { a: twice('d29') } }).join()).toContain('has more than 500 parts');
    // However it is hidden.
    expect(problemsOf({ $defs, properties: { default: { properties: { enum: twice('d29') } } } }).join()).toContain(
      '500 parts',
    );
  });
});
