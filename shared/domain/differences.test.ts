import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { differences } from './differences.ts';

const step = (action: string, units = 1) => ({ action, params: { units } });

describe('the differences of two revisions', () => {
  it('are empty for equal values with fields in another order', () => {
    expect(differences({ a: 1, b: [{ c: 2, d: null }] }, { b: [{ d: null, c: 2 }], a: 1 })).toEqual([]);
  });

  it('name each changed field by pointer, with the values that exist', () => {
    const before = { name: 'a', deadlineSeconds: 60, audience: { include: [{ segment: 's' }] } };
    const after = { name: 'b', priority: 'low', audience: { include: [{ segment: 's' }], holdOutPercent: 5 } };
    expect(differences(before, after)).toEqual([
      { pointer: '/name', before: 'a', after: 'b' },
      { pointer: '/priority', after: 'low' },
      { pointer: '/audience/holdOutPercent', after: 5 },
      { pointer: '/deadlineSeconds', before: 60 },
    ]);
  });

  it('contain a list of texts as a whole', () => {
    expect(differences({ countries: ['SG', 'ID'] }, { countries: ['ID'] })).toEqual([
      { pointer: '/countries', before: ['SG', 'ID'], after: ['ID'] },
    ]);
  });

  it('contain only an inserted step, not the steps that it moved', () => {
    const chain = [step('award'), step('message')];
    expect(differences({ chain }, { chain: [step('check'), ...chain] })).toEqual([
      { pointer: '/chain/0', after: step('check') },
    ]);
    expect(differences({ chain: [step('check'), ...chain] }, { chain })).toEqual([
      { pointer: '/chain/0', before: step('check') },
    ]);
  });

  it('contain only the changed parameter of a step', () => {
    const before = { chain: [step('award', 1), step('message')] };
    expect(differences(before, { chain: [step('award', 2), step('message')] })).toEqual([
      { pointer: '/chain/0/params/units', before: 1, after: 2 },
    ]);
  });

  it('escape names in pointers and ignore inherited fields', () => {
    expect(differences({}, { 'a/b~c': 1, constructor: 2 })).toEqual([
      { pointer: '/a~1b~0c', after: 1 },
      { pointer: '/constructor', after: 2 },
    ]);
  });

  it('contain deeply nested values as a whole', () => {
    const nested = (depth: number, end: number): unknown => (depth === 0 ? end : { a: nested(depth - 1, end) });
    expect(differences(nested(50, 1), nested(50, 2))).toEqual([
      { pointer: '/a'.repeat(8), before: nested(42, 1), after: nested(42, 2) },
    ]);
  });

  it('are symmetric, and empty for equal values', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        const there = differences(one, other);
        const back = differences(other, one).map(({ pointer, before, after }) => ({
          pointer,
          ...(after !== undefined && { before: after }),
          ...(before !== undefined && { after: before }),
        }));
        const byPointer = (a: { pointer: string }, b: { pointer: string }) => (a.pointer < b.pointer ? -1 : 1);
        expect(back.toSorted(byPointer)).toEqual(there.toSorted(byPointer));
        expect(differences(one, structuredClone(one))).toEqual([]);
      }),
    );
  });
});
