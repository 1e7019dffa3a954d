import { fc } from '../../../test/support/properties.ts';
import { describe, expect, it } from 'vitest';
import {
  areValidUserIds,
  compareUserIds,
  escapeUserId,
  findDisorder,
  isValidUserId,
  brokenUserIdRule,
} from './user-id.ts';

describe('isValidUserId', () => {
  it.each(['u1', 'a b', '50%', '"quoted"', 'back\\slash', '🚲', 'é'.repeat(128)])('accepts %j', (id) => {
    expect(isValidUserId(id)).toBe(true);
  });

  it.each([
    ['empty', ''],
    ['a control character', 'a\u0000b'],
    ['a newline', 'a\nb'],
    ['a C1 control character', 'a\u0085'],
    ['a lone surrogate', 'a\ud800'],
    ['257 bytes', 'x'.repeat(257)],
    ['129 two-byte characters', 'é'.repeat(129)],
  ])('rejects an id that is %s', (_what, id) => {
    expect(isValidUserId(id)).toBe(false);
  });
});

const anyId = fc.oneof(
  { weight: 20, arbitrary: fc.string() },
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', '\ud83d', '\ude32', '\u0085', 'x'.repeat(256), 'x'.repeat(257), 'é'.repeat(129)),
);

describe('areValidUserIds', () => {
  it('returns true if all ids are valid', () => {
    fc.assert(
      fc.property(fc.array(anyId), (ids) => {
        expect(areValidUserIds(ids)).toBe(ids.every(isValidUserId));
      }),
    );
  });
});

describe('findDisorder', () => {
  it('returns the first id that does not come after the previous one in byte order', () => {
    const ids = fc.oneof(
      fc.array(anyId),
      fc.uniqueArray(anyId).map((list) => list.toSorted(compareUserIds)),
    );
    fc.assert(
      fc.property(ids, fc.option(anyId), (list, after) => {
        const all = after === null ? list : [after, ...list];
        const place = all.findIndex((id, i) => i > 0 && compareUserIds(id, all[i - 1] ?? '') <= 0);
        expect(findDisorder(list, after)).toBe(place < 0 || after === null ? place : place - 1);
      }),
    );
  });
});

describe('compareUserIds', () => {
  it('orders ids by their UTF-8 bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
        expect(Math.sign(compareUserIds(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
      }),
    );
  });

  it("puts an emoji after the private use area, unlike JavaScript's comparison", () => {
    expect(compareUserIds('🚲', '\ue000')).toBeGreaterThan(0);
  });
});

describe('brokenUserIdRule', () => {
  it.each([
    ['', 'empty'],
    ['x'.repeat(257), 'too-long'],
    ['é'.repeat(129), 'too-long'],
    ['a\u0000b', 'control-character'],
    ['a\u0085', 'control-character'],
    ['a\ud800', 'lone-surrogate'],
    ['u1', null],
  ])('returns for %j: %s', (id, fault) => {
    expect(brokenUserIdRule(id)).toBe(fault);
  });

  it('returns null exactly for valid ids', () => {
    fc.assert(fc.property(anyId, (id) => (brokenUserIdRule(id) === null) === isValidUserId(id)));
  });
});

describe('escapeUserId', () => {
  it('returns printable text for any id', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (id) => {
        // oxlint-disable-next-line no-control-regex -- the test asserts that no control character is left
        expect(escapeUserId(id)).not.toMatch(/[\u0000-\u001f\u007f-\u009f\ud800-\udbff](?![\udc00-\udfff])/);
      }),
    );
  });

  it('returns a short id completely, escaped as in JSON', () => {
    expect(escapeUserId('a"b\n\u0085')).toBe('a\\"b\\n\\u0085');
    expect(escapeUserId('')).toBe('');
  });

  it('returns different texts for long ids with equal beginnings, and marks the cut', () => {
    const [one, other] = [`${'x'.repeat(300)}1`, `${'x'.repeat(300)}2`];
    expect(escapeUserId(one)).toMatch(/^x{256}…#[0-9a-f]{8}$/);
    expect(escapeUserId(one)).not.toBe(escapeUserId(other));
    expect(escapeUserId(one)).toBe(escapeUserId(one));
  });

  it('returns at most 1,600 characters', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 2000 }), (id) => escapeUserId(id).length <= 1600));
  });
});
