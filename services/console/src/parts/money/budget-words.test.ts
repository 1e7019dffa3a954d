import { expect, it } from 'vitest';
import { budgetText, budgetWords, figuresOf, typedBudget } from './budget-words.ts';

it.each([
  ['1,000', { units: 1000 }],
  ['5,000 EUR', { amount: '5000', currency: 'EUR' }],
  ['5000.50eur', { amount: '5000.50', currency: 'EUR' }],
  [' ', null],
  ['much', undefined],
])('a budget is typed as units, or as money: %s', (text, size) => {
  expect(typedBudget(text)).toEqual(size);
});

it('it is written as one would type it', () => {
  expect(budgetText({ units: 1000 })).toBe('1,000');
  expect(budgetWords({ units: 1000 })).toBe('1,000 units');
  expect(budgetWords({ amount: '1234567.50', currency: 'EUR' })).toBe('1,234,567.50 EUR');
});

it('of one in money, what is used and left is told in its currency', () => {
  const money = { currency: 'EUR', amount: '5000.00', used: '1234.50', reserved: '0.00', left: '3765.50' };
  const shown = figuresOf({ units: null, used: null, reserved: null, left: null, money, waitingBatches: 0 });
  expect(`${shown.used.text} of ${shown.all.text} ${shown.unit}`).toBe('1,234.50 of 5,000.00 EUR');
  expect(shown.left).toEqual({ number: 3765.5, text: '3,765.50' });
});
