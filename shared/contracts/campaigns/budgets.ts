import { z } from 'zod';
import { amountPattern, normalAmount } from '../../domain/money/amounts.ts';
import { changeReason } from '../change-reason.ts';
import { forbids, notExactlyOne } from '../stated-rules.ts';

export const budget = z
  .strictObject({
    country: z.string().describe("One of the campaign's"),
    units: z
      .int()
      .min(0)
      .max(1_000_000_000_000)
      .optional()
      .describe('That all runs of the campaign may spend there together'),
    amount: z
      .string()
      .regex(amountPattern, 'has to be a decimal such as "5000.00", with up to six places')
      .overwrite(normalAmount)
      .optional()
      .describe('Or in money, at the prices that each run begins with: every step that costs units needs one'),
    currency: z
      .string()
      .regex(/^[A-Z]{3}$/, 'has to be a code of ISO 4217, such as EUR')
      .optional()
      .describe("Of the amount; the installation's"),
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
  .describe('By country; a country that is not named has no limit. A step says what a user costs: `unitsPerUser`')
  .meta({ examples: [[{ country: 'SG', units: 50_000 }]] });

export type Budget = z.infer<typeof budget>;

const units = z.number().min(0);
const amount = z.string();

export const budgetFigures = z
  .object({
    country: z.string(),
    units: units.nullable().describe('What all runs of the campaign may spend there together; null: it is in money'),
    used: units.nullable().describe('For users that succeeded, or of which it is unknown'),
    reserved: units.nullable().describe('For users whose call may be under way, or may have been applied'),
    left: z
      .number()
      .nullable()
      .describe('Neither used nor reserved; below zero where the budget was lowered afterwards'),
    money: z
      .object({ currency: z.string(), amount, used: amount, reserved: amount, left: amount })
      .nullable()
      .describe('The same of a budget in money, as decimals, each user at the price that the run began with'),
    waitingBatches: z.int().min(0).describe('Batches for which too little was left when they were to be called'),
  })
  .meta({ id: 'BudgetFigures', description: 'A budget of a campaign in a country, in units or in money' });

export type BudgetFiguresShape = z.infer<typeof budgetFigures>;

const campaignBudget = budgetFigures
  .extend({
    raisableTo: units
      .nullable()
      .describe('Up to so many units it may be raised without another approval, the others as they are; null: to any'),
    raisableToAmount: z.string().nullable().describe('The same of a budget in money'),
  })
  .meta({ id: 'CampaignBudget' });

export type CampaignBudgetShape = z.infer<typeof campaignBudget>;

export const campaignBudgets = z.object({ items: z.array(campaignBudget) }).meta({ id: 'CampaignBudgets' });

export const budgetChanges = z
  .strictObject({ budgets: budgets.describe('Those to be changed; the others stay'), reason: changeReason.optional() })
  .meta({ id: 'BudgetChanges', examples: [{ budgets: [{ country: 'SG', units: 50_000 }] }] });
