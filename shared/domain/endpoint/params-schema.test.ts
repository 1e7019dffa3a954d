import { describe, expect, it } from 'vitest';
import { paramsSchemaProblems, schemaDialect } from './params-schema.ts';

/** Returns a line `path message` for each problem. */
const problemsOf = (schema: unknown) =>
  paramsSchemaProblems(schema).map(({ path, message }) => `/${path.join('/')} ${message}`);

describe('a parameter schema', () => {
  it.each<[string, object]>([
    ['no keyword', {}],
    [
      'a required text',
      { type: 'object', required: ['rewardId'], properties: { rewardId: { type: 'string', minLength: 1 } } },
    ],
    ['its dialect, title and examples', { $schema: schemaDialect, title: 'Points', examples: [{ points: 1 }] }],
    [
      'choices',
      { oneOf: [{ required: ['a'] }, { required: ['b'] }], not: { required: ['a', 'b'] }, if: true, then: {} },
    ],
    [
      'lists',
      { properties: { tags: { type: ['array', 'null'], uniqueItems: true, maxItems: 20, items: { enum: ['a'] } } } },
    ],
    ['its own definitions', { $defs: { id: { type: 'string' } }, properties: { a: { $ref: '#/$defs/id' } } }],
    ['an option source', { properties: { id: { type: 'string', 'x-options': '/v1/options' } } }],
    ['an option source in a definition', { $defs: { id: { type: 'integer', 'x-options': 'https://x.test/ids' } } }],
    ['properties with the names of keywords', { properties: { $ref: { type: 'string' }, enum: {}, pattern: {} } }],
    ['values that look like schemas', { const: { $ref: 'x' }, default: { pattern: 1 }, enum: [{ type: 'x' }] }],
    [
      'patterns and formats',
      { patternProperties: { '^x-': { format: 'date' } }, propertyNames: { pattern: '^[a-z]+$' } },
    ],
  ])('can have %s', (_name, schema) => {
    expect(problemsOf(schema)).toEqual([]);
  });

  it.each<[string, unknown, string]>([
    ['a value that is not an object', true, '/ has to be a schema: an object'],
    ['an unknown keyword', { properties: { a: { minimun: 1 } } }, '/properties/a/minimun is not accepted here'],
    ['an $id', { $id: 'https://x.test' }, '/$id is not accepted here'],
    [
      'another dialect',
      { $schema: 'http://json-schema.org/draft-07/schema#' },
      '/$schema has to be https://json-schema',
    ],
    ['an unknown type', { properties: { a: { type: 'int' } } }, '/properties/a/type has to be object or array'],
    ['an empty type list', { type: [] }, '/type has to be object or array'],
    [
      'an invalid option reference',
      { properties: { a: { type: 'string', 'x-options': 'ftp://x' } } },
      '/properties/a/x-options has to be an http',
    ],
    ['options at the top', { type: 'string', 'x-options': '/o' }, '/x-options has to stand at a parameter'],
    [
      'options of list items',
      { properties: { a: { items: { type: 'string', 'x-options': '/o' } } } },
      '/properties/a/items/x-options has to stand at a parameter',
    ],
    [
      'options of a list',
      { properties: { a: { type: 'array', 'x-options': '/o' } } },
      '/properties/a/x-options needs the type string',
    ],
    ['a bound that is not a number', { minimum: '1' }, '/minimum has to be a number'],
    ['a negative length', { minLength: -1 }, '/minLength has to be a whole number from 0'],
    ['multiples of 0', { multipleOf: 0 }, '/multipleOf has to be a number above 0'],
    ['invalid required names', { required: [1] }, '/required has to be a list of names'],
    ['invalid dependentRequired names', { dependentRequired: { a: 'b' } }, '/dependentRequired has to be an object'],
    ['an empty enum', { enum: [] }, '/enum has to be a list of values'],
    [
      'properties that are not an object',
      { properties: [] },
      '/properties has to be an object with a schema for each name',
    ],
    ['a subschema that is not an object', { allOf: [{}, 1] }, '/allOf/1 has to be a schema'],
    ['an empty anyOf', { anyOf: [] }, '/anyOf has to be a list of schemas'],
    ['an unsupported format', { format: 'regex' }, '/format has to be date-time or date'],
    ['an external reference', { items: { $ref: 'https://x.test/y' } }, '/items/$ref has to be #/$defs/<name>'],
    ['itself', { properties: { a: { $ref: '#' } } }, '/properties/a/$ref has to be #/$defs/<name>'],
    ['a missing definition', { $ref: '#/$defs/a' }, '/$ref refers to what is not there: $defs has no a'],
    ['definitions below the top', { items: { $defs: {} } }, '/items/$defs has to stand at the top'],
    [
      'a definition that contains itself',
      { $defs: { a: { items: { $ref: '#/$defs/a' } } } },
      '/$defs/a contains itself',
    ],
    ['a pattern with exponential time', { pattern: '^(a+)+$' }, '/pattern must not repeat a group'],
    [
      'a patternProperties key with exponential time',
      { patternProperties: { '^(a+)+$': {} } },
      '/patternProperties must not repeat a group',
    ],
    ['uniqueItems without maxItems', { uniqueItems: true }, '/uniqueItems needs maxItems of at most 1000'],
    ['more than 16 KiB', { title: 'x'.repeat(17_000) }, '/ has to be at most 16384 bytes'],
  ])('cannot have %s', (_name, schema, problem) => {
    expect(problemsOf(schema).join('\n')).toContain(problem);
  });

  it('is rejected with all its problems at once', () => {
    expect(problemsOf({ minimum: '1', properties: { a: { type: 'int' }, b: 7 } })).toHaveLength(3);
  });

  it('cannot be nested deeper than 16 schemas', () => {
    const nested = (depth: number): object => (depth === 0 ? {} : { items: nested(depth - 1) });
    expect(problemsOf(nested(16))).toEqual([]);
    expect(problemsOf(nested(40)).join()).toContain('is nested deeper than 16 schemas');
  });

  it('cannot expand to more than 500 parts', () => {
    const twice = (name: string) => ({ allOf: [{ $ref: `#/$defs/${name}` }, { $ref: `#/$defs/${name}` }] });
    const $defs = Object.fromEntries(
      Array.from({ length: 30 }, (_, n) => [`d${n}`, n === 0 ? {} : twice(`d${n - 1}`)]),
    );
    expect(problemsOf({ $defs, properties: { a: twice('d29') } }).join()).toContain('has more than 500 parts');
    // The size is computed for schemas in any nested keyword.
    expect(problemsOf({ $defs, properties: { default: { properties: { enum: twice('d29') } } } }).join()).toContain(
      '500 parts',
    );
  });
});
