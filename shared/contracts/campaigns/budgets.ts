import { z } from 'zod';
import { changeReason } from '../change-reason.ts';
import { budgets } from './campaigns.ts';

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
