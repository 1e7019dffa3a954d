import { z } from 'zod';
import { amountPattern, normalAmount } from '../../domain/money/amounts.ts';
import { changeReason } from '../change-reason.ts';
import { forbids, notExactlyOne } from '../stated-rules.ts';

export const budget = z
  .strictObject({
    country: z.string().describe('Country of the campaign'),
    units: z
      .int()
      .min(0)
      .max(1_000_000_000_000)
      .optional()
      .describe('Units that all runs of the campaign together may spend in the country'),
    amount: z
      .string()
      .regex(amountPattern, 'has to be a decimal such as "5000.00", with up to six places')
      .overwrite(normalAmount)
      .optional()
      .describe(
        'Alternative to units: an amount of money, at the prices with which each run begins. Every step that costs units needs a price',
      ),
    currency: z
      .string()
      .regex(/^[A-Z]{3}$/, 'has to be a code of ISO 4217, such as EUR')
      .optional()
      .describe("Currency of the amount; the installation's"),
  })
  .superRefine(({ units, amount, currency }, context) => {
    const wrong = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    if ((units === undefined) === (amount === undefined))
      wrong(units === undefined ? 'units' : 'amount', 'give units or an amount, and not both');
    else if ((amount === undefined) !== (currency === undefined))
      wrong('currency', 'goes with an amount, and only with one');
  })
  .meta({
    ...forbids(...notExactlyOne('units', 'amount')),
    dependentRequired: { amount: ['currency'], currency: ['amount'] },
  });

export const budgets = z
  .array(budget)
  .min(1)
  .max(250)
  .describe('Budgets by country; other countries have no limit. `unitsPerUser` of a step is the cost of a user')
  .meta({ examples: [[{ country: 'SG', units: 50_000 }]] });

export type Budget = z.infer<typeof budget>;

const units = z.number().min(0);
const amount = z.string();

export const budgetFigures = z
  .object({
    country: z.string(),
    units: units
      .nullable()
      .describe('Units that all runs of the campaign together may spend in the country; null: the budget is monetary'),
    used: units.nullable().describe('Units for users that succeeded or whose outcome is unknown'),
    reserved: units.nullable().describe('Units for users whose call may be in progress or may have been applied'),
    left: z.number().nullable().describe('Neither used nor reserved; negative if the budget was lowered afterwards'),
    money: z
      .object({ currency: z.string(), amount, used: amount, reserved: amount, left: amount })
      .nullable()
      .describe('The same figures of a monetary budget, as decimals; each user at the price with which the run began'),
    waitingBatches: z
      .int()
      .min(0)
      .describe('Batches that wait because too little of the budget was left for their call'),
  })
  .meta({ id: 'BudgetFigures', description: 'Budget of a campaign in a country, in units or money' });

export type BudgetFiguresShape = z.infer<typeof budgetFigures>;

const campaignBudget = budgetFigures
  .extend({
    raisableTo: units
      .nullable()
      .describe(
        'Units to which this budget may be raised without another approval, if the others stay; null: no limit',
      ),
    raisableToAmount: z.string().nullable().describe('The same for a monetary budget'),
  })
  .meta({ id: 'CampaignBudget' });

export type CampaignBudgetShape = z.infer<typeof campaignBudget>;

export const campaignBudgets = z.object({ items: z.array(campaignBudget) }).meta({ id: 'CampaignBudgets' });

export const budgetChanges = z
  .strictObject({
    budgets: budgets.describe('Budgets to change; others stay as they are'),
    reason: changeReason.optional(),
  })
  .meta({ id: 'BudgetChanges', examples: [{ budgets: [{ country: 'SG', units: 50_000 }] }] });
