import { expect, test } from 'vitest';
import { ruleOf, addRule } from './policy-form.ts';

const [empty] = addRule({ rules: [], approversSignIn: false }).rules;

test.each([
  ['5000.50', '5000.50'],
  ['5,000', '5000'],
  ['1,250,000.5', '1250000.5'],
  ['5000,50', undefined],
  ['5.000,50', undefined],
  ['50,00', undefined],
  ['a lot', undefined],
])('an amount of %s is parsed as %s: commas separate only thousands', (typed, amountAbove) => {
  const rule = ruleOf({ ...(empty ?? expect.fail()), amountAbove: typed });
  expect(rule?.amountAbove).toBe(amountAbove);
  expect(rule === undefined).toBe(amountAbove === undefined);
});
