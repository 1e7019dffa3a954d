import { describe, expect, it } from 'vitest';
import { report } from '../../../testing/runs/ended-report.ts';
import { differences, reportOfVariants, variants } from '../../../testing/runs/variants.ts';
import { axisLimitOf, describeDifference, figuresOfStep, ratesOfVariant } from './variant-figures.ts';

const valuesOf = (step: number, of: Parameters<typeof figuresOfStep>[0] = reportOfVariants) =>
  figuresOfStep(of, step).map(({ name, cells }) => [name, ...cells.map(({ value }) => value)].join(' '));

describe('the figures of variants', () => {
  it('are those of each variant, and of all', () => {
    expect(valuesOf(1)).toEqual(['Users 15,012 14,988 30,000', 'Succeeded 14,735 14,712 29,447', 'Failed 277 276 553']);
  });

  it('contain receipts of an asynchronous step, and outcomes that users have', () => {
    expect(valuesOf(2)).toEqual([
      'Users 15,012 14,988 30,000',
      'Succeeded 14,600 14,576 29,176',
      'Failed 135 136 271',
      'Skipped 277 276 553',
      'Delivered 14,080 14,496 28,576',
      'Undelivered 520 80 600',
      'No receipt yet 0 0 0',
    ]);
  });

  it('have percentages of the users whose step has ended, without held-out users', () => {
    const [line] = report.steps;
    if (!line) return expect.fail();
    const steps = [{ ...line, audience: 1000, heldOut: 100, pending: 400, succeeded: 450, failed: 50 }];
    const [, succeeded] = figuresOfStep({ steps, variants: [] }, 1);
    expect(succeeded?.cells).toEqual([{ value: '450', share: '90.0 %' }]);
  });

  it('contain the cost of the step in money, otherwise in units', () => {
    const step = { step: 1, action: 'award-reward', unitsPerUser: 2, price: '0.05', units: 29_470, amount: '1473.50' };
    const cost = { currency: 'SGD', units: 29_470, amount: '1473.50', steps: [step], countries: [] };
    const unpriced = { ...cost, steps: [{ ...step, price: null, amount: null }] };
    const [a, b] = variants;
    if (!a || !b) return expect.fail();
    const priced = {
      ...reportOfVariants,
      variants: [
        { ...a, cost },
        { ...b, cost: unpriced },
      ],
    };
    expect(valuesOf(1, priced).at(-1)).toBe('Cost SGD 1473.50 29,470 units –');
    expect(valuesOf(2, priced).at(-1)).toMatch(/^No receipt yet/);
  });
});

describe('a difference in words', () => {
  const [, delivered] = differences;
  const base = delivered ?? expect.fail();
  const wordsOf = (changes: Partial<typeof base>) => {
    const { lead, interval, verdict } = describeDifference({ ...base, ...changes });
    return `${lead}, ${interval}; ${verdict}`;
  };

  it('is in percentage points, with its interval and the verdict', () => {
    expect(wordsOf({ difference: 0.012, low: 0.004, high: 0.02 })).toBe(
      'B − A: +1.2 points, between +0.4 and +2.0; B is higher than A',
    );
    expect(wordsOf({ difference: -0.03, low: -0.05, high: -0.01, verdict: 'lower' })).toBe(
      'B − A: −3.0 points, between −5.0 and −1.0; B is lower than A',
    );
  });

  it('has two decimals if the interval is narrower than a point', () => {
    expect(wordsOf({ difference: 0, low: -0.0037, high: 0.0036, verdict: 'no-difference' })).toBe(
      'B − A: 0 points, between −0.37 and +0.36; No difference that matters',
    );
  });

  it('names the missing users instead of a verdict', () => {
    const tooFew = { verdict: 'too-few-users', users: 3000 } as const;
    expect(wordsOf({ ...tooFew, neededUsers: 12_400 })).toMatch(
      /Not enough users yet: 12,400 needed in each, 3,000 so far$/,
    );
    expect(wordsOf({ ...tooFew, neededUsers: null })).toMatch(/Not enough users yet: the rates are equal so far$/);
  });
});

describe('the rates of a variant', () => {
  const [a] = variants;
  if (!a) throw new Error('the recorded run has two variants');

  it('are those of the compared steps', () => {
    const rates = ratesOfVariant(a, differences);
    expect(rates.map(({ step, rates: of }) => `${step}: ${of.join(', ')}`)).toEqual([
      '2: 97.3 % succeeded, 96.4 % delivered',
    ]);
  });

  it('are those of the last step without differences', () => {
    expect(ratesOfVariant(a, []).map(({ step }) => step)).toEqual([2]);
  });
});

it.each([
  [0.0335, 0.05],
  [0.02, 0.02],
  [0.2, 0.2],
  [0.0001, 0.001],
  [1, 1],
  [0.7, 1],
])('the axis of an interval up to %d ends at %d', (high, limit) => {
  expect(axisLimitOf([{ low: -high / 2, high }])).toBeCloseTo(limit, 12);
});
