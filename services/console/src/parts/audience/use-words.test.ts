import { expect, test } from 'vitest';
import { named, namedList } from '../../testing/audiences.ts';
import { segmentsFrom, sizeText, usedByWords } from './use-words.ts';

test('a size is a number if it was counted, and about one or two numbers if it was estimated', () => {
  const size = named.riders.size;
  expect(sizeText(named.staff.size)).toBe('1,840');
  expect(sizeText({ ...size, atLeast: 93_200, atMost: 93_200 })).toBe('about 93,200');
  expect(sizeText(size)).toBe('124,880 to 125,000');
});

test('uses are counted by kind', () => {
  expect([0, 1, 3, 1200].map((usedBy) => usedByWords({ usedBy, usedBySaved: 0 }))).toEqual([
    ...['not used', '1 campaign', '3 campaigns', '1,200 campaigns'],
  ]);
  expect(usedByWords({ usedBy: 0, usedBySaved: 1 })).toBe('1 saved audience');
  expect(usedByWords({ usedBy: 3, usedBySaved: 2 })).toBe('3 campaigns, 2 saved audiences');
});

test('segments in use stand in for those of a service that offers none, or does not answer', () => {
  expect(segmentsFrom(namedList)).toBeNull();
  expect(segmentsFrom({ ...namedList, segmentsFrom: 'use' })).toContain('offers no list');
  const unavailable = 'the segmentation service does not answer: HTTP 503';
  expect(segmentsFrom({ ...namedList, segmentsFrom: 'use', unavailable })).toBe(
    'The segmentation service does not answer: HTTP 503. These are segments in use.',
  );
});
