import { describe, expect, it } from 'vitest';
import type { Shard } from '#client/types.gen.ts';
import { byLag, fits, historyInWords, idleInWords, inOrderOf, lagText, sumsOf } from './shard-figures.ts';
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
  ...{ id: `award.${country}`, actionType: 'award', country, topic: `muster.award.${country}` },
  ...{ partitions: { wanted: 2, actual: 2 }, workers, lanes: [], inFlight: 0, callLimit: 0, batchesPerSecond: 0 },
  ...{ breaker: 'closed', endpoint: null, desiredWorkers: 0, notes: [], createdAt: '', links: { self: '' } },
  ...changes,
  lag: { ...lag, ...changes.lag },
});

const late = shard('VN', { lag: { seconds: 672 } });
const stuck = shard('ID', { lag: { seconds: null, batches: 3 } });
const quiet = shard('SG', { lag: { seconds: 0.8 } });
const ids = (shards: readonly Shard[]) => shards.map(({ country }) => country);

describe('the order', () => {
  it('is the longest lag first, and before all where nothing moves', () => {
    expect(ids(byLag([quiet, late, stuck]))).toEqual(['ID', 'VN', 'SG']);
  });

  it('is before those, what has work and no worker, with the reason that a worker gave', () => {
    const notes = ['no worker serves it, and there is work', '2 workers cannot serve it: leases are too short'];
    const unserved = shard('TH', { workers: [], notes, lag: { pacedBatches: 3 } });
    expect(ids(byLag([quiet, stuck, unserved]))).toEqual(['TH', 'ID', 'SG']);
    expect(isUnserved(shard('MY', { workers: [] }))).toBe(false);
    expect(unservedCause(unserved)).toBe('2 workers cannot serve it: leases are too short');
    expect(sumsOf([quiet, unserved]).unserved).toBe(1);
  });

  it('does not put first what only waits for the pace of its run', () => {
    const paced = shard('MM', { lag: { pacedBatches: 9000, aheadBatches: 0 } });
    expect(ids(byLag([paced, quiet]))).toEqual(['SG', 'MM']);
    expect(fits(paced, 'lag')).toBe(false);
  });

  it('waits while somebody looks: rows stay, and it is said how many would move', () => {
    const order = ['award.SG', 'award.VN'];
    const { shards, moved } = inOrderOf([quiet, late, stuck], order);
    expect([ids(shards), moved]).toEqual([['SG', 'VN', 'ID'], 2]);
    expect(inOrderOf([quiet, late], []).moved).toBe(0);
  });
});

it.each([
  [late, '11 min 12 s'],
  [quiet, '0.8 s'],
  [stuck, 'nothing moves'],
])('tells how far behind it is', (each, text) => {
  expect(lagText(each)).toBe(text);
});

it('shows those that should be looked at', () => {
  const open = shard('TH', { breaker: 'slow-start' });
  expect(ids([late, stuck, quiet, open].filter((each) => fits(each, 'lag')))).toEqual(['VN', 'ID']);
  expect(ids([late, stuck, quiet, open].filter((each) => fits(each, 'breaker')))).toEqual(['TH']);
});

it('says plainly who has nothing to do', () => {
  const three = ['a', 'b', 'c'].map((worker, index) => ({ worker, partitions: index < 2 ? [index] : [] }));
  const busy = shard('SG', { workers: three });
  expect(idleInWords(busy)).toBe('c is idle: 3 workers for 2 partitions');
  expect(idleInWords(shard('SG'))).toBeUndefined();
  const elsewhere = shard('VN', { workers: [{ worker: 'c', partitions: [0] }] });
  expect(sumsOf([busy, elsewhere])).toMatchObject({ workers: 3, idle: 0 });
  expect(sumsOf([busy])).toMatchObject({ workers: 3, idle: 1 });
});

it('sums what is in the topics, held back and under way', () => {
  const sums = sumsOf([
    shard('SG', { inFlight: 3, callLimit: 8, lag: { messages: 7, waiting: 2, seconds: 4 } }),
    shard('ID', { inFlight: 1, callLimit: 8, lag: { messages: null, batches: 5, seconds: 1 } }),
  ]);
  expect(sums).toMatchObject({ inTopics: 12, heldBack: 2, inFlight: 4, callLimit: 16, medianSeconds: 4 });
  expect(sums.longest?.country).toBe('SG');
});

it('tells a history to who cannot see it', () => {
  expect(historyInWords(shard('SG', { lag: { history: [null, 2, 40] } }))).toBe(
    'Lag of the last 15 minutes: between 2 and 40 s',
  );
  expect(historyInWords(shard('SG'))).toBe('Lag of the last 15 minutes: nobody looked');
});
