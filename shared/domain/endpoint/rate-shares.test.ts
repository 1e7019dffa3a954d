import { fc } from '../../../test/support/properties.ts';
import { describe, expect, it } from 'vitest';
import { rateShareOf } from './rate-shares.ts';

const idle = (demand: number) => ({ demand, held: 0 });

describe("a worker's share of a rate", () => {
  it('is the whole rate for a single worker', () => {
    expect(rateShareOf(100, 100, [])).toBe(100);
    expect(rateShareOf(100, 3, [])).toBe(100);
  });

  it('is equal if all workers need the whole rate, and larger if others need little', () => {
    expect(rateShareOf(90, 90, [idle(90), idle(90)])).toBe(30);
    expect(rateShareOf(90, 90, [idle(10), idle(90)])).toBe(40);
    expect(rateShareOf(90, 10, [idle(90), idle(90)])).toBe(10);
  });

  it('has room to grow if all workers together need less than the rate', () => {
    expect(rateShareOf(90, 10, [idle(20), idle(0)])).toBe(30);
  });

  it('is at most the part of the rate that other workers do not hold', () => {
    expect(rateShareOf(90, 90, [{ demand: 90, held: 90 }])).toBe(0);
    expect(rateShareOf(90, 90, [{ demand: 90, held: 60 }])).toBe(30);
  });

  it('never exceeds the rate together with all other shares, in any order of requests', () => {
    const amount = fc.double({ min: 0, max: 1000, noNaN: true });
    fc.assert(
      fc.property(
        amount,
        fc.array(fc.record({ worker: fc.nat(4), demand: amount }), { maxLength: 40 }),
        (rate, asks) => {
          const held = new Map<number, { demand: number; held: number }>();
          for (const { worker, demand } of asks) {
            const others = [...held].filter(([name]) => name !== worker).map(([, share]) => share);
            held.set(worker, { demand, held: rateShareOf(rate, demand, others) });
            const sum = [...held.values()].reduce((total, share) => total + share.held, 0);
            expect(sum).toBeLessThanOrEqual(rate * (1 + 1e-9) + 1e-9);
          }
        },
      ),
    );
  });
});
