import { expect, test } from 'vitest';
import { findClockEffect, previewStart } from './clock-effect.ts';

const forward = { at: '2027-03-28T01:00:00.000Z', isForward: true };
const back = { at: '2026-10-25T01:00:00.000Z', isForward: false };
const fire = (at: string | null, mark: 'shifted' | 'repeated' | 'skipped' | null, instants = 1) => {
  return { at, localTime: null, mark, instants };
};

test('the preview starts right before the clock change', () => {
  expect(previewStart(forward)).toBe('2027-03-28T00:55:00.000Z');
});

test('skipped, shifted and repeated fires are counted only near the clock change', () => {
  expect(findClockEffect(forward, [fire(null, 'skipped', 4)])?.words).toMatch(/^4 skipped/);
  expect(findClockEffect(forward, [fire('2027-03-28T01:00:00.000Z', 'shifted')])?.words).toMatch(/^1 shifted/);
  const again = [fire('2026-10-25T01:00:00.000Z', 'repeated'), fire('2026-10-25T01:15:00.000Z', 'repeated')];
  expect(findClockEffect(back, again)?.words).toMatch(/^2 more/);
  expect(findClockEffect(back, [fire('2026-10-28T01:00:00.000Z', 'repeated')])).toBeNull();
});

test('a clock change without affected fires has no effect', () => {
  expect(findClockEffect(forward, [fire('2027-03-28T02:00:00.000Z', null)])).toBeNull();
});
