import { fc } from '../../../test/support/properties.ts';
import { describe, expect, it } from 'vitest';
import { compareUserIds } from '../../../shared/domain/ids/user-id.ts';
import { isBasic, isOver, mergeHeads, type Head, type HeadTally, type Merged } from './merge-heads.ts';

const anybody = fc.oneof(
  fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'aa', 'ab', 'é', 'ｗ', '🎟️'),
  fc.string({ unit: 'binary', maxLength: 2 }),
);
const someUsers = fc.uniqueArray(anybody, { maxLength: 20 }).map((users) => users.toSorted(compareUserIds));
const sources = fc.array(someUsers, { minLength: 1, maxLength: 4 });

/** Merges sources that each return pages of their own size, as far as the pages reach. */
function mergeInPages(
  include: readonly string[][],
  exclude: readonly string[][],
  pageSize: number,
  held: Set<string>,
  ranks: readonly number[] = include.map((_, index) => index + 1),
  tally?: HeadTally,
) {
  const strands = [...include, ...exclude].map((users, index) => {
    const head: Head = { users: [], at: 0, isLast: false, rank: ranks[index] ?? 0 };
    return { rest: [...users], head, size: 1 + ((pageSize + index) % 5) };
  });
  const heads = strands.map(({ head }) => head);
  const all: Merged = { users: [], gaps: [] };
  while (!heads.slice(0, include.length).every(isOver)) {
    for (const { head, rest, size } of strands) {
      if (head.at < head.users.length || head.isLast) continue;
      Object.assign(head, { users: rest.splice(0, size), at: 0, isLast: rest.length === 0 });
    }
    const basic = heads.every(({ users }) => isBasic(users));
    const split = { include: heads.slice(0, include.length), exclude: heads.slice(include.length) };
    const { users, gaps } = mergeHeads(split, (user) => held.has(user), { basic, ...(tally && { tally }) });
    all.gaps.push(...gaps.map((gap) => ({ ...gap, at: gap.at + all.users.length })));
    all.users.push(...users);
  }
  return all;
}

describe('the merge of sources', () => {
  it('contains each user that is included and not excluded, once and in order, with counts of the other users', () => {
    fc.assert(
      fc.property(
        sources,
        fc.array(someUsers, { maxLength: 3 }),
        fc.nat(10),
        someUsers,
        (include, exclude, size, held) => {
          const heldOut = new Set(held);
          const merged = mergeInPages(include, exclude, size, heldOut);

          const passed = new Set(include.flat());
          const gone = new Set(exclude.flat());
          const audience = [...passed].filter((user) => !gone.has(user)).toSorted(compareUserIds);
          expect(merged.users).toEqual(audience.filter((user) => !heldOut.has(user)));
          const sum = (count: 'excluded' | 'heldOut') => merged.gaps.reduce((all, gap) => all + gap[count], 0);
          expect(sum('excluded')).toBe([...passed].filter((user) => gone.has(user)).length);
          expect(sum('heldOut')).toBe(audience.filter((user) => heldOut.has(user)).length);
          expect(merged.gaps.flatMap(({ heldOutIds = [] }) => heldOutIds)).toEqual(
            audience.filter((user) => heldOut.has(user)),
          );
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('lets an included source win over an excluding source of the same or a higher rank', () => {
    const rank = fc.integer({ min: 1, max: 4 });
    const ranked = fc.record({ users: someUsers, rank });
    const someRanked = fc.array(ranked, { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(someRanked, someRanked, fc.nat(10), (include, exclude, size) => {
        const ranks = [...include, ...exclude].map((source) => source.rank);
        const usersOf = (sources: typeof include) => sources.map(({ users }) => users);
        const { users, gaps } = mergeInPages(usersOf(include), usersOf(exclude), size, new Set(), ranks);
        const lowest = (sources: typeof include, user: string) =>
          Math.min(...sources.filter((source) => source.users.includes(user)).map((source) => source.rank));
        const all = [...new Set(usersOf(include).flat())].toSorted(compareUserIds);
        expect(users).toEqual(all.filter((user) => lowest(include, user) <= lowest(exclude, user)));
        expect(gaps.reduce((sum, { excluded }) => sum + excluded, 0)).toBe(all.length - users.length);
      }),
    );
  });

  it('has counts of included, repeated and excluded users that add up to the merged users, for any pages', () => {
    fc.assert(
      fc.property(sources, fc.array(someUsers, { maxLength: 3 }), fc.nat(10), (include, exclude, size) => {
        const tally = { include: include.map(() => 0), repeated: 0, exclude: exclude.map(() => 0) };
        const { users } = mergeInPages(include, exclude, size, new Set(), undefined, tally);
        const sum = (counts: readonly number[]) => counts.reduce((all, count) => all + count, 0);
        expect(tally.include).toEqual(include.map(({ length }) => length));
        expect(sum(tally.include) - tally.repeated - sum(tally.exclude)).toBe(users.length);
        const all = new Set(include.flat());
        expect(tally.repeated).toBe(include.flat().length - all.size);
        const firstAt = (user: string) => exclude.findIndex((source) => source.includes(user));
        expect(tally.exclude).toEqual(
          exclude.map((_, place) => [...all].filter((user) => firstAt(user) === place).length),
        );
      }),
    );
  });

  it('places each gap between the last user before it and the first user after it', () => {
    fc.assert(
      fc.property(sources, fc.array(someUsers, { maxLength: 3 }), someUsers, (include, exclude, held) => {
        const { users, gaps } = mergeInPages(include, exclude, 3, new Set(held));
        for (const { at, last } of gaps) {
          const [before, behind] = [users[at - 1], users[at]];
          expect(before === undefined || compareUserIds(before, last) < 0).toBe(true);
          expect(behind === undefined || compareUserIds(last, behind) < 0).toBe(true);
        }
      }),
    );
  });

  it('counts users of several included sources if requested', () => {
    const head = (...users: string[]) => ({ users, at: 0, isLast: true, rank: 1 });
    const heads = () => ({
      include: [head('a', 'b', 'c', 'e'), head('b', 'c', 'd', 'e')],
      exclude: [{ ...head('c'), rank: 0 }],
    });
    const isHeldOut = (user: string) => user === 'e';
    const { users, gaps } = mergeHeads(heads(), isHeldOut, { basic: true, countsShared: true });
    expect(users).toEqual(['a', 'b', 'd']);
    expect(gaps).toEqual([
      { at: 2, excluded: 1, heldOut: 0, shared: 1, last: 'c' },
      { at: 3, excluded: 0, heldOut: 1, heldOutIds: ['e'], shared: 1, last: 'e' },
    ]);
    expect(mergeHeads(heads(), isHeldOut, { basic: true }).gaps.some((gap) => 'shared' in gap)).toBe(false);
  });

  it('ends at the last user that all unfinished sources have reached', () => {
    const displayed = { users: ['a', 'c'], at: 0, isLast: false, rank: 1 };
    const ahead = { users: ['b', 'x', 'y'], at: 0, isLast: false, rank: 2 };
    expect(mergeHeads({ include: [displayed, ahead], exclude: [] }, () => false, { basic: true }).users).toEqual([
      'a',
      'b',
      'c',
    ]);
    expect([displayed.at, ahead.at]).toEqual([2, 1]);
  });
});
