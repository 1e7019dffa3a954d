import { expect, test } from 'vitest';
import { named, namedList } from '../../../testing/audiences/audiences.ts';
import { describeSegmentSource, formatListSize, formatUses } from './list-texts.ts';

test('a counted size is a number, an estimated one is approximate or a range', () => {
  const size = named.riders.size;
  expect(formatListSize(named.staff.size)).toBe('1,840');
  expect(formatListSize({ ...size, atLeast: 93_200, atMost: 93_200 })).toBe('about 93,200');
  expect(formatListSize(size)).toBe('124,880 to 125,000');
});

test('uses are counted by kind', () => {
  expect([0, 1, 3, 1200].map((usedBy) => formatUses({ usedBy, usedBySaved: 0 }))).toEqual([
    ...['not used', '1 campaign', '3 campaigns', '1,200 campaigns'],
  ]);
  expect(formatUses({ usedBy: 0, usedBySaved: 1 })).toBe('1 saved audience');
  expect(formatUses({ usedBy: 3, usedBySaved: 2 })).toBe('3 campaigns, 2 saved audiences');
});

test('segments in use are listed if the segmentation service offers none, or does not answer', () => {
  expect(describeSegmentSource(namedList)).toBeNull();
  expect(describeSegmentSource({ ...namedList, segmentsFrom: 'use' })).toContain('offers no list');
  const unavailable = 'the segmentation service does not answer: HTTP 503';
  expect(describeSegmentSource({ ...namedList, segmentsFrom: 'use', unavailable })).toBe(
    'The segmentation service does not answer: HTTP 503. Only segments in use are listed.',
  );
});
