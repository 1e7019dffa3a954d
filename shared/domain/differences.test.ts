import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { differences } from './differences.ts';

const step = (action: string, units = 1) => ({ action, params: { units } });

describe('what differs between two revisions', () => {
  it('is nothing where the values are the same, whatever the order of their fields', () => {
    expect(differences({ a: 1, b: [{ c: 2, d: null }] }, { b: [{ d: null, c: 2 }], a: 1 })).toEqual([]);
  });

  it('is each field by its pointer, with both values; what is not there is absent', () => {
    const before = { name: 'a', deadlineSeconds: 60, audience: { include: [{ segment: 's' }] } };
    const after = { name: 'b', priority: 'low', audience: { include: [{ segment: 's' }], holdOutPercent: 5 } };
    expect(differences(before, after)).toEqual([
      { pointer: '/name', before: 'a', after: 'b' },
      { pointer: '/priority', after: 'low' },
      { pointer: '/audience/holdOutPercent', after: 5 },
      { pointer: '/deadlineSeconds', before: 60 },
    ]);
  });

  it('is a list of texts as a whole', () => {
    expect(differences({ countries: ['SG', 'ID'] }, { countries: ['ID'] })).toEqual([
      { pointer: '/countries', before: ['SG', 'ID'], after: ['ID'] },
    ]);
  });

  it('is the step that was put before others, and not all that moved by it', () => {
    const chain = [step('award'), step('message')];
    expect(differences({ chain }, { chain: [step('check'), ...chain] })).toEqual([
      { pointer: '/chain/0', after: step('check') },
    ]);
    expect(differences({ chain: [step('check'), ...chain] }, { chain })).toEqual([
      { pointer: '/chain/0', before: step('check') },
    ]);
  });

  it('is the parameter of the step that has another', () => {
    const before = { chain: [step('award', 1), step('message')] };
    expect(differences(before, { chain: [step('award', 2), step('message')] })).toEqual([
      { pointer: '/chain/0/params/units', before: 1, after: 2 },
    ]);
  });

  it('escapes names in pointers, and takes no inherited field for one', () => {
    expect(differences({}, { 'a/b~c': 1, constructor: 2 })).toEqual([
      { pointer: '/a~1b~0c', after: 1 },
      { pointer: '/constructor', after: 2 },
    ]);
  });

  it('compares what is nested deeply as a whole', () => {
    const nested = (depth: number, end: number): unknown => (depth === 0 ? end : { a: nested(depth - 1, end) });
    expect(differences(nested(50, 1), nested(50, 2))).toEqual([
      { pointer: '/a'.repeat(8), before: nested(42, 1), after: nested(42, 2) },
    ]);
  });

  it('is the same the other way round, and nothing of a value to itself', () => {
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
