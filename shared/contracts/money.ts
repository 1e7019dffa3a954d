import { z } from 'zod';

const units = z.number().min(0);

const amount = z.string().describe('A decimal with two to six places, exact');

const cost = z.object({
  units,
  amount: amount.nullable().describe('Cost of all steps with a price; null if no step has one'),
});

const currency = z.string().nullable().describe('ISO 4217, from the installation; null: not configured');

export const runCost = z
  .object({
    currency,
    ...cost.shape,
    steps: z.array(
      z.object({
        step: z.int().min(1),
        action: z.string(),
        unitsPerUser: units,
        price: z.string().nullable().describe('Price of a unit at the start of the run'),
        ...cost.shape,
      }),
    ),
    countries: z.array(z.object({ country: z.string(), ...cost.shape })),
  })
  .meta({
    id: 'RunCost',
    description: 'Cost of users that succeeded or whose outcome is unknown. For a dry run: the expected cost',
  });

export type RunCost = z.infer<typeof runCost>;

export const estimatedCost = z
  .object({
    currency,
    atLeast: cost.describe('Cost for the fewest users'),
    atMost: cost.nullable().describe('Cost for the most users, if all reach every step; null: their number is unknown'),
  })
  .meta({
    id: 'EstimatedCost',
    description: 'At current prices, without held-out users; budgets may limit it further',
  });
