import { fc } from '../../../test/support/properties.ts';
import { describe, expect, it } from 'vitest';
import { idsOf } from '../../../shared/domain/ids/page-users.ts';
import { isValidUserId } from '../../../shared/domain/ids/user-id.ts';
import { cutBatches, type Cut } from './cut-batches.ts';
import { invalidUserOf } from './invalid-user.ts';

const usersUpTo = (count: number) => Array.from({ length: count }, (_, i) => `u${String(i).padStart(6, '0')}`);
const ordinary = { batchUsers: 100, maxBatches: 100, nextBatchNo: 1, isLast: false, mustMove: false };
const sizesOf = (cut: Cut) => cut.batches.map(({ users }) => users.length);

describe('the cut of users into batches', () => {
  it('makes full batches and leaves the remainder for the next page', () => {
    const cut = cutBatches(usersUpTo(250), ordinary);
    expect(sizesOf(cut)).toEqual([100, 100]);
    expect(cut).toMatchObject({ taken: 200, complete: false });
  });

  it('makes a short batch of the remainder at the end of the audience', () => {
    const cut = cutBatches(usersUpTo(250), { ...ordinary, isLast: true });
    expect(sizesOf(cut)).toEqual([100, 100, 50]);
    expect(cut).toMatchObject({ taken: 250, complete: true });
  });

  it.each([
    [1, 100],
    [250, 10],
    [1000, 2],
  ])('makes batches of %i users if the run requires this size', (batchUsers, batches) => {
    const cut = cutBatches(usersUpTo(2500), { ...ordinary, batchUsers, maxBatches: batches });
    expect(sizesOf(cut)).toEqual(Array.from({ length: batches }, () => batchUsers));
    expect(cut).toMatchObject({ taken: batches * batchUsers, complete: false });
  });

  it('continues with the next batch number', () => {
    const { batches } = cutBatches(usersUpTo(300), { ...ordinary, nextBatchNo: 17 });
    expect(batches.map(({ batchNo }) => batchNo)).toEqual([17, 18, 19]);
  });

  it('makes at most the granted number of batches', () => {
    const cut = cutBatches(usersUpTo(1000), { ...ordinary, maxBatches: 3, isLast: true });
    expect(sizesOf(cut)).toEqual([100, 100, 100]);
    expect(cut).toMatchObject({ taken: 300, complete: false });
  });

  it('is complete after an empty last page, even without a grant of batches', () => {
    const nothing = { batches: [], invalidUsers: [], taken: 0, complete: true };
    expect(cutBatches([], { ...ordinary, maxBatches: 0, isLast: true })).toEqual(nothing);
  });

  it('is complete if exactly enough batches were granted', () => {
    expect(cutBatches(usersUpTo(200), { ...ordinary, maxBatches: 2, isLast: true }).complete).toBe(true);
  });

  it('lists invalid ids in escaped form, with the rule that each of them breaks', () => {
    const cut = cutBatches(['', 'a', 'b\u0000', 'c', 'd\ud800'], { ...ordinary, isLast: true });
    expect(cut.batches).toEqual([{ batchNo: 1, users: ['a', 'c'] }]);
    expect(cut.invalidUsers).toEqual([
      { user: '', rule: 'empty' },
      { user: 'b\\u0000', rule: 'control-character' },
      { user: 'd\\ud800', rule: 'lone-surrogate' },
    ]);
  });

  it('lists long invalid ids with the same beginning as different ids', () => {
    const ids = ['d'.repeat(257), `${'d'.repeat(256)}e`];
    const { invalidUsers } = cutBatches(ids, { ...ordinary, isLast: true });
    expect(invalidUsers.map(({ rule }) => rule)).toEqual(['too-long', 'too-long']);
    expect(invalidUsers[0]?.user).toMatch(/^d{256}…#[0-9a-f]{8}$/);
    expect(invalidUsers[0]?.user).not.toBe(invalidUsers[1]?.user);
  });

  it('ends after a valid id if more pages follow', () => {
    const cut = cutBatches([...usersUpTo(100), 'v\ud800', 'w\n'], ordinary);
    expect(cut).toMatchObject({ taken: 100, invalidUsers: [] });
  });

  it('takes users that do not fill a batch if no more users can be fetched', () => {
    const cut = cutBatches(['a', 'b\n', 'c'], { ...ordinary, mustMove: true });
    expect(cut).toMatchObject({
      taken: 3,
      invalidUsers: [{ user: 'b\\n', rule: 'control-character' }],
      complete: false,
    });
    expect(sizesOf(cut)).toEqual([2]);
  });

  it('cuts valid users in the same way with and without an invalid id among them', () => {
    const options = fc.record({
      batchUsers: fc.constantFrom(1, 100, 250, 1000),
      maxBatches: fc.integer({ min: 1, max: 4 }),
      nextBatchNo: fc.constant(1),
      isLast: fc.boolean(),
      mustMove: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), options, (count, chosen) => {
        const cut = cutBatches(usersUpTo(count), chosen);
        const withInvalid = cutBatches(['\u0000', ...usersUpTo(count)], chosen);
        const moved = cut.taken > 0 ? { taken: cut.taken + 1, invalidUsers: [invalidUserOf('\u0000')] } : {};
        expect(withInvalid).toEqual({ ...cut, ...moved });
      }),
    );
  });

  it('puts every user either into exactly one batch or into the list of invalid ids, in order', () => {
    const odd = [
      '',
      '\u0000',
      'tab\t',
      'b\ud800',
      '\udc00',
      '🦄',
      'é',
      'x'.repeat(256),
      'x'.repeat(257),
      'é'.repeat(129),
    ];
    const user = fc.oneof({ weight: 9, arbitrary: fc.nat().map((n) => `u${n}`) }, fc.constantFrom(...odd));
    fc.assert(
      fc.property(fc.array(user, { maxLength: 700 }), fc.integer({ min: 1, max: 4 }), (users, maxBatches) => {
        const cuts: Cut[] = [];
        let rest = users;
        let nextBatchNo = 1;
        do {
          const cut = cutBatches(rest, { ...ordinary, maxBatches, nextBatchNo, isLast: true });
          cuts.push(cut);
          rest = rest.slice(cut.taken);
          nextBatchNo += cut.batches.length;
        } while (cuts.at(-1)?.complete === false);
        expect(cuts.flatMap(({ batches }) => batches.flatMap((batch) => idsOf(batch.users)))).toEqual(
          users.filter(isValidUserId),
        );
        expect(cuts.flatMap(({ invalidUsers }) => invalidUsers)).toEqual(
          users.flatMap((id) => invalidUserOf(id) ?? []),
        );
        const sizes = cuts.flatMap(sizesOf);
        expect(sizes.slice(0, -1).every((size) => size === 100)).toBe(true);
      }),
    );
  });
});
