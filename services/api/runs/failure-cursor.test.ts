import { fc } from '../../../test/support/properties.ts';
import { describe, expect, it } from 'vitest';
import { failureCursorOf, failurePlaceOf } from './failure-cursor.contract.ts';

const feed = '01938f1e-7c00-7000-8000-000000000001';

describe('the cursor of a list of failures', () => {
  it('is decoded to its position for any user id', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(0x7fffffff), fc.nat(0x7fff), (text, batchNo, step) => {
        const user = text.replaceAll('\u0000', '');
        const place = { country: 'SG', feedId: feed, batchNo, step, user };
        expect(failurePlaceOf(failureCursorOf(place))).toEqual(place);
      }),
    );
  });

  it('is decoded to an escaped user id if the id contains NUL', () => {
    const place = { country: 'SG', feedId: feed, batchNo: 0, step: 1, user: 'a\\u0000' };
    expect(failurePlaceOf(failureCursorOf(place))).toEqual(place);
  });

  it.each(['', 'nonsense', 'bnVsbA', Buffer.from('["SG"]').toString('base64url')])('is rejected: %j', (text) => {
    expect(failurePlaceOf(text)).toBeUndefined();
  });

  it('is invalid if its user contains NUL, which Postgres cannot store', () => {
    expect(
      failurePlaceOf(failureCursorOf({ country: 'SG', feedId: feed, batchNo: 1, step: 1, user: 'a\u0000' })),
    ).toBeUndefined();
  });
});
