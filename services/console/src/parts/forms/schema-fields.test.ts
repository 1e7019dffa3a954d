import { describe, expect, it } from 'vitest';
import { fieldsOf, leavesOf, type SchemaField } from './schema-fields.ts';
import { initialTexts, numberOr, otherValues, textsOf, valueOfFields, valueOfJson } from './schema-values.ts';

const reward = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  required: ['rewardId'],
  additionalProperties: false,
  properties: {
    rewardId: { type: 'string', title: 'Reward', description: 'As the catalogue names it.', maxLength: 64 },
    units: { type: 'integer', minimum: 1, maximum: 100, default: 1 },
    isGift: { type: 'boolean' },
    channel: { enum: ['push', 'mail', 2] },
    tags: { type: 'array', items: { type: 'string' }, maxItems: 5, uniqueItems: true },
    limits: { type: 'object', properties: { perDay: { type: 'number', exclusiveMinimum: 0 } } },
    pattern_of: { $ref: '#/$defs/code' },
    extra: { type: ['object', 'null'] },
  },
  $defs: { code: { type: 'string', pattern: '^[A-Z]+$' } },
};

const fields = fieldsOf(reward) ?? [];
const named = (pointer: string): SchemaField | undefined =>
  [...fields, ...leavesOf(fields)].find((field) => field.pointer === pointer);

describe('a parameter with options', () => {
  it('is the same field as without options, and keeps their source', () => {
    const listed = { properties: { id: { type: 'string', 'x-options': '/v1/options' }, of: { type: 'string' } } };
    const kinds = leavesOf(fieldsOf(listed) ?? []).map(({ kind, listedAt }) => [kind, listedAt]);
    expect(kinds).toEqual([
      ['text', '/v1/options'],
      ['text', ''],
    ]);
  });
});

describe('the fields of a schema', () => {
  it('have the types and the order of the properties', () => {
    expect(fields.map(({ pointer, kind }) => [pointer, kind])).toEqual([
      ['/rewardId', 'text'],
      ['/units', 'number'],
      ['/isGift', 'boolean'],
      ['/channel', 'choice'],
      ['/tags', 'list'],
      ['/limits', 'group'],
      ['/pattern_of', 'text'],
      ['/extra', 'json'],
    ]);
  });

  it('begin with the required fields, and format numbers', () => {
    const properties = { units: { type: 'integer', minimum: 1, maximum: 1_000_000 }, rewardId: { type: 'string' } };
    const [needed, units] = fieldsOf({ type: 'object', required: ['rewardId'], properties }) ?? [];
    expect([needed?.pointer, units?.pointer]).toEqual(['/rewardId', '/units']);
    expect(units).toMatchObject({ hint: '1 to 1,000,000' });
  });

  it('have hints with their purpose and their rules', () => {
    expect(named('/rewardId')).toMatchObject({
      label: 'Reward',
      hint: 'As the catalogue names it. At most 64 characters',
      required: true,
    });
    expect(named('/units')).toMatchObject({ label: 'Units', hint: '1 to 100', initial: '1', required: false });
    expect(named('/tags')).toMatchObject({ hint: 'One per line, at most 5, no duplicates' });
    expect(named('/limits/perDay')).toMatchObject({ label: 'Per day', hint: 'More than 0' });
    expect(named('/pattern_of')).toMatchObject({ label: 'Pattern of', hint: 'Capitals' });
  });

  it('keep the types of the choices', () => {
    expect(named('/channel')).toMatchObject({
      options: [
        { value: '"push"', label: 'push' },
        { value: '"mail"', label: 'mail' },
        { value: '2', label: '2' },
      ],
    });
  });

  it('offer the titles if the alternatives are constants', () => {
    const forms = { oneOf: [{ const: 'a', title: 'At once' }, { const: 'b' }] };
    expect(fieldsOf({ properties: { when: forms } })).toMatchObject([
      { kind: 'choice', options: [{ label: 'At once' }, { label: 'b' }] },
    ]);
  });

  it.each([
    ['no schema', undefined],
    ['a schema of everything', true],
    ['alternatives', { type: 'object', anyOf: [{ required: ['a'] }], properties: { a: { type: 'string' } } }],
    ['a rule of its names', { type: 'object', properties: { a: {} }, propertyNames: { maxLength: 3 } }],
    ['no properties', { type: 'object' }],
    ['a list', { type: 'array', items: { type: 'string' } }],
  ])('do not exist if the schema is %s: the whole value is edited as JSON', (_, schema) => {
    expect(fieldsOf(schema)).toBeNull();
  });

  it('are JSON for a property that no field can express, with its schema', () => {
    const odd = { type: 'string', not: { const: 'x' } };
    expect(fieldsOf({ properties: { odd, any: true } })).toMatchObject([
      { kind: 'json', schema: odd },
      { kind: 'json', schema: true },
    ]);
  });

  it('escape the names of their pointers', () => {
    expect(fieldsOf({ properties: { 'a/b~c': { type: 'string' } } })?.[0]?.pointer).toBe('/a~1b~0c');
  });
});

