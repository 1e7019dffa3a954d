import { expect, test } from 'vitest';
import { totalsSlotOf } from './totals-slot.ts';

test('an owner always has the same totals slot, and owners spread over all 64 slots', () => {
  const slots = new Set(Array.from({ length: 2000 }, (_, index) => totalsSlotOf(`worker@host/${index}`)));
  expect(totalsSlotOf('worker@host/1')).toBe(totalsSlotOf('worker@host/1'));
  expect([...slots].sort((a, b) => a - b)).toEqual(Array.from({ length: 64 }, (_, slot) => slot));
});
