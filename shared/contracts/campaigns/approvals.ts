import { z } from 'zod';
import { canonicalHash } from '../../domain/approval/canonical-hash.ts';
import {
  amountAtMostOf,
  costTermsOf,
  noPrices,
  reachOf,
  type CostTerms,
  type UsersByCountry,
} from '../../domain/approval/user-bounds.ts';
import { countryPattern } from '../../domain/endpoint/shard.ts';
import { amountPattern, normalAmount } from '../../domain/money/amounts.ts';
import { approvalFields, costAtMost, usersByCountry } from './approval-summary.ts';
import { revisionDiff } from './revisions.ts';
import { budgets } from './budgets.ts';
import { campaignDefinition, type CampaignDefinition } from './campaigns.ts';
import { wordShape } from '../stored-texts.ts';

const country = z.string().regex(countryPattern, 'has to be an ISO 3166-1 alpha-2 code in capitals, such as SG');
const size = z.int().min(0).max(1_000_000_000_000);

export const approvalRule = z
  .strictObject({
    countries: z
      .array(country)
      .min(1)
      .max(250)
      .optional()
      .describe('The rule applies only to campaigns with one of these; absent: to all'),
    usersAbove: size.optional().describe('Approval is required if a run may have more users'),
    unitsAbove: size.optional().describe('... or if it may spend more units'),
    amountAbove: z
      .string()
      .regex(amountPattern, 'has to be a decimal such as "5000.00", with up to six places')
      .overwrite(normalAmount)
      .optional()
      .describe('... or if it may cost more, in the currency of the installation, at current prices'),
    approvers: z.int().min(1).max(5).describe('Number of required approvals; the author does not count'),
  })
  .meta({
    id: 'ApprovalRule',
    description: 'Without usersAbove, unitsAbove and amountAbove, the rule always requires approval',
  });

const rules = z.array(approvalRule).max(50).describe('The rule that requires the most approvals applies');

const approversSignIn = z
  .boolean()
  .describe(
    'true: only people who sign in with the identity provider can approve. Approvals by API keys do not count, including earlier ones',
  );

export const writtenPolicy = z.strictObject({ rules, approversSignIn: approversSignIn.default(false) }).meta({
  id: 'ApprovalPolicyRules',
  examples: [
    {
      rules: [
        { usersAbove: 100_000, unitsAbove: 10_000, approvers: 1 },
        { usersAbove: 1_000_000, approvers: 2 },
      ],
    },
  ],
});

export const approvalPolicy = z
  .object({
    revision: z.int().min(0).describe('0: there is no policy and no approval is required'),
    rules,
    approversSignIn,
    madeAt: z.iso.datetime({ precision: 3 }).nullable(),
  })
  .meta({ id: 'ApprovalPolicy' });

/**
 * Content that an approval covers: a run with at most this many users. Any change to the content voids the approval.
 */
export const approvalCovers = campaignDefinition
  .omit({ name: true })
  .extend({ usersAtMost: usersByCountry, cost: costAtMost.optional().describe('Absent: no step has a price') })
  .meta({ id: 'ApprovalCovers' });

export type ApprovalCovers = z.output<typeof approvalCovers>;

const comment = wordShape(500);

export const submission = z
  .strictObject({
    usersAtMost: z
      .record(country, size)
      .optional()
      .describe('Maximum users by country. Default for other countries: five percent more than expected now'),
    budgets: budgets
      .optional()
      .describe(
        'For a started campaign: current values of the budgets to raise. They stay in force until the approval',
      ),
  })
  .meta({ id: 'ApprovalSubmission', examples: [{}] });

export const approving = z
  .strictObject({
    hash: z.string().regex(/^[0-9a-f]{64}$/, 'has to be the 64 digits of the approval that was reviewed'),
    comment: comment.optional().describe('Comment for the next approver'),
  })
  .meta({ id: 'Approving', examples: [{ hash: '0123456789abcdef'.repeat(4), comment: 'As agreed on Monday' }] });

export const sendingBack = z
  .strictObject({
    hash: approving.shape.hash.optional().describe('Absent: the approval of the campaign, not of a single run'),
    comment: comment.describe('Requested changes'),
  })
  .meta({ id: 'SendingBack', examples: [{ comment: 'The segment is last year’s' }] });

export const approvalShape = z
  .object({
    ...approvalFields,
    campaignId: z.string(),
    campaignName: z.string(),
    covers: approvalCovers,
    variants: z
      .array(z.object({ name: z.string(), weight: z.int().min(1), usersAtMost: size }))
      .optional()
      .describe('`usersAtMost` of all countries, divided by the weights; absent without variants'),
    diff: revisionDiff
      .nullable()
      .describe('Differences from the last approved content; null: nothing was approved before'),
    startsAt: z.iso.datetime({ precision: 3 }).nullable().describe('Null: when it is started, or at each recurrence'),
    refusedToYou: z.string().nullable().describe('Reason why the requesting key may not approve it; null: it may'),
    links: z.object({ campaign: z.string(), run: z.string().nullable() }),
  })
  .meta({ id: 'Approval' });

export type ApprovalShape = z.output<typeof approvalShape>;

/**
 * Returns the content that an approval of the campaign covers.
 * @param definition with its current budgets
 */
export function coversOf(
  { name: _, budgets: definedBudgets, ...definition }: CampaignDefinition,
  usersAtMost: UsersByCountry,
  cost: ApprovalCovers['cost'],
) {
  const byCountry = definedBudgets?.toSorted((a, b) => (a.country < b.country ? -1 : 1));
  return { ...definition, ...(byCountry && { budgets: byCountry }), usersAtMost, ...(cost && { cost }) };
}

/** Returns the maximum cost of these users at these prices; undefined if nothing has a price. */
export function costAtMostOf(users: UsersByCountry, terms: CostTerms): ApprovalCovers['cost'] {
  const amount = amountAtMostOf(users, terms);
  return amount === null ? undefined : { currency: terms.currency, amount };
}

/**
 * Returns the same hash for the same content, whatever the order of its fields.
 * @param runId null: the approval is for the campaign
 */
export function hashOfCovers(covers: ApprovalCovers, runId: string | null): string {
  return canonicalHash({ covers, runId });
}

/** Returns the maximum number of units of a run: null if no step costs units, Infinity if nothing limits the units. */
export function unitsAtMostOf(covers: ApprovalCovers): number | null {
  const terms = costTermsOf(covers, noPrices);
  if (terms.unitsPerUser === 0) return null;
  return reachOf(covers.usersAtMost, terms).reduce((sum, { units }) => sum + units, 0);
}
