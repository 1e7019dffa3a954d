import { describe, expect, it } from 'vitest';
import { isOptionsReference, optionSourcesOf, optionsUrlOf, plainParametersOf } from './option-sources.ts';

const endpoint = 'https://rewards.test/v1/batches';

describe('the URL of an option list', () => {
  it.each([
    ['/v1/options', 'https://rewards.test/v1/options'],
    ['options?kind=ride', 'https://rewards.test/v1/options?kind=ride'],
    ['https://catalogue.test/rewards', 'https://catalogue.test/rewards'],
    ['//catalogue.test/rewards', 'https://catalogue.test/rewards'],
  ])('for the reference %s is %s', (reference, url) => {
    expect(isOptionsReference(reference)).toBe(true);
    expect(optionsUrlOf(reference, endpoint)?.href).toBe(url);
  });

  it.each([
    ...[
      '',
      'ftp://x.test/',
      'javascript:alert(1)',
      'file:///etc/passwd',
      'https://user:secret@x.test/',
      '/a b',
      '/a#b',
    ],
    ...['\\\\x.test\\a', 'https://[x', '/"', '/a\nb', `/${'a'.repeat(2000)}`, 5, null],
  ])('does not exist for the reference %j', (reference) => {
    expect(isOptionsReference(reference)).toBe(false);
    if (typeof reference === 'string') expect(optionsUrlOf(reference, endpoint)).toBeNull();
  });
});

describe('the text and number parameters of a schema', () => {
  const schema = {
    $defs: { 'a/b': { type: 'string', 'x-options': '/ids' } },
    properties: {
      rewardId: { type: 'string', 'x-options': '/rewards' },
      units: { type: 'integer' },
      tags: { type: 'array', items: { type: 'string' } },
      offer: { properties: { 'x/y': { $ref: '#/$defs/a/b' } } },
    },
  };

  it('have a pointer, names, a type and the keyword of their options', () => {
    expect(plainParametersOf(schema)).toEqual([
      ...[{ pointer: '/rewardId', names: ['rewardId'], type: 'string', options: '/rewards' }].map((each) => ({
        ...each,
        keyword: '/properties/rewardId/x-options',
      })),
      {
        pointer: '/units',
        names: ['units'],
        type: 'number',
        options: undefined,
        keyword: '/properties/units/x-options',
      },
      {
        pointer: '/offer/x~1y',
        names: ['offer', 'x/y'],
        type: 'string',
        options: '/ids',
        keyword: '/$defs/a~1b/x-options',
      },
    ]);
  });

  it('have one option source per keyword', () => {
    const twice = { ...schema, properties: { ...schema.properties, other: { $ref: '#/$defs/a/b' } } };
    expect(optionSourcesOf(twice, endpoint).map(({ keyword, url }) => [keyword, url.href])).toEqual([
      ['/properties/rewardId/x-options', 'https://rewards.test/rewards'],
      ['/$defs/a~1b/x-options', 'https://rewards.test/ids'],
    ]);
  });

  it('are found in limited time if a schema contains itself', () => {
    const both = { $ref: '#/$defs/self' };
    const self = { type: 'string', properties: { a: both, b: both, c: both } };
    expect(plainParametersOf({ $defs: { self }, properties: { a: both } }).length).toBeLessThan(3000);
  });

  it.each([undefined, null, true, [], 'x'])('do not exist in an invalid schema: %j', (value) => {
    expect(plainParametersOf(value)).toEqual([]);
  });
});
