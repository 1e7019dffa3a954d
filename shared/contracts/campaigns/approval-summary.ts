import { z } from 'zod';
import { approvalStates } from '../../domain/approval/approval-states.ts';
import { userBounds } from './user-bounds.ts';

const time = z.iso.datetime({ precision: 3 });

export const usersByCountry = z.record(z.string(), z.int().min(0)).meta({ examples: [{ SG: 50_000, ID: 120_000 }] });

export const expectedUsers = z
  .record(z.string(), userBounds)
  .meta({ examples: [{ SG: { atLeast: 4, atMost: 50_000 } }] });

export type ExpectedUsers = z.infer<typeof expectedUsers>;

export const costAtMost = z.object({
  currency: z.string().nullable(),
  amount: z.string().describe('A decimal: of so many users, at the prices of then, and never more than the budgets'),
});

export const approvalFields = {
  id: z.string().describe('apr_…'),
  state: z.enum(approvalStates),
  stateReason: z.string().nullable().describe('Such as what was said when it was sent back, or what has voided it'),
  stateSince: time,
  revision: z.int().min(1),
  runId: z.string().nullable().describe('Of this run alone; null: of the runs that the campaign starts by itself'),
  raises: z.boolean().describe('Budgets of a campaign that was started: they are raised once it is approved'),
  hash: z.string().describe('SHA-256 of what it covers: `approve` names it'),
  usersAtMost: usersByCountry.describe('Each run may have no user more in any country'),
  usersExpected: expectedUsers
    .nullable()
    .describe('By country, as they were estimated when it was submitted; null: its run asked for it'),
  unitsAtMost: z.number().nullable().describe('That a run may spend; null: its steps cost nothing'),
  costAtMost: costAtMost.nullable().describe('That a run may cost; null: nothing of it has a price'),
  needed: z.int().min(0).describe('So many have to approve it'),
  why: z.array(z.string()).describe('What of it makes the policy ask for that many'),
  given: z.array(z.object({ by: z.string(), word: z.string().nullable(), at: time })).describe('Who has'),
  submittedBy: z.string().nullable().describe('Null: its run asked for it'),
  submittedAt: time,
};

export const approvalSummary = z.object(approvalFields).meta({ id: 'ApprovalSummary' });

export type ApprovalSummary = z.output<typeof approvalSummary>;
