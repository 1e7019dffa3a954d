import { expect, test } from 'vitest';
import { clockEffectOf, lookFrom } from './clock-effect.ts';

const forward = { at: '2027-03-28T01:00:00.000Z', isForward: true };
const back = { at: '2026-10-25T01:00:00.000Z', isForward: false };
const fire = (at: string | null, mark: 'shifted' | 'repeated' | 'skipped' | null, instants = 1) => {
  return { at, localTime: null, mark, instants };
};

test('fires are looked at from right before the change', () => {
  expect(lookFrom(forward)).toBe('2027-03-28T00:55:00.000Z');
});

test('what is skipped, shifted or comes again is counted near the change alone', () => {
  expect(clockEffectOf(forward, [fire(null, 'skipped', 4)])?.words).toMatch(/^4 skipped/);
  expect(clockEffectOf(forward, [fire('2027-03-28T01:00:00.000Z', 'shifted')])?.words).toMatch(/^1 shifted/);
  const again = [fire('2026-10-25T01:00:00.000Z', 'repeated'), fire('2026-10-25T01:15:00.000Z', 'repeated')];
  expect(clockEffectOf(back, again)?.words).toMatch(/^2 more/);
  expect(clockEffectOf(back, [fire('2026-10-28T01:00:00.000Z', 'repeated')])).toBeNull();
});

test('a change that touches no fire says so by nothing', () => {
  expect(clockEffectOf(forward, [fire('2027-03-28T02:00:00.000Z', null)])).toBeNull();
});
