import { z } from 'zod';
import { stepModes } from '../../domain/run/run-kinds.ts';
import { runCost } from '../money.ts';

const users = z.int().min(0);

export const stepLineShape = z
  .object({
    step: z.int().min(1),
    action: z.string(),
    mode: z
      .enum(stepModes)
      .optional()
      .describe('For a test run. live: the step was really applied to its users. test: the call was marked as a test'),
    audience: users,
    succeeded: users,
    failed: users,
    skipped: users,
    suppressed: users,
    heldOut: users,
    expired: users,
    cancelled: users,
    unknown: users,
    /** Negative only in a line whose numbers do not add up. */
    pending: z.int(),
    receipts: z
      .object({
        delivered: users,
        undelivered: users,
        unexpected: users
          .default(0)
          .describe('Receipts of users that failed here or are unknown; not included in the other figures'),
        awaiting: z.int().describe('Negative while there are receipts for users whose acceptance is not recorded yet'),
      })
      .optional()
      .describe(
        'For an asynchronous step, where succeeded means accepted: succeeded = delivered + undelivered + awaiting. The run does not wait for receipts',
      ),
  })
  .meta({ id: 'StepLine', description: 'Users of a step by outcome' });

export type StepLineShape = z.infer<typeof stepLineShape>;

export const runVariant = z
  .object({
    name: z.string(),
    weight: z.int().min(1).describe('Share of the users in hundredths of a percent'),
    users: users.describe('Users of this variant, including held-out users'),
    heldOut: users.describe('Users who would have had this variant and are held out'),
    steps: z.array(stepLineShape),
    cost: runCost.optional().describe('Absent if no step costs units'),
  })
  .meta({ id: 'RunVariant', description: 'Figures of one variant. All variants add up to the figures of the run' });

export type RunVariant = z.infer<typeof runVariant>;

export const variantOfUser = z.string().nullable().default(null).describe('Variant of the user; null: none');
