import { fc } from '../../../test/support/properties.ts';
import { describe, expect, it } from 'vitest';
import { isPlain, usersOf, usersTextOf, withoutUsers } from './users-text.ts';

const oddId = fc.oneof(
  fc.string({ minLength: 1, unit: 'grapheme' }),
  fc.constantFrom(',', '",', ',"', '","', '\\', '"', 'a b', '50%', '🚲', '\\"', ',,', ',x', 'x,'),
);
const ids = fc.uniqueArray(oddId, { minLength: 1, maxLength: 12 });

describe('users text', () => {
  it('gives back every list of ids, whatever is in them', () => {
    fc.assert(
      fc.property(ids, (list) => {
        expect(usersOf(usersTextOf(list))).toEqual(list);
      }),
    );
  });

  it('loses exactly the users that are cut out', () => {
    fc.assert(
      fc.property(ids, fc.array(fc.nat(11), { maxLength: 4 }), (list, picks) => {
        const lost = [...new Set(picks.map((pick) => list[pick % list.length] ?? ''))];
        expect(withoutUsers(usersTextOf(list), lost)).toBe(usersTextOf(list.filter((id) => !lost.includes(id))));
      }),
    );
  });

  it('passes over users that are not in it', () => {
    expect(withoutUsers('"a","b"', ['c'])).toBe('"a","b"');
  });

  it('can be split at its borders when it is plain', () => {
    fc.assert(
      fc.property(ids, (list) => {
        const text = usersTextOf(list);
        fc.pre(isPlain(text));
        expect(text.slice(1, -1).split('","')).toEqual(list);
      }),
    );
  });
});
