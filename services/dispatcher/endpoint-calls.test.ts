import { describe, expect, it } from 'vitest';
import { writtenDurations } from '../../shared/domain/job/call-durations.ts';
import { createSettableClock } from '../../test/support/settable-clock.ts';
import { createCallCounts } from './call-counts.ts';
import { endpointCallsOf } from './endpoint-calls.ts';

function given() {
  const clock = createSettableClock();
  const counts = createCallCounts({ clock });
  const call = (endpointId: string, times = 1) => {
    for (let time = 0; time < times; time++) counts.note(endpointId, 40);
  };
  /** The durations of each endpoint, with the bounds of the buckets. */
  const durations = () =>
    Object.fromEntries(
      Array.from(counts.durations().byEndpoint, ([endpointId, buckets]) => [endpointId, writtenDurations(buckets)]),
    );
  return { clock, counts, call, durations };
}

describe('the call counts of a dispatcher', () => {
  it('contain the calls of the last minute per client', () => {
    const { clock, counts, call } = given();
    call('shop', 30);
    clock.advance(30_000);
    call('shop', 12);
    call('billing', 3);
    expect(Object.fromEntries(counts.lastMinute())).toEqual({ shop: 42, billing: 3 });
    clock.advance(32_000);
    expect(Object.fromEntries(counts.lastMinute())).toEqual({ shop: 12, billing: 3 });
    clock.advance(30_000);
    expect([...counts.lastMinute()]).toEqual([]);
  });

  it('cover the last minute although they were not read for ten minutes', () => {
    const { clock, counts, call } = given();
    for (let second = 0; second < 600; second++) {
      call('shop', 2);
      clock.advance(1000);
    }
    expect(counts.lastMinute().get('shop')).toBeGreaterThanOrEqual(116);
    expect(counts.lastMinute().get('shop')).toBeLessThanOrEqual(124);
  });

  it('are reported for clients with jobs or calls, together with their slots', () => {
    const { counts, call } = given();
    call('shop', 5);
    call('quiet', 1);
    const none = { length: 0, claimed: [], inFlight: 0 };
    const queues = new Map([
      ['shop', { ...none, inFlight: 3 }],
      ['waits', { ...none, length: 7 }],
      ['remembered', none],
    ]);
    const slots: Record<string, number> = { shop: 16, waits: 2, quiet: 4 };
    const reported = endpointCallsOf({
      queues: { all: () => queues },
      counts,
      slotsOf: (endpointId) => slots[endpointId] ?? 99,
    });
    expect(reported).toEqual({
      shop: { underWay: 3, slots: 16, lastMinute: 5 },
      quiet: { underWay: 0, slots: 4, lastMinute: 1 },
      waits: { underWay: 0, slots: 2, lastMinute: 0 },
    });
  });
});

describe('the call durations of a dispatcher', () => {
  it('are counted over ten minutes per client in histogram buckets', () => {
    const { clock, counts, durations } = given();
    counts.note('shop', 180);
    clock.advance(300_000);
    for (const tookMs of [180, 250, 251, 90_000]) counts.note('shop', tookMs);
    counts.note('billing', 9);
    expect(durations()).toEqual({ shop: '{"250":3,"500":1,"over":1}', billing: '{"10":1}' });
    // The first call is over ten minutes old, and the interval in which it was counted has ended.
    clock.advance(361_000);
    expect(durations()).toEqual({ shop: '{"250":2,"500":1,"over":1}', billing: '{"10":1}' });
    clock.advance(300_000);
    expect(durations()).toEqual({});
  });

  it('cover the time since the start, and later ten to eleven minutes', () => {
    const { clock, counts } = given();
    clock.advance(90_000);
    expect(counts.durations().forMs).toBe(90_000);
    for (let second = 0; second < 1200; second++) {
      counts.note('shop', 20);
      clock.advance(1000);
    }
    const { forMs, byEndpoint } = counts.durations();
    const [, upTo25] = byEndpoint.get('shop') ?? [];
    expect(forMs).toBeGreaterThanOrEqual(600_000);
    expect(forMs).toBeLessThanOrEqual(660_000);
    expect(upTo25).toBe(Math.round(forMs / 1000));
  });

  it('are dropped for clients without a call in ten minutes', () => {
    const { clock, counts } = given();
    for (let client = 0; client < 1000; client++) counts.note(`client-${client}`, 20);
    clock.advance(300_000);
    counts.note('shop', 20);
    expect(counts.durations().byEndpoint.size).toBe(1001);
    expect([...counts.lastMinute().keys()]).toEqual(['shop']);
    clock.advance(361_000);
    expect([...counts.durations().byEndpoint.keys()]).toEqual(['shop']);
  });
});
