import { expect, it } from 'vitest';
import { formatTypedBudget, formatBudget, figuresOf, parseBudget } from './amounts.ts';

it.each([
  ['1,000', { units: 1000 }],
  ['5,000 EUR', { amount: '5000', currency: 'EUR' }],
  ['5000.50eur', { amount: '5000.50', currency: 'EUR' }],
  [' ', null],
  ['much', undefined],
])('a typed budget is units or money: %s', (text, size) => {
  expect(parseBudget(text)).toEqual(size);
});

it('a budget is formatted as a user types it', () => {
  expect(formatTypedBudget({ units: 1000 })).toBe('1,000');
  expect(formatBudget({ units: 1000 })).toBe('1,000 units');
  expect(formatBudget({ amount: '1234567.50', currency: 'EUR' })).toBe('1,234,567.50 EUR');
});

it('amounts of a monetary budget are formatted in its currency', () => {
  const money = { currency: 'EUR', amount: '5000.00', used: '1234.50', reserved: '0.00', left: '3765.50' };
  const figures = figuresOf({ units: null, used: null, reserved: null, left: null, money, waitingBatches: 0 });
  expect(`${figures.used.text} of ${figures.all.text} ${figures.unit}`).toBe('1,234.50 of 5,000.00 EUR');
  expect(figures.left).toEqual({ number: 3765.5, text: '3,765.50' });
});
