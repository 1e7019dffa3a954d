import { z } from 'zod';
import { differenceVerdicts } from '../../domain/run/rate-differences.ts';

/** Rates of a variant in a step that are compared. */
export const comparedRates = ['succeeded', 'delivered'] as const;

const share = z.number().min(-1).max(1);

export const rateDifference = z
  .object({
    step: z.int().min(1),
    action: z.string(),
    rate: z
      .enum(comparedRates)
      .describe(
        'succeeded: share of the users whose step has ended, without held-out users. delivered: share of the accepted users, by their receipts',
      ),
    of: z.string().describe('Name of the variant'),
    against: z.string().describe('Name of the first variant'),
    difference: share.describe('Rate of `of` minus rate of `against`: 0.01 is one percentage point'),
    low: share.describe('Lower limit of the 95 % confidence interval (Newcombe’s hybrid score interval, method 10)'),
    high: share.describe('Upper limit of this interval'),
    users: z.int().min(1).describe('Users of the smaller of the two groups so far'),
    neededUsers: z
      .int()
      .min(1)
      .nullable()
      .describe(
        'Users that each group needs to confirm the observed difference, at a significance of 5 % and a power of 80 %; null: the rates are equal',
      ),
    verdict: z
      .enum(differenceVerdicts)
      .describe(
        'higher or lower: the rate of `of` differs, and both groups have the needed users. no-difference: the interval excludes a difference of one percentage point, and of a tenth of the rate. too-few-users: no verdict yet',
      ),
  })
  .meta({ id: 'RateDifference', description: 'Difference of a rate between a variant and the first variant' });

export type RateDifferenceShape = z.infer<typeof rateDifference>;
