import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  amountOf,
  isTooMuchForOne,
  millionthsOf,
  moneyWords,
  normalAmount,
  pricePattern,
  sumOfAmounts,
} from './amounts.ts';

it.each([
  [3, '0.1', '0.30'],
  [0, '0.05', '0.00'],
  [1, '0.000001', '0.000001'],
  [1_000_000, '0.000001', '1.00'],
  [7, '0.0125', '0.0875'],
  [9_007_199_254_740_991, '0.01', '90071992547409.91'],
] as const)('%d units at a price of %s cost %s', (units, price, amount) => {
  expect(amountOf(units, price)).toBe(amount);
});

it('amounts are summed exactly, in any order', () => {
  const price = fc
    .tuple(fc.nat(999_999_999), fc.nat(999_999))
    .map(([whole, part]) => `${whole}.${String(part).padStart(6, '0')}`);
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(10_000_000), price), { minLength: 1 }), (lines) => {
      const amounts = lines.map(([units, each]) => amountOf(units, each));
      const exact = lines.reduce((sum, [units, each]) => sum + BigInt(units) * BigInt(each.replace('.', '')), 0n);
      const sum = sumOfAmounts(amounts) ?? expect.fail();
      const [whole = '', part = ''] = sum.split('.');
      expect(part.length).toBeGreaterThanOrEqual(2);
      expect(BigInt(whole + part.padEnd(6, '0'))).toBe(exact);
      expect(sumOfAmounts(amounts.toReversed())).toBe(sum);
    }),
  );
  expect(sumOfAmounts([])).toBeNull();
});

it('a price is a decimal number with up to six decimal places', () => {
  for (const price of ['0', '0.05', '12', '999999999.999999']) expect(price).toMatch(pricePattern);
  for (const price of ['', '.5', '1.', '01', '-1', '1e3', '1,5', '0.0000001', '1000000000', 'NaN'])
    expect(price).not.toMatch(pricePattern);
});

it.each([
  ['5000', '5000.00'],
  ['5000.0', '5000.00'],
  ['0.1250', '0.125'],
  ['5,000', '5,000'],
  ['', ''],
])('the amount %j is normalized to %j', (text, normal) => {
  expect(normalAmount(text)).toBe(normal);
});

it('an amount is exact to its last decimal place', () => {
  expect(millionthsOf('999999999999.999999')).toBe(999_999_999_999_999_999n);
  expect(moneyWords('1234567.50', 'EUR')).toBe('1,234,567.50 EUR');
});

it('a user may cost up to ten million in a step', () => {
  expect(isTooMuchForOne('10000000')).toBe(false);
  expect(isTooMuchForOne('10000000.000001')).toBe(true);
});
