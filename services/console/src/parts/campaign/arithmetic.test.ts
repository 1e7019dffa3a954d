import { describe, expect, it } from 'vitest';
import type { CampaignPreview } from '#client/types.gen.ts';
import { userCountOf, sumOfBounds } from '../audience/user-count.ts';
import {
  audienceSums,
  batchesOf,
  budgetNeeds,
  callsOf,
  heldOutUsersOf,
  slowestShard,
  formatExpectedDuration,
} from './arithmetic.ts';

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
type Variants = CampaignPreview['variants'];
const estimateOf = (countries: Countries) => userCountOf(sumOfBounds(countries.map(({ users }) => users)), null);
type Canary = Parameters<typeof audienceSums>[2];
const texts = (
  countries: Countries,
  holdOutPercent = 0,
  size = estimateOf(countries),
  variants: Variants = [],
  canary?: Canary,
) =>
  audienceSums({ countries, holdOutPercent, variants }, size, canary).map(({ label, value }) => `${label}: ${value}`);

describe('the audience of a campaign', () => {
  it('has the size of its only source', () => {
    expect(texts([country([440_200], [], 440_200, 440_200)])).toEqual(['Audience, estimated: about 440,200']);
  });

  it('is a range if it has several sources and exclusions, with a line for each reason', () => {
    expect(texts([country([1000, 400], [100], 900, 1400)], 2)).toEqual([
      'Included, estimated: 1,400',
      'in several sources: − up to 400',
      'excluded: − up to 100',
      'Audience, estimated: 900 to 1,400',
      'held out, about 2 %: 18 to 28',
      'Get step 1: 882 to 1,372',
    ]);
  });

  it.each([
    ['counted', 'counted'],
    ['dry-run', 'counted by the dry run'],
  ] as const)('is a single number without further lines if its size is of the kind %s', (kind, words) => {
    const size = { kind, atLeast: 1315, atMost: 1315, at: null };
    expect(texts([country([1000, 400], [100], 900, 1400)], 0, size)).toEqual([`Audience, ${words}: 1,315`]);
  });

  it('is divided among variants without the held-out users', () => {
    const users = { atLeast: 0, atMost: 0 };
    const variants = [
      { name: 'A', weight: 7500, users },
      { name: 'B', weight: 2500, users },
    ];
    const size = { kind: 'counted', atLeast: 1000, atMost: 1000, at: null } as const;
    expect(texts([], 20, size, variants)).toEqual([
      'Audience, counted: 1,000',
      'held out, about 20 %: about 200',
      'Get step 1: about 800',
      'variant A, 75 %: about 600',
      'variant B, 25 %: about 200',
    ]);
    expect(texts([], 0, size, variants).slice(1)).toEqual(['variant A, 75 %: about 750', 'variant B, 25 %: about 250']);
  });

  it('is divided among variants only in its canary, if a person chooses the variant of all others', () => {
    const users = { atLeast: 0, atMost: 0 };
    const variants = [
      { name: 'A', weight: 7500, users },
      { name: 'B', weight: 2500, users },
    ];
    const size = { kind: 'counted', atLeast: 1000, atMost: 1000, at: null } as const;
    expect(texts([], 0, size, variants, { percent: 20, then: 'choose-variant' }).slice(1)).toEqual([
      'variant A, 15 %: about 150',
      'variant B, 5 %: about 50',
      'the variant you choose: about 800',
    ]);
    expect(texts([], 0, size, variants, { percent: 20, then: 'pause' })).toHaveLength(3);
  });

  it('shows unknown sizes as not known', () => {
    expect(texts([country([1000, null], [null], 0, null)])).toEqual([
      'Included, estimated: not known',
      'in several sources: not known',
      'excluded: not known',
      'Audience, estimated: not known',
    ]);
  });
});

it.each([
  [null, 'Duration unknown: no earlier run to compare with'],
  [{ atLeast: 90, atMost: null }, 'at least 1 min 30 s'],
  [{ atLeast: 60, atMost: 60 }, 'about 1 min'],
  [{ atLeast: 2040, atMost: 2700 }, '34 min to 45 min'],
])('a duration of %j is formatted as %s', (takes, text) => {
  expect(formatExpectedDuration(takes)).toBe(text);
});

const line = (changes: Partial<CampaignPreview['load'][number]>): CampaignPreview['load'][number] => ({
  step: 1,
  action: 'award-reward',
  country: 'SG',
  users: 1000,
  calls: 10,
  limit: null,
  seconds: null,
  breaker: 'closed' as const,
  ...changes,
});

describe('the expected load of a campaign', () => {
  it('counts the calls of all steps, and the batches of the first', () => {
    const load = [line({}), line({ country: 'ID', calls: 5 }), line({ step: 2, calls: 15 })];
    expect([callsOf(load), batchesOf(load)]).toEqual([30, 15]);
    expect(callsOf([line({ calls: null })])).toBeNull();
  });

  it('names the shard that takes longest, with the reason', () => {
    const load = [line({ limit: 'pace', seconds: 60 }), line({ country: 'VN', limit: 'rate', seconds: 90 })];
    expect(slowestShard(load)).toEqual({ action: 'award-reward', country: 'VN', why: 'by the rate of its action' });
    expect(slowestShard([line({})])).toBeNull();
  });

  it('names a shard that is down before all other shards', () => {
    const load = [line({ limit: 'pace', seconds: 60 }), line({ country: 'VN', breaker: 'open' })];
    expect(slowestShard(load)).toMatchObject({ country: 'VN', why: 'its endpoint is down' });
  });

  it('shows the cost of all users beside each budget', () => {
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

it('the hold-out group is a number of users, not a percentage', () => {
  const size = { kind: 'estimated' as const, atLeast: 100, atMost: 1000, at: null };
  expect(heldOutUsersOf(size, 5)).toMatchObject({ atLeast: 5, atMost: 50 });
});
