import { expect, test } from 'vitest';
import { system } from '../../testing/system.ts';
import { asText, formatBytes, toMend } from './system-words.ts';

test('a setting with two values, and clocks that are apart, are to be mended', () => {
  expect(toMend(system)).toEqual([]);
  const settings = [...system.settings, { name: 'QUOTA_OPEN_RUNS', service: 'scheduler', value: '9' }];
  const database = { ...system.database, clockAheadMs: -2500 };
  expect(toMend({ ...system, settings, database }).map(({ key, text }) => [key, text])).toEqual([
    ['QUOTA_OPEN_RUNS', 'api runs with 5000; scheduler runs with 9. Set it to the same, and start them again.'],
    ['clock', expect.stringContaining('2500 ms behind')],
  ]);
});

test.each([
  [0, '0 B'],
  [999, '999 B'],
  [1_234_567_890, '1.2 GB'],
  [318_000_000_000, '318 GB'],
])('%d bytes are %s', (bytes, words) => {
  expect(formatBytes(bytes)).toBe(words);
});

test('what is copied has no secret in it', () => {
  const text = asText(system, { name: 'staging', zone: 'UTC' });
  expect(text).toContain('PostgreSQL 18.4');
  expect(text).not.toContain('KAFKA_SASL_PASSWORD');
});