describe('the value of fields', () => {
  const full = {
    rewardId: 'ride-5',
    units: 2,
    isGift: false,
    channel: 2,
    tags: ['a', 'b c'],
    limits: { perDay: 0.5 },
    pattern_of: 'AB',
    extra: { deep: [1, null] },
  };

  it('equals the value that filled them', () => {
    const texts = textsOf(fields, full);
    expect(texts).toMatchObject({ '/units': '2', '/tags': 'a\nb c', '/channel': '2', '/limits/perDay': '0.5' });
    expect(valueOfFields(fields, texts ?? {})).toEqual({ value: full, problems: [] });
  });

  it('begins with the defaults', () => {
    expect(initialTexts(fields)).toEqual({ '/units': '1' });
  });

  it('omits empty fields and groups', () => {
    expect(valueOfFields(fields, { '/rewardId': 'r', '/tags': ' \n', '/units': '' }).value).toEqual({ rewardId: 'r' });
  });

  it('keeps a text that is not a number, so that the API reports the expected format', () => {
    expect(valueOfFields(fields, { '/units': 'two' }).value).toEqual({ units: 'two' });
  });

  it('reports where a text is not valid JSON', () => {
    const { problems } = valueOfFields(fields, { '/extra': '{' });
    expect(problems).toMatchObject([{ pointer: '/extra' }]);
    expect(problems[0]?.detail).toMatch(/^is not valid JSON: /);
  });

  it('keeps properties without a field', () => {
    const texts = textsOf(fields, { rewardId: 'r', note: { by: 'me' } });
    expect(texts).toHaveProperty(otherValues);
    expect(valueOfFields(fields, texts ?? {}).value).toEqual({ rewardId: 'r', note: { by: 'me' } });
  });

  it.each([
    [{ units: '2' }],
    [{ rewardId: '' }],
    [{ tags: [] }],
    [{ tags: ['two\nlines'] }],
    [{ channel: 'fax' }],
    [{ limits: { perDay: 1, more: 2 } }],
    [{ limits: 3 }],
  ])('cannot express %j, which is edited as JSON', (value) => {
    expect(textsOf(fields, value)).toBeNull();
  });

  it('is an object if the JSON is empty', () => {
    expect(valueOfJson('  ')).toEqual({ value: {}, problems: [] });
    expect(valueOfJson('{"a":[1]}')).toEqual({ value: { a: [1] }, problems: [] });
    expect(valueOfJson('[1]').problems).toMatchObject([{ detail: 'has to be a JSON object, such as {"units": 2}' }]);
    expect(valueOfJson('nope').problems).toHaveLength(1);
  });

  it.each<[string, number | string]>([
    ['1,200', 1200],
    ['1 200 000', 1_200_000],
    ['2.5', 2.5],
    ['1,2', '1,2'],
    [' x ', 'x'],
    ['-3', -3],
  ])('parses %j as %j', (text, number) => {
    expect(numberOr(text)).toBe(number);
  });
});
