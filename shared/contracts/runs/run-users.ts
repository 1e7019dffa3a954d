import { z } from 'zod';
import { outcomes } from '../../domain/step/outcomes.ts';
import { variantOfUser } from './step-lines.ts';

/** Excludes `heldOut`, because held-out users were never fed. */
export const userOutcomes = [...outcomes.filter((outcome) => outcome !== 'heldOut'), 'pending'] as const;

const outcome = z.enum(userOutcomes);

export const runUser = z
  .object({
    userId: z.string(),
    country: z.string(),
    variant: variantOfUser,
    batchNo: z.int().min(0).describe('Batch with which the user was fed; 0 if the id cannot be sent'),
    outcome: outcome.describe('Outcome in the requested step; without a step, the outcome of the chain'),
    endedInStep: z.int().min(1),
    reason: z.string().nullable().describe('Reason of the failure or the unknown outcome'),
    steps: z.array(outcome.nullable()).describe('Outcome of each step; null for steps before the user’s first step'),
  })
  .meta({ id: 'RunUser' });

export const heldOutUser = z
  .object({ userId: z.string(), country: z.string(), variant: variantOfUser })
  .meta({ id: 'HeldOutUser' });

export type RunUser = z.output<typeof runUser>;
