import { expect, test } from 'vitest';
import { soonDeleted } from './soon-deleted.ts';

test('soonDeleted returns lists that expire within three days or have expired', () => {
  const now = new Date('2026-11-24T10:00:00.000Z');
  const countFor = (expiresAt: string | null) => soonDeleted([{ id: 'aud_1', expiresAt }], now).length;
  expect(countFor('2026-11-27T10:00:00.000Z')).toBe(1);
  expect(countFor('2026-11-24T09:00:00.000Z')).toBe(1);
  expect(countFor('2026-11-27T10:00:00.001Z')).toBe(0);
  expect(countFor(null)).toBe(0);
});
