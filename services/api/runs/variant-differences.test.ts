import { describe, expect, it } from 'vitest';
import { rateDifference } from '../../../shared/contracts/runs/rate-differences.ts';
import type { RunVariant, StepLineShape } from '../../../shared/contracts/runs/step-lines.ts';
import { differencesOf } from './variant-differences.ts';

function lineOf(over: Partial<StepLineShape>): StepLineShape {
  const none = { failed: 0, skipped: 0, suppressed: 0, heldOut: 0, expired: 0, cancelled: 0, unknown: 0 };
  return { step: 1, action: 'send-message', audience: 10_000, succeeded: 9000, pending: 0, ...none, ...over };
}

function variantOf(name: string, ...steps: Partial<StepLineShape>[]): RunVariant {
  return { name, weight: 5000, users: 10_000, heldOut: 0, steps: steps.map(lineOf) };
}

const inFirstStep = [{ hasVariants: true }];
const inSecondStep = [{ hasVariants: false }, { hasVariants: true }, { hasVariants: true }];

describe('the differences between variants', () => {
  it('compare each variant with the first one', () => {
    const variants = [
      variantOf('A', { succeeded: 9000 }),
      variantOf('B', { succeeded: 9200 }),
      variantOf('C', { succeeded: 8000 }),
    ];
    const found = differencesOf(variants, inFirstStep);
    expect(found).toMatchObject([
      { step: 1, action: 'send-message', rate: 'succeeded', of: 'B', against: 'A', users: 10_000, verdict: 'higher' },
      { step: 1, action: 'send-message', rate: 'succeeded', of: 'C', against: 'A', verdict: 'lower' },
    ]);
    expect(found[0]?.difference).toBeCloseTo(0.02, 12);
    for (const each of found) expect(rateDifference.parse(each)).toEqual(each);
  });

  it('leave out the steps before the first step with variants', () => {
    const both = [{ step: 1 }, { step: 2 }];
    const found = differencesOf([variantOf('A', ...both), variantOf('B', ...both)], inSecondStep);
    expect(found.map(({ step }) => step)).toEqual([2]);
  });

  it('leave out held-out and pending users', () => {
    const line = { audience: 10_000, heldOut: 1000, pending: 4000, succeeded: 5000 };
    const [found] = differencesOf([variantOf('A', line), variantOf('B', { ...line, succeeded: 4000 })], inFirstStep);
    expect(found?.users).toBe(5000);
    expect(found?.difference).toBeCloseTo(-0.2, 12);
  });

  it('compare deliveries among the accepted users', () => {
    const receipts = { delivered: 8000, undelivered: 500, unexpected: 0, awaiting: 500 };
    const found = differencesOf(
      [variantOf('A', { receipts }), variantOf('B', { receipts: { ...receipts, delivered: 8100 } })],
      inFirstStep,
    );
    expect(found.map(({ rate }) => rate)).toEqual(['succeeded', 'delivered']);
    expect(found[1]?.users).toBe(9000);
    expect(found[1]?.difference).toBeCloseTo(100 / 9000, 12);
  });

  it('accept receipts that arrive before the acceptance of their users is recorded', () => {
    const receipts = { delivered: 12, undelivered: 0, unexpected: 0, awaiting: -2 };
    const early = { audience: 100, succeeded: 10, pending: 90, receipts };
    const found = differencesOf([variantOf('A', early), variantOf('B', early)], inFirstStep);
    expect(found[1]).toMatchObject({ rate: 'delivered', users: 12, difference: 0 });
  });

  it('do not exist while a variant has no users whose step has ended', () => {
    const waiting = { audience: 100, succeeded: 0, pending: 100 };
    expect(differencesOf([variantOf('A', waiting), variantOf('B', {})], inFirstStep)).toEqual([]);
    expect(differencesOf([], inFirstStep)).toEqual([]);
  });
});
