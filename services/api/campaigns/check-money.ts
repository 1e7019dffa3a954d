import { z } from 'zod';
import type { Catalogue } from '../../../shared/contracts/endpoints/engine-config.ts';
import type { FieldProblem } from '../../../shared/contracts/field-problems.ts';
import { amountOf, isTooMuchForOne, moneyWords } from '../../../shared/domain/money/amounts.ts';
import { quoted } from '../frame/http-problem.ts';

const monetaryBudget = z.object({ amount: z.string(), currency: z.string() });
const costing = z.object({ action: z.string(), unitsPerUser: z.int().min(1) });

/** Returns the problems of budgets in money: a wrong currency, and steps whose action costs units but has no price. */
export function checkMoney(
  budgets: readonly unknown[],
  chain: readonly unknown[],
  { actionTypes, currency = null }: Catalogue,
): FieldProblem[] {
  const monetary = budgets.flatMap((budget, index) => {
    const { data } = monetaryBudget.safeParse(budget);
    return data ? [{ currency: data.currency, pointer: `/budgets/${index}/currency` }] : [];
  });
  if (monetary.length === 0) return [];
  const foreign = monetary.filter((each) => each.currency !== currency);
  const known =
    currency === null
      ? 'this installation has no currency: set MUSTER_CURRENCY of the API'
      : `prices are in ${currency}`;
  return [
    ...foreign.map(({ pointer, currency: code }) => ({
      pointer,
      code: 'foreign-currency',
      detail: `a budget cannot be in ${quoted(code)}: ${known}`,
    })),
    ...chain.flatMap((step, index) => {
      const { data } = costing.safeParse(step);
      const type = data && Object.hasOwn(actionTypes, data.action) ? actionTypes[data.action] : undefined;
      const detail = data && type && unpriced(data, type.price, currency ?? '');
      return detail ? [{ pointer: `/chain/${index}/unitsPerUser`, ...detail }] : [];
    }),
  ];
}

function unpriced({ action, unitsPerUser }: z.infer<typeof costing>, price: string | undefined, currency: string) {
  if (price === undefined) {
    const detail = `${quoted(action)} has no price, so a budget in money cannot count it: set a price for the action type, or use a budget in units`;
    return { code: 'no-price', detail };
  }
  const cost = amountOf(unitsPerUser, price);
  if (!isTooMuchForOne(cost)) return undefined;
  return {
    code: 'too-expensive',
    detail: `a user would cost ${moneyWords(cost, currency)} here: the maximum is 10,000,000`,
  };
}
