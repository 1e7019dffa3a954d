import { fc } from '../../../test/support/properties.ts';
import { describe, expect, it } from 'vitest';
import { isPlain, usersOf, usersTextOf, withoutUsers } from './users-text.ts';

const oddId = fc.oneof(
  fc.string({ minLength: 1, unit: 'grapheme' }),
  fc.constantFrom(',', '",', ',"', '","', '\\', '"', 'a b', '50%', '🚲', '\\"', ',,', ',x', 'x,'),
);
const ids = fc.uniqueArray(oddId, { minLength: 1, maxLength: 12 });

describe('the text with the user ids of a batch', () => {
  it('can be converted back for every list of ids', () => {
    fc.assert(
      fc.property(ids, (list) => {
        expect(usersOf(usersTextOf(list))).toEqual(list);
      }),
    );
  });

  it('contains exactly the remaining users after some users are removed', () => {
    fc.assert(
      fc.property(ids, fc.array(fc.nat(11), { maxLength: 4 }), (list, picks) => {
        const lost = [...new Set(picks.map((pick) => list[pick % list.length] ?? ''))];
        expect(withoutUsers(usersTextOf(list), lost)).toBe(usersTextOf(list.filter((id) => !lost.includes(id))));
      }),
    );
  });

  it('does not change if users that it does not contain are removed', () => {
    expect(withoutUsers('"a","b"', ['c'])).toBe('"a","b"');
  });

  it('can be split at its separators if it is plain', () => {
    fc.assert(
      fc.property(ids, (list) => {
        const text = usersTextOf(list);
        fc.pre(isPlain(text));
        expect(text.slice(1, -1).split('","')).toEqual(list);
      }),
    );
  });
});
