import { expect, test } from 'vitest';
import { soonDeleted } from './soon-deleted.ts';

test('a list is said when it goes within three days, or has been due to go', () => {
  const now = new Date('2026-11-24T10:00:00.000Z');
  const said = (expiresAt: string | null) => soonDeleted([{ id: 'aud_1', expiresAt }], now).length;
  expect(said('2026-11-27T10:00:00.000Z')).toBe(1);
  expect(said('2026-11-24T09:00:00.000Z')).toBe(1);
  expect(said('2026-11-27T10:00:00.001Z')).toBe(0);
  expect(said(null)).toBe(0);
});
