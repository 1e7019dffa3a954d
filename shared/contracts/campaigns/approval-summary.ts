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
  amount: z.string().describe('Decimal: the cost of these users at the prices of that time, limited by the budgets'),
});

export const approvalFields = {
  id: z.string().describe('apr_…'),
  state: z.enum(approvalStates),
  stateReason: z
    .string()
    .nullable()
    .describe('Such as the comment of the reviewer who requested changes, or the reason why it is void'),
  stateSince: time,
  revision: z.int().min(1),
  runId: z.string().nullable().describe('Approval of this run only; null: of runs that the campaign starts by itself'),
  raisesBudgets: z.boolean().describe('Budgets of a started campaign, which are raised when this is approved'),
  hash: z.string().describe('SHA-256 of the content that the approval covers; pass it to `approve`'),
  usersAtMost: usersByCountry.describe('Upper limit of users for each run, by country'),
  usersExpected: expectedUsers
    .nullable()
    .describe('Users by country, as estimated on submission; null: the run requested the approval'),
  unitsAtMost: z.number().nullable().describe('Units that a run may spend; null: its steps cost no units'),
  costAtMost: costAtMost.nullable().describe('Maximum cost of a run; null: no step has a price'),
  requiredApprovers: z.int().min(0).describe('Number of required approvals'),
  reasons: z.array(z.string()).describe('Reasons why the policy requires this number'),
  given: z.array(z.object({ by: z.string(), comment: z.string().nullable(), at: time })).describe('Who has'),
  submittedBy: z.string().nullable().describe('Null: the run requested the approval'),
  submittedAt: time,
};

export const approvalSummary = z.object(approvalFields).meta({ id: 'ApprovalSummary' });

export type ApprovalSummary = z.output<typeof approvalSummary>;
