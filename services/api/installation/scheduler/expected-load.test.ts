import { expect, it } from 'vitest';
import { engineConfig } from '../../../../shared/contracts/endpoints/engine-config.ts';
import type { ShardShape } from '../shards/shards.contract.ts';
import { expectedLoadOf, type ExpectedLoadFacts } from './expected-load.ts';

const { actionTypes } = engineConfig.parse({
  segmentation: { url: 'http://segments.test/v1' },
  actionTypes: {
    'award-reward': { url: 'http://rewards.test/v1', class: 'A', batchSize: 50, ratePerSecond: { calls: 2 } },
    'send-message': { url: 'http://messages.test/v1', class: 'B', batchSize: 200 },
  },
});

const country = (name: string, atLeast: number, atMost: number | null) => ({
  country: name,
  include: [],
  exclude: [],
  users: { atLeast, atMost },
});

const facts = (changes: Partial<ExpectedLoadFacts> = {}): ExpectedLoadFacts => ({
  chain: [{ action: 'send-message' }],
  countries: [country('SG', 1000, 1000)],
  holdOutPercent: 0,
  paceUsersPerSecond: undefined,
  actionTypes,
  shards: [],
  ...changes,
});

const shard = (changes: Partial<ShardShape>): ShardShape => ({
  id: 'send-message.SG',
  actionType: 'send-message',
  country: 'SG',
  topic: 'muster.send-message.sg',
  partitions: { wanted: 6, actual: 6 },
  workers: [],
  lanes: [],
  endpoint: null,
  lag: {
    messages: 0,
    batches: 0,
    waiting: 0,
    seconds: 0,
    aheadBatches: 0,
    aheadSeconds: 0,
    pacedBatches: 0,
    history: [],
  },
  inFlight: 0,
  callLimit: 10,
  batchesPerSecond: 0,
  breaker: 'closed' as const,
  desiredWorkers: 0,
  notes: [],
  createdAt: '2026-01-01T00:00:00.000Z',
  links: { self: '/v1/shards/send-message.SG' },
  ...changes,
});

const both = [{ action: 'award-reward' }, { action: 'send-message' }];

it('the expected load counts calls of the smallest batch size in the chain', () => {
  const { batchUsers, lines } = expectedLoadOf(facts({ chain: both }));
  expect(batchUsers).toBe(50);
  expect(lines.map(({ step, calls }) => [step, calls])).toEqual([
    [1, 20],
    [2, 20],
  ]);
});

it('the expected duration results from the rate of an action type, which all countries share', () => {
  const countries = [country('SG', 500, 1000), country('ID', 500, 3000)];
  const { lines, takes } = expectedLoadOf(facts({ chain: [{ action: 'award-reward' }], countries }));
  // The rate is 2 calls a second, and each call has 50 users.
  expect(lines.map(({ limit, seconds }) => [limit, seconds])).toEqual([
    ['rate', 40],
    ['rate', 40],
  ]);
  expect(takes).toEqual({ atLeast: 10, atMost: 40 });
});

it('the expected duration has no maximum while the speed of a shard is unknown', () => {
  expect(expectedLoadOf(facts({ chain: both })).takes).toEqual({ atLeast: 10, atMost: null });
});

it('the expected duration has no maximum while the number of users is unknown', () => {
  const chain = [{ action: 'award-reward' }];
  expect(expectedLoadOf(facts({ chain, countries: [country('SG', 500, null)] })).takes).toEqual({
    atLeast: 5,
    atMost: null,
  });
});

it('the expected duration uses the current speed of a shard, and includes the work that waits in the shard', () => {
  const lag = {
    messages: 40,
    batches: 40,
    waiting: 0,
    seconds: 20,
    aheadBatches: 40,
    aheadSeconds: 20,
    pacedBatches: 0,
    history: [],
  };
  const { lines } = expectedLoadOf(facts({ shards: [shard({ lag, batchesPerSecond: 2, breaker: 'slow-start' })] }));
  // 1,000 users take 2.5 seconds at 2 batches of 200 users a second. The waiting work takes 20 seconds.
  expect(lines).toMatchObject([{ limit: 'shard', seconds: 22.5, breaker: 'slow-start' }]);
});

it('the expected duration is unknown for a shard that has no work', () => {
  expect(expectedLoadOf(facts({ shards: [shard({})] }))).toMatchObject({
    lines: [{ limit: null, seconds: null }],
    takes: null,
  });
});

it('the expected load is empty for a chain of unknown actions', () => {
  const load = expectedLoadOf(facts({ chain: [{ action: 'award-yacht' }, { action: 'constructor' }] }));
  expect(load).toEqual({ batchUsers: null, lines: [], takes: null });
});
