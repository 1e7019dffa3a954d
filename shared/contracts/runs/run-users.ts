import { z } from 'zod';
import { outcomes } from '../../domain/step/outcomes.ts';

/** Held-out users were never fed. */
export const userOutcomes = [...outcomes.filter((outcome) => outcome !== 'heldOut'), 'pending'] as const;

const outcome = z.enum(userOutcomes);

export const runUser = z
  .object({
    userId: z.string(),
    country: z.string(),
    batchNo: z.int().min(0).describe('The batch that it was fed with; 0 where its id can never be sent'),
    outcome: outcome.describe('Of the step that was asked for; else how the chain ended, or that it has not'),
    endedInStep: z.int().min(1),
    reason: z.string().nullable().describe('Why it failed there, or is unknown'),
    steps: z.array(outcome.nullable()).describe('Of each step; null before the one that it began with'),
  })
  .meta({ id: 'RunUser' });

export const heldOutUser = z.object({ userId: z.string(), country: z.string() }).meta({ id: 'HeldOutUser' });

export type RunUser = z.output<typeof runUser>;
