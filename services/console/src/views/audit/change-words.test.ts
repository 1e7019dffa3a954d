import { expect, it } from 'vitest';
import { detailInWords, endOfChange } from './change-words.ts';

it('tells details by name', () => {
  expect(detailInWords({ reason: 'wrong template', to: [1] })).toBe('reason: wrong template · to: [1]');
  expect(detailInWords({})).toBe('');
});

it.each([
  [201, true, 'done'],
  [409, false, 'refused by its state'],
  [422, false, 'refused, 422'],
])('a change that was answered with %d ended so', (status, isDone, words) => {
  expect(endOfChange(status)).toEqual({ isDone, words });
});
