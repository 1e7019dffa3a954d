import { describe, expect, it } from 'vitest';
import type { Shard } from '#client/types.gen.ts';
import {
  sortByLag,
  matchesFilter,
  describeHistory,
  describeIdleWorkers,
  keepOrder,
  formatLag,
  sumShards,
} from './shard-figures.ts';
import { isUnserved, unservedCause } from '../../parts/shards/unserved.ts';

const lag = {
  messages: 0,
  batches: 0,
  waiting: 0,
  seconds: 0,
  aheadBatches: 0,
  aheadSeconds: 0,
  pacedBatches: 0,
  history: [],
};
const workers = [{ worker: 'a', partitions: [0] }];
const shard = (
  country: string,
  changes: Partial<Omit<Shard, 'lag'>> & { lag?: Partial<Shard['lag']> } = {},
): Shard => ({
  id: `award.${country}`,
  actionType: 'award',
  country,
  topic: `muster.award.${country}`,
  partitions: { wanted: 2, actual: 2 },
  workers,
  lanes: [],
  inFlight: 0,
  callLimit: 0,
  batchesPerSecond: 0,
  breaker: 'closed',
  endpoint: null,
  desiredWorkers: 0,
  notes: [],
  createdAt: '',
  links: { self: '' },
  ...changes,
  lag: { ...lag, ...changes.lag },
});

const late = shard('VN', { lag: { seconds: 672 } });
const stuck = shard('ID', { lag: { seconds: null, batches: 3 } });
const quiet = shard('SG', { lag: { seconds: 0.8 } });
const ids = (shards: readonly Shard[]) => shards.map(({ country }) => country);

describe('the order of shards', () => {
  it('starts with shards without progress, then the longest lag', () => {
    expect(ids(sortByLag([quiet, late, stuck]))).toEqual(['ID', 'VN', 'SG']);
  });

  it('starts with shards that have work and no worker', () => {
    const notes = ['no worker serves it, and there is work', '2 workers cannot serve it: leases are too short'];
    const unserved = shard('TH', { workers: [], notes, lag: { pacedBatches: 3 } });
    expect(ids(sortByLag([quiet, stuck, unserved]))).toEqual(['TH', 'ID', 'SG']);
    expect(isUnserved(shard('MY', { workers: [] }))).toBe(false);
    expect(unservedCause(unserved)).toBe('2 workers cannot serve it: leases are too short');
    expect(sumShards([quiet, unserved]).unserved).toBe(1);
  });

  it('does not raise shards that only wait for the pace of their run', () => {
    const paced = shard('MM', { lag: { pacedBatches: 9000, aheadBatches: 0 } });
    expect(ids(sortByLag([paced, quiet]))).toEqual(['SG', 'MM']);
    expect(matchesFilter(paced, 'lag')).toBe(false);
  });

  it('keeps the given order and counts the rows that would move', () => {
    const order = ['award.SG', 'award.VN'];
    const { shards, moved } = keepOrder([quiet, late, stuck], order);
    expect([ids(shards), moved]).toEqual([['SG', 'VN', 'ID'], 2]);
    expect(keepOrder([quiet, late], []).moved).toBe(0);
  });
});

it.each([
  [late, '11 min 12 s'],
  [quiet, '0.8 s'],
  [stuck, 'no progress'],
])('formatLag formats the lag of a shard', (each, text) => {
  expect(formatLag(each)).toBe(text);
});

it('matchesFilter selects late shards, or those with a breaker that is not closed', () => {
  const open = shard('TH', { breaker: 'slow-start' });
  expect(ids([late, stuck, quiet, open].filter((each) => matchesFilter(each, 'lag')))).toEqual(['VN', 'ID']);
  expect(ids([late, stuck, quiet, open].filter((each) => matchesFilter(each, 'breaker')))).toEqual(['TH']);
});

it('describeIdleWorkers names workers without a partition', () => {
  const three = ['a', 'b', 'c'].map((worker, index) => ({ worker, partitions: index < 2 ? [index] : [] }));
  const busy = shard('SG', { workers: three });
  expect(describeIdleWorkers(busy)).toBe('c is idle: 3 workers for 2 partitions');
  expect(describeIdleWorkers(shard('SG'))).toBeUndefined();
  const elsewhere = shard('VN', { workers: [{ worker: 'c', partitions: [0] }] });
  expect(sumShards([busy, elsewhere])).toMatchObject({ workers: 3, idle: 0 });
  expect(sumShards([busy])).toMatchObject({ workers: 3, idle: 1 });
});

it('sumShards adds up batches in topics, waiting batches and calls in flight', () => {
  const sums = sumShards([
    shard('SG', { inFlight: 3, callLimit: 8, lag: { messages: 7, waiting: 2, seconds: 4 } }),
    shard('ID', { inFlight: 1, callLimit: 8, lag: { messages: null, batches: 5, seconds: 1 } }),
  ]);
  expect(sums).toMatchObject({ inTopics: 12, waiting: 2, inFlight: 4, callLimit: 16, medianSeconds: 4 });
  expect(sums.longest?.country).toBe('SG');
});

it('describeHistory describes the sparkline for screen readers', () => {
  expect(describeHistory(shard('SG', { lag: { history: [null, 2, 40] } }))).toBe(
    'Lag of the last 15 minutes: between 2 and 40 s',
  );
  expect(describeHistory(shard('SG'))).toBe('Lag of the last 15 minutes: no data');
});
