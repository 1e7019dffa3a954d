import { describe, expect, it } from 'vitest';
import { jobIdOf } from '../job/job-ids.ts';
import { batchTracesOf, isSampled, rootSpanOf, traceOfJob } from './trace-ids.ts';

const feedIds = Array.from({ length: 20 }, (_, index) => jobIdOf('a feed', `feed ${index}`));
const batchNos = Array.from({ length: 10_000 }, (_, index) => index + 1);

describe('the trace ids of batches', () => {
  it('are valid and unique', () => {
    const traces = feedIds.slice(0, 5).flatMap((feedId) => {
      const { traceOf } = batchTracesOf(feedId);
      return batchNos.map((batchNo) => traceOf(batchNo));
    });
    expect(new Set(traces).size).toBe(5 * batchNos.length);
    expect(new Set(traces.map(rootSpanOf)).size).toBe(traces.length);
    expect(traces.filter((trace) => !/^(?!0{32})[0-9a-f]{16}(?!0{16})[0-9a-f]{16}$/.test(trace))).toEqual([]);
  });

  it('are the same in every process and release', () => {
    const [feedId = ''] = feedIds;
    const one = '018f2c3e-7b1a-7c4d-9e5f-0123456789ab';
    expect(batchTracesOf(feedId).traceOf(17)).toBe(batchTracesOf(feedId).traceOf(17));
    // Processes of two versions have to compute the same id, so it must never change.
    expect(batchTracesOf(one).traceOf(17)).toBe('9e5f0123456789abe44fed2455203d49');
    // The same for child batches, whose numbers begin at 2^30.
    expect(batchTracesOf(one).traceOf(2 ** 30 + 1)).toMatch(/^9e5f0123456789ab[0-9a-f]{16}$/);
  });

  it.each([0, 0.01, 0.1, 0.5, 1])('are sampled at the configured share in each feed: %d', (share) => {
    for (const feedId of feedIds) {
      const traces = batchTracesOf(feedId);
      const sampled = batchNos.filter((batchNo) => traces.isSampled(batchNo, share));
      // Five standard deviations.
      const spread = 5 * Math.sqrt(batchNos.length * share * (1 - share));
      expect(Math.abs(sampled.length - batchNos.length * share)).toBeLessThanOrEqual(spread);
    }
  });

  it('have the same sampling decision by batch number as by trace id', () => {
    for (const feedId of feedIds) {
      const traces = batchTracesOf(feedId);
      const differing = batchNos.filter(
        (batchNo) => traces.isSampled(batchNo, 0.1) !== isSampled(traces.traceOf(batchNo), 0.1),
      );
      expect(differing).toEqual([]);
    }
  });

  it('are sampled at different batch numbers in each feed', () => {
    const sampledIn = (feedId: string) => {
      const { isSampled: isOne } = batchTracesOf(feedId);
      return batchNos.filter((batchNo) => isOne(batchNo, 0.01));
    };
    expect(new Set(feedIds.map((feedId) => sampledIn(feedId).join())).size).toBe(feedIds.length);
  });
});

describe('the trace ids of jobs', () => {
  it.each([
    ['with an idempotency key', (index: number) => jobIdOf('a client', `key ${index}`)],
    ['without an idempotency key', () => jobIdOf('a client', null)],
  ])('are the job ids, and are sampled at the configured share: %s', (_, idOf) => {
    const traces = batchNos.map((index) => traceOfJob(idOf(index)));
    expect(traces.filter((trace) => !/^[0-9a-f]{32}$/.test(trace))).toEqual([]);
    const sampled = traces.filter((trace) => isSampled(trace, 0.1)).length;
    expect(Math.abs(sampled - 1000)).toBeLessThan(5 * Math.sqrt(900));
  });
});
