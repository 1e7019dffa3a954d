import { describe, expect, it } from 'vitest';
import type { CampaignPreview } from '#client/types.gen.ts';
import { howManyOf, sumOfBounds } from '../audience/how-many.ts';
import { audienceSums, batchesOf, budgetNeeds, callsOf, heldOutOf, slowestShard, takesText } from './arithmetic.ts';

const source = (users: number | null) => ({ source: { segment: 's' }, users });
const country = (
  include: (number | null)[],
  exclude: (number | null)[],
  atLeast: number,
  atMost: number | null,
): CampaignPreview['countries'][number] => ({
  country: 'SG',
  include: include.map(source),
  exclude: exclude.map(source),
  users: { atLeast, atMost },
});

type Countries = CampaignPreview['countries'];
const estimateOf = (countries: Countries) => howManyOf(sumOfBounds(countries.map(({ users }) => users)), null);
const texts = (countries: Countries, holdOutPercent = 0, size = estimateOf(countries)) =>
  audienceSums({ countries, holdOutPercent }, size).map(({ label, value }) => `${label}: ${value}`);

describe('the audience', () => {
  it('of one source is what that has', () => {
    expect(texts([country([440_200], [], 440_200, 440_200)])).toEqual(['Audience, estimated: about 440,200']);
  });

  it('of several sources and without others is a range, whose lines say why', () => {
    expect(texts([country([1000, 400], [100], 900, 1400)], 2)).toEqual([
      'Included, estimated: 1,400',
      'in several sources: − up to 400',
      'left out: − up to 100',
      'Audience, estimated: 900 to 1,400',
      'held out, about 2 %: 18 to 28',
      'Get step 1: 882 to 1,372',
    ]);
  });

  it.each([
    ['counted', 'counted'],
    ['dry-run', 'counted by the dry run'],
  ] as const)('that is known by %s has its sum alone', (kind, words) => {
    const size = { kind, atLeast: 1315, atMost: 1315, at: null };
    expect(texts([country([1000, 400], [100], 900, 1400)], 0, size)).toEqual([`Audience, ${words}: 1,315`]);
  });

  it('says what nobody knows', () => {
    expect(texts([country([1000, null], [null], 0, null)])).toEqual([
      'Included, estimated: not known',
      'in several sources: not known',
      'left out: not known',
      'Audience, estimated: not known',
    ]);
  });
});

it.each([
  [null, 'Duration unknown: no earlier run to compare with'],
  [{ atLeast: 90, atMost: null }, 'at least 1 min 30 s'],
  [{ atLeast: 60, atMost: 60 }, 'about 1 min'],
  [{ atLeast: 2040, atMost: 2700 }, '34 min to 45 min'],
])('%j takes %s', (takes, text) => {
  expect(takesText(takes)).toBe(text);
});

const line = (changes: Partial<CampaignPreview['load'][number]>): CampaignPreview['load'][number] => ({
  ...{ step: 1, action: 'award-reward', country: 'SG', users: 1000, calls: 10 },
  ...{ limit: null, seconds: null, breaker: 'closed' as const },
  ...changes,
});

describe('the load', () => {
  it('counts the calls of all steps, and the batches of the first', () => {
    const load = [line({}), line({ country: 'ID', calls: 5 }), line({ step: 2, calls: 15 })];
    expect([callsOf(load), batchesOf(load)]).toEqual([30, 15]);
    expect(callsOf([line({ calls: null })])).toBeNull();
  });

  it('names the shard that takes longest, and why', () => {
    const load = [line({ limit: 'pace', seconds: 60 }), line({ country: 'VN', limit: 'rate', seconds: 90 })];
    expect(slowestShard(load)).toEqual({ action: 'award-reward', country: 'VN', why: 'by the rate of its action' });
    expect(slowestShard([line({})])).toBeNull();
  });

  it('names a shard that is down before all others', () => {
    const load = [line({ limit: 'pace', seconds: 60 }), line({ country: 'VN', breaker: 'open' })];
    expect(slowestShard(load)).toMatchObject({ country: 'VN', why: 'its endpoint counts as down' });
  });

  it('says what all users would cost beside each budget', () => {
    const load = [line({}), line({ step: 2 }), line({ country: 'ID', users: null })];
    const budgets = [
      { country: 'SG', units: 1500 },
      { country: 'ID', units: 5 },
    ];
    expect(budgetNeeds(load, [2, undefined], budgets)).toEqual([
      { country: 'SG', needed: 2000, budget: 1500 },
      { country: 'ID', needed: null, budget: 5 },
    ]);
  });
});

it('who is held out are people, not percent', () => {
  const size = { kind: 'estimated' as const, atLeast: 100, atMost: 1000, at: null };
  expect(heldOutOf(size, 5)).toMatchObject({ atLeast: 5, atMost: 50 });
});
