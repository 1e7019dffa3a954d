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
    countries: z.array(country).min(1).max(250).optional().describe('Only what is for one of these; absent: all'),
    usersAbove: size.optional().describe('It asks where a run may have more users'),
    unitsAbove: size.optional().describe('... or may spend more units'),
    amountAbove: z
      .string()
      .regex(amountPattern, 'has to be a decimal such as "5000.00", with up to six places')
      .overwrite(normalAmount)
      .optional()
      .describe('... or may cost more, in the currency of the installation, at the prices of now'),
    approvers: z.int().min(1).max(5).describe('None of them the author'),
  })
  .meta({ id: 'ApprovalRule', description: 'Without usersAbove, unitsAbove and amountAbove it always asks' });

const rules = z.array(approvalRule).max(50).describe('The one that asks for the most counts');

const approversSignIn = z
  .boolean()
  .describe(
    'true: people who sign in with the issuer approve; votes of API keys do not count, also those given before',
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
    revision: z.int().min(0).describe('0: there is no policy, and nothing is asked for'),
    rules,
    approversSignIn,
    madeAt: z.iso.datetime({ precision: 3 }).nullable(),
  })
  .meta({ id: 'ApprovalPolicy' });

/** Content that an approval covers: a run with at most this many users. Any change to it voids the approval. */
export const approvalCovers = campaignDefinition
  .omit({ name: true })
  .extend({ usersAtMost: usersByCountry, cost: costAtMost.optional().describe('Absent: nothing of it has a price') })
  .meta({ id: 'ApprovalCovers' });

export type ApprovalCovers = z.output<typeof approvalCovers>;

const word = wordShape(500);

export const submission = z
  .strictObject({
    usersAtMost: z
      .record(country, size)
      .optional()
      .describe('By country, above the five percent more than is expected now that are taken where it is not named'),
    budgets: budgets
      .optional()
      .describe(
        'Of a campaign that was started: those that are to be raised, so far. They stay as they are until then',
      ),
  })
  .meta({ id: 'ApprovalSubmission', examples: [{}] });

export const approving = z
  .strictObject({
    hash: z.string().regex(/^[0-9a-f]{64}$/, 'has to be the 64 digits of the approval that was looked at'),
    word: word.optional().describe('For whoever approves after'),
  })
  .meta({ id: 'Approving', examples: [{ hash: '0123456789abcdef'.repeat(4), word: 'As agreed on Monday' }] });

export const sendingBack = z
  .strictObject({
    hash: approving.shape.hash.optional().describe('Absent: that of the campaign, not one of a single run'),
    word: word.describe('What is missing or wrong'),
  })
  .meta({ id: 'SendingBack', examples: [{ word: 'The segment is last year’s' }] });

export const approvalShape = z
  .object({
    ...approvalFields,
    campaignId: z.string(),
    campaignName: z.string(),
    covers: approvalCovers,
    diff: revisionDiff.nullable().describe('What differs from what was approved last; null: nothing was'),
    startsAt: z.iso.datetime({ precision: 3 }).nullable().describe('Null: as soon as it is started, or each time'),
    refusedToYou: z.string().nullable().describe('Why the key that asks may not approve it; null: it may'),
    links: z.object({ campaign: z.string(), run: z.string().nullable() }),
  })
  .meta({ id: 'Approval' });

export type ApprovalShape = z.output<typeof approvalShape>;

/**
 * Returns the content that an approval of the campaign covers.
 * @param definition with its current budgets
 */
export function coversOf(
  { name: _, budgets: said, ...definition }: CampaignDefinition,
  usersAtMost: UsersByCountry,
  cost: ApprovalCovers['cost'],
) {
  const byCountry = said?.toSorted((a, b) => (a.country < b.country ? -1 : 1));
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

/** Returns null if no step costs units, and Infinity if nothing limits them. */
export function unitsAtMostOf(covers: ApprovalCovers): number | null {
  const terms = costTermsOf(covers, noPrices);
  if (terms.unitsPerUser === 0) return null;
  return reachOf(covers.usersAtMost, terms).reduce((sum, { units }) => sum + units, 0);
}
