import type { JsonValue } from './json.ts';

/** Times with which programs have problems: outside the valid years, or at irregular moments of clocks or calendars. */
const oddTimes = [
  '9999-12-31T23:59:59.999Z',
  '9999-12-31T23:59:59-12:00',
  '10000-01-01T00:00:00Z',
  '+275760-09-13T00:00:00.000Z',
  '0000-01-01T00:00:00Z',
  '0001-01-01T00:00:00+14:00',
  '-000001-01-01T00:00:00Z',
  '2026-02-29T00:00:00Z',
  '2028-02-29T23:59:60Z',
  '2026-03-29T02:30:00',
  '1969-12-31T23:59:59.999999999Z',
];

/** Texts that tables, names or JavaScript objects cannot hold unchanged. */
export const unruly = {
  nul: 'a\u0000b',
  halfPair: 'a\ud800',
  direction: '\u202eevil',
  control: 'a\u001b[2Jb',
  inherited: 'constructor',
  method: 'toString',
  prototype: '__proto__',
} as const;

const oddTexts = [
  ...Object.values(unruly),
  '',
  ' ',
  '\ud800',
  'x\udfff',
  '\u200b',
  'a\u0001b',
  'a\u001fb',
  '💸'.repeat(300),
  'x'.repeat(256),
  'x'.repeat(70_000),
  "'; drop table jobs; --",
  '%00',
  '{{7*7}}',
  'http://[::1',
  'https://user:pass@example.com:99999/',
  'file:///etc/hosts',
  '0 0 29 2 *',
  '*/0 * * * *',
  '99 99 99 99 99',
  'Asia/Nowhere',
  'cmp_00000000000000000000000000',
  'run_01jdyjm7sbfx2v4x0000000000',
  'job_01jdyjm7sbfx2v4x0000000000',
];

const oddNumbers = [-1, -0, 0, 0.1, 1.5, 2 ** 31, -(2 ** 31) - 1, 2 ** 53, 1e21, 1e308, -1e308, 5e-324];

export const oddStrings = [...oddTimes, ...oddTexts];

/** Values that no client would send on purpose. */
export const oddValues: readonly JsonValue[] = [
  ...oddStrings,
  ...oddNumbers,
  ...[null, true, false, [], {}, [[]], [null], { '': null }],
  Array.from({ length: 300 }, (_, index) => `each-${index}`),
  Array.from({ length: 60 }).reduce<JsonValue>((inner) => [inner], 'deep'),
];

/** Bodies that are not JSON, or that JSON libraries parse differently. */
export const oddBodies = [
  '',
  '{',
  'null',
  '[]',
  '"text"',
  '{"a":1e400}',
  '{"a":1,"a":2}',
  '{"__proto__":{"x":1}}',
  '\u0000',
  '{"name":"\\ud800"}',
  `${'['.repeat(5000)}${']'.repeat(5000)}`,
  `{"name":"${'x'.repeat(1_100_000)}"}`,
];
