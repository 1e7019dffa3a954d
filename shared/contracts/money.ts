import { z } from 'zod';

const units = z.number().min(0);

const amount = z.string().describe('A decimal with two to six places, exact');

const cost = z.object({
  units,
  amount: amount.nullable().describe('Of what has a price; null where nothing has'),
});

const currency = z.string().nullable().describe('ISO 4217, as the installation has it; null: not said');

export const runCost = z
  .object({
    currency,
    ...cost.shape,
    steps: z.array(
      z.object({
        step: z.int().min(1),
        action: z.string(),
        unitsPerUser: units,
        price: z.string().nullable().describe('Of a unit, as it was when the run began'),
        ...cost.shape,
      }),
    ),
    countries: z.array(z.object({ country: z.string(), ...cost.shape })),
  })
  .meta({
    id: 'RunCost',
    description: 'Of users that succeeded, or of which it is unknown. Of a dry run: what it would cost',
  });

export type RunCost = z.infer<typeof runCost>;

export const estimatedCost = z
  .object({
    currency,
    atLeast: cost.describe('For the least users'),
    atMost: cost.nullable().describe('For the most, where everybody comes through; null where nobody knows how many'),
  })
  .meta({
    id: 'EstimatedCost',
    description: 'At the prices of now, held-out users left out; budgets may keep it lower',
  });
