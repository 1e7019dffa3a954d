import { describe, expect, it } from 'vitest';
import { fc } from '../../../test/support/properties.ts';
import { approvalNeed, type CountryReach, type UnapprovedStartTotal } from './approval-policy.ts';
import { clearanceOf } from './clearance.ts';
import { personOf } from './person-of.ts';
import { startedSums, sumKeysOf } from './started-sums.ts';
import { costTermsOf, isWithinBounds, reachOf } from './user-bounds.ts';

const reach = (country: string, users: number, units = 0, millionths = 0n): CountryReach => ({
  country,
  users,
  units,
  millionths,
  currency: 'EUR',
});
const byMei = (...of: CountryReach[]): UnapprovedStartTotal => ({ words: 'by mei', country: null, reach: of });

describe('the sums that include a start without an approval', () => {
  it('have one key for each person, for the account and for each action type', () => {
    const starter = { account: 'a1', owners: ['Mei ', ' mei', 'tan'], actions: ['award', 'send', 'award'] };
    expect(sumKeysOf(starter).map(({ key }) => key)).toEqual([
      ...[`person:${personOf('mei')}`, 'person:tan', 'account:a1'],
      ...['action:award', 'action:send'],
    ]);
  });

  it('count all API keys without an owner as one person', () => {
    const keys = sumKeysOf({ account: null, owners: [null, null], actions: [] });
    expect(keys).toMatchObject([{ key: 'person:', words: 'by keys without an owner' }]);
  });

  it('cover all countries for a person, and one country each for an action type', () => {
    const keys = sumKeysOf({ account: null, owners: ['mei'], actions: ['send'] });
    const started = [
      { key: `person:${personOf('mei')}`, ...reach('SG', 1) },
      { key: `person:${personOf('mei')}`, ...reach('ID', 2) },
      { key: 'action:send', ...reach('SG', 3) },
    ];
    const sums = startedSums(keys, started);
    expect(sums.map(({ words, country, reach: of }) => [words, country, of.map(({ users }) => users)])).toEqual([
      ['by mei', null, [1, 2]],
      ['with send in SG', 'SG', [3]],
    ]);
  });
});

describe('an approval rule applied to a sum', () => {
  const rules = [{ usersAbove: 25, unitsAbove: 100, amountAbove: '10', approvers: 2 }];

  it.each([
    ['users', reach('SG', 25), reach('ID', 1), /^more than 25 users within 24 hours by mei: 25 users .*, 1 users/],
    ['units', reach('SG', 1, 60), reach('SG', 1, 41), /^more than 100 units .*: 60 units .*, 41 units with this$/],
    ['money', reach('SG', 1, 0, 9_990_000n), reach('SG', 1, 0, 20_000n), /^more than 10 EUR .*: 9.99 EUR .*, 0.02 EUR/],
  ])('requires its approvers above its limit of %s', (_, before, own, why) => {
    expect(approvalNeed(rules, [own], [])).toEqual({ approvers: 0, why: [] });
    const need = approvalNeed(rules, [own], [byMei(before)]);
    expect(need).toEqual({ approvers: 2, why: [expect.stringMatching(why)] });
  });

  it('requires no approval at its limit, for an empty start, or for other countries', () => {
    expect(approvalNeed(rules, [reach('SG', 5)], [byMei(reach('SG', 20))]).approvers).toBe(0);
    expect(approvalNeed(rules, [reach('SG', 0)], [byMei(reach('SG', 900))]).approvers).toBe(0);
    const inVietnam = [{ countries: ['VN'], usersAbove: 25, approvers: 1 }];
    expect(approvalNeed(inVietnam, [reach('VN', 20)], [byMei(reach('SG', 20))]).approvers).toBe(0);
    const withSend: UnapprovedStartTotal = { words: 'with send in SG', country: 'SG', reach: [reach('SG', 20)] };
    expect(approvalNeed(rules, [reach('ID', 20)], [withSend]).approvers).toBe(0);
  });

  it('names the size of the start if the start alone exceeds the limit', () => {
    expect(approvalNeed(rules, [reach('SG', 26)], [byMei(reach('SG', 20))]).why).toEqual(['more than 25 users']);
  });
});

describe('the sum of starts without an approval', () => {
  const countries = ['SG', 'ID', 'VN'];
  const rule = fc.record({
    approvers: fc.integer({ min: 1, max: 3 }),
    usersAbove: fc.option(fc.nat(2_000), { nil: undefined }),
    unitsAbove: fc.nat(2_000),
    amountAbove: fc.option(fc.nat(2_000).map(String), { nil: undefined }),
    countries: fc.option(fc.uniqueArray(fc.constantFrom(...countries), { minLength: 1 }), { nil: undefined }),
  });
  const start = fc.record({
    users: fc.dictionary(fc.constantFrom(...countries), fc.nat(800), { minKeys: 1 }),
    owner: fc.constantFrom('mei', 'tan'),
    action: fc.constantFrom('award', 'send'),
    unitsPerUser: fc.nat(3),
  });

  it('stays within every rule per account, person, and action type in a country', () => {
    const rules = fc.array(rule, { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(rules, fc.array(start, { maxLength: 12 }), (policy, starts) => {
        const started: (CountryReach & { key: string })[] = [];
        for (const { users, owner, action, unitsPerUser } of starts) {
          const budgets = [{ country: 'SG', units: 700 }];
          const terms = costTermsOf({ chain: [{ unitsPerUser }], budgets }, { currency: 'EUR', steps: ['0.2'] });
          const keys = sumKeysOf({ account: 'one', owners: [owner], actions: [action] });
          const clearance = clearanceOf(policy, users, terms, [], summed(keys, started));
          if (clearance.kind === 'needed') continue;
          const bounds = clearance.usersAtMost ?? users;
          expect(isWithinBounds(users, bounds)).toBe(true);
          const counted = reachOf(bounds, terms).filter(({ users: some }) => some > 0);
          started.push(...keys.flatMap(({ key }) => counted.map((each) => ({ key, ...each }))));
        }
        const everything = sumKeysOf({ account: 'one', owners: ['mei', 'tan'], actions: ['award', 'send'] });
        for (const { reach: sum } of summed(everything, started)) {
          if (sum.length > 0) expect(approvalNeed(policy, sum)).toEqual({ approvers: 0, why: [] });
        }
      }),
    );
  });

  /** The sums by key and country, as the database adds them up. */
  function summed(...[keys, started]: Parameters<typeof startedSums>): UnapprovedStartTotal[] {
    const groups = Map.groupBy(started, ({ key, country }) => `${key} ${country}`);
    const rows = [...groups.values()].map((rowsOfOne) =>
      rowsOfOne.reduce((sum, row) => ({
        ...sum,
        users: sum.users + row.users,
        units: sum.units + row.units,
        millionths: sum.millionths + row.millionths,
      })),
    );
    return startedSums(keys, rows);
  }
});
