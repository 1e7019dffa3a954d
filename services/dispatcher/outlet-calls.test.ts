import { describe, expect, it } from 'vitest';
import { createSettableClock } from '../../test/support/settable-clock.ts';
import { createCallCounts } from './call-counts.ts';
import { outletCallsOf } from './outlet-calls.ts';

function given() {
  const clock = createSettableClock();
  const counts = createCallCounts({ clock });
  const call = (outletId: string, times = 1) => {
    for (let time = 0; time < times; time++) counts.note(outletId);
  };
  return { clock, counts, call };
}

describe('what a dispatcher does client by client', () => {
  it('counts the calls of the last minute of each, and forgets those before', () => {
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

  it('is of the last minute, however long nobody asked', () => {
    const { clock, counts, call } = given();
    for (let second = 0; second < 600; second++) {
      call('shop', 2);
      clock.advance(1000);
    }
    expect(counts.lastMinute().get('shop')).toBeGreaterThanOrEqual(116);
    expect(counts.lastMinute().get('shop')).toBeLessThanOrEqual(124);
  });

  it('is said of those at work, with their part of the slots, and of no client that has nothing here', () => {
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
    const said = outletCallsOf({ queues: { all: () => queues }, counts, slotsOf: (outletId) => slots[outletId] ?? 99 });
    expect(said).toEqual({
      shop: { underWay: 3, slots: 16, lastMinute: 5 },
      quiet: { underWay: 0, slots: 4, lastMinute: 1 },
      waits: { underWay: 0, slots: 2, lastMinute: 0 },
    });
  });
});
