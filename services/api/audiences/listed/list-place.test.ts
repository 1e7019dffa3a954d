import { describe, expect, it } from 'vitest';
import { cursorOf, placeOf, type ListPlace } from './list-place.ts';

const encoded = (written: unknown) => Buffer.from(JSON.stringify(written)).toString('base64url');
const longestPlace = 'x'.repeat(500);

describe('the cursor of the list of audiences', () => {
  it.each<ListPlace>([
    { section: 'named', after: { uses: 0, seq: 0 } },
    { section: 'named', after: { uses: 2_147_483_647, seq: 7 } },
    { section: 'offered', after: null, skip: 0 },
    { section: 'offered', after: longestPlace, skip: 20 },
  ])('is decoded to its position in the list: %j', (place) => {
    expect(placeOf(cursorOf(place))).toEqual(place);
  });

  it('is the beginning of the list if it is missing', () => {
    expect(placeOf(undefined)).toEqual({ section: 'named', after: null });
  });

  it.each([
    ['no base64 of JSON', 'QUJD'],
    ['of another kind', encoded(['x', 1, 2])],
    ['with a number below 0', encoded(['n', -1, 0])],
    ['with more uses than the database counts', encoded(['n', 2_147_483_648, 0])],
    ['with an empty place of the segmentation service', encoded(['o', '', 0])],
    ['with a place that is longer than the service may give', encoded(['o', `${longestPlace}x`, 0])],
    ['that skips fewer than none', encoded(['o', null, -1])],
    ['with U+0000', encoded(['o', '\0', 0])],
  ])('is refused if it is %s', (_, cursor) => {
    expect(() => placeOf(cursor)).toThrow(expect.objectContaining({ status: 422 }));
  });
});
