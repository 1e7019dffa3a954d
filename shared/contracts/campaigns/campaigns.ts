import { z } from 'zod';
import { canaryEnds } from '../../domain/run/canary.ts';
import { earlierOutcomes } from '../../domain/run/earlier-outcomes.ts';
import { checkFallbacks } from '../../domain/step/checks.ts';
import { runStates } from '../../domain/run/run-states.ts';
import { priorities } from '../../domain/priorities.ts';
import { forbids, notExactlyOne, patchRefusals, refusalsOfShape, refusals, withCode } from '../stated-rules.ts';
import { aboutFields, savedAudienceTaken } from './about-campaign.ts';
import { campaignOrigin } from './campaign-origins.ts';
import { approvalSummary } from './approval-summary.ts';
import { budgets } from './budgets.ts';
import { schedule } from './campaign-schedules.ts';
import { nameShape, textShape } from '../stored-texts.ts';
import { stepParams } from './step-params.ts';
import { splitSeed, stepVariants, variantRefusals } from './variants.ts';

export const unitsPerUser = z
  .int()
  .min(1)
  .max(1_000_000)
  .describe(
    'Units per user in this step, taken from the campaign’s budget and paid at the price of the action; absent: none',
  );

/** HTTP shapes of campaigns, from which the OpenAPI document is generated. */
export const chainStep = z.strictObject({
  action: textShape(64, 1),
  params: stepParams.default({}),
  variants: stepVariants
    .optional()
    .describe(
      'The first step with variants divides the users among them by weight. Later steps may have the same variants; absent: all users get the same',
    ),
  unitsPerUser: unitsPerUser.optional(),
  check: z
    .strictObject({
      type: textShape(64, 1).describe('Name of an action type with check: true'),
      onUnavailable: z
        .enum(checkFallbacks)
        .default('wait')
        .describe(
          'For users without an answer after maxAttempts: wait until the deadline, end as failed, or continue without the check',
        ),
    })
    .optional()
    .describe('Check before the step: users that it refuses end as suppressed, with its reason; absent: no check'),
});

/** Returns false for names of blanks and zero-width characters only. */
function isVisible(text: string): boolean {
  return text === '' || /[\p{L}\p{N}\p{P}\p{S}]/u.test(text);
}

const segmentEntry = z.strictObject({
  segment: textShape(200, 1),
});

const listEntry = z.strictObject({ list: z.string().min(1).max(64).describe('aud_…, an uploaded list') });

const runEntry = z.strictObject({
  runId: z.string().min(1).max(64).describe('run_…, an earlier run'),
  outcomes: z
    .array(z.enum(earlierOutcomes))
    .min(1)
    .max(earlierOutcomes.length)
    .optional()
    .describe('Outcomes of users to select; absent: all users that entered the chain'),
  step: z.int().min(1).max(20).optional().describe('Step of these outcomes; absent: the whole chain'),
});

export const audienceEntry = z.union([segmentEntry, listEntry, runEntry], {
  error: 'has to name a segment, a list or an earlier run: {"segment": "…"}, {"list": "aud_…"} or {"runId": "run_…"}',
});

export type AudienceEntry = z.infer<typeof audienceEntry>;

/** Maximum number of sources of a kind: each source holds a page in memory while a feed runs. */
const maxEntries = 10;

export const audience = z.strictObject({
  include: z.array(audienceEntry).min(1).max(maxEntries).describe('Users in any of these sources'),
  exclude: z.array(audienceEntry).max(maxEntries).optional().describe('Users in any of these sources are excluded'),
  holdOutPercent: z
    .number()
    .min(0)
    .max(99)
    .optional()
    .describe('Share of the audience that receives nothing and counts as held out in every step'),
  holdOutSeed: textShape(200, 1)
    .optional()
    .describe('The same seed holds out the same users in every campaign. Default: the campaign’s id'),
});

export const priority = z.enum(priorities);

export const paceUsersPerSecond = z
  .int()
  .min(1)
  .max(1_000_000)
  .describe('Maximum users per second that enter the chain of a run, over all countries; absent: no limit');

export const pauseAtFailedPercent = z
  .number()
  .min(0)
  .max(100)
  .describe('The run pauses if more than this share of the users of a step failed or have an unknown outcome');

/** Minimum number of users for a meaningful share. */
export const defaultMinJudgedUsers = 1000;

export const pauseAtFailedMinUsers = z
  .int()
  .min(1)
  .max(1_000_000_000)
  .describe(
    `Number of users that must have ended the step before its failures are judged. Default: ${defaultMinJudgedUsers}`,
  );

export const canary = z
  .strictObject({
    users: z
      .int()
      .min(1)
      .max(10_000_000)
      .optional()
      .describe('Number of users over all countries, distributed by the estimates'),
    percent: z
      .number()
      .gt(0)
      .lt(100)
      .optional()
      .describe(
        'Alternative to users: share of the estimate in each country; 1,000 users in countries without an estimate',
      ),
    then: z
      .enum(canaryEnds)
      .default('pause')
      .describe(
        'When they have all ended, the run pauses until a person resumes it. pause: all other users then continue as defined. choose-variant: only the canary users are divided among the variants, and all others get the variant that the person names',
      ),
    maxFailedPercent: z
      .number()
      .min(0)
      .max(100)
      .optional()
      .describe('The run does not pause if no larger share of them failed or has an unknown outcome in any step'),
  })
  .superRefine(({ users, percent }, context) => {
    if ((users === undefined) !== (percent === undefined)) return;
    const message = 'give users or percent, and not both';
    context.addIssue({ code: 'custom', path: [users === undefined ? 'users' : 'percent'], message });
  })
  .meta(forbids(...notExactlyOne('users', 'percent')));

export type Canary = z.infer<typeof canary>;

export const startRequest = z
  .strictObject({
    canary: canary
      .optional()
      .describe('Canary of this start only, if the definition has none and the run begins at once'),
  })
  .meta({ id: 'StartRequest', examples: [{ canary: { users: 1000 } }] });

const definitionFields = {
  name: nameShape(200)
    .refine(isVisible, withCode('invisible-text', 'has to hold something that can be seen'))
    .meta(refusals({ 'invisible-text': 'a name has no letter, digit, sign or symbol' })),
  countries: z.array(z.string()).min(1).max(250).describe('ISO 3166-1 alpha-2, in capitals'),
  audience,
  chain: z.array(chainStep).min(1).max(20),
  splitSeed: splitSeed.optional(),
  schedule: schedule.default({ type: 'now' }),
  deadlineSeconds: z
    .int()
    .min(60)
    .max(30 * 86_400)
    .default(86_400)
    .describe('Seconds from the start of the run; users who have not been called by then expire'),
  priority: priority.default('normal'),
  budgets: budgets.optional(),
  paceUsersPerSecond: paceUsersPerSecond.optional(),
  pauseAtFailedPercent: pauseAtFailedPercent.optional(),
  pauseAtFailedMinUsers: pauseAtFailedMinUsers.optional(),
  canary: canary.optional(),
};

export const sourceRefusals = {
  'invalid-country': 'a country is not an ISO 3166-1 alpha-2 code',
  'unknown-country': 'a country is not configured',
  'repeated-country': 'a country is named twice',
  'unknown-list': 'an uploaded list does not exist, or is not ready in a country',
  'unknown-run': 'an earlier run does not exist',
  'unknown-step': 'an earlier run has fewer steps',
  'users-not-kept': 'users or failures of an earlier run are no longer kept',
  'run-not-ended': 'an earlier run has not ended',
  'unknown-segment': 'the segmentation service does not know a segment in a country',
};

export const campaignRefusals = {
  ...refusalsOfShape('parameters do not fit the schema of their action type'),
  ...sourceRefusals,
  ...variantRefusals,
  'foreign-country': 'a budget names a country that is not in the campaign',
  'foreign-currency': 'a budget is in another currency than that of the installation',
  'no-price': 'a budget is in money, and a step has no price',
  'nothing-costs-units': 'there is a budget, and no step costs units',
  'too-expensive': 'the cost of a step for one user exceeds the largest number that can be stored',
  'too-large': 'parameters have more bytes than are sent, or more values than are checked',
  'unreadable-schema': 'a newer version registered an action type whose parameters this one cannot check',
  'unknown-action': 'an action is not registered',
  'unknown-check': 'a check is not registered',
  'not-an-action': 'a step names a check as its action',
  'unknown-saved-audience': 'a saved audience does not exist in this revision',
  'other-sources': 'the sources are not those of the saved audience',
  'unknown-work-calendar': 'a work calendar does not exist',
  'never-fires': 'a recurrence has no instant on a working day',
  'past-time': 'the start is past',
  missing: 'a time has neither an offset nor a zone, a country needs a zone of its own, or a parameter is absent',
};

export const campaignDefinition = z.strictObject(definitionFields);

const writtenFields = { ...definitionFields, ...aboutFields, savedAudience: savedAudienceTaken.optional() };

/** A campaign in a request: the definition, and notes about the campaign. */
export const writtenCampaign = z
  .strictObject(writtenFields)
  .meta({ ...refusals(campaignRefusals), id: 'CampaignDefinition' });

export type WrittenCampaign = z.infer<typeof writtenCampaign>;

/** Changes to a campaign. A given field replaces the whole field; null resets it to the default of a new campaign. */
export const campaignPatch = z
  .strictObject(
    Object.fromEntries(Object.entries(writtenFields).map(([field, shape]) => [field, z.nullable(shape).optional()])),
  )
  .meta({
    ...refusals({ ...patchRefusals, ...campaignRefusals }),
    id: 'CampaignPatch',
    examples: [{ name: 'Lapsed riders, January' }],
  });

export type CampaignDefinition = z.infer<typeof campaignDefinition>;
export type Priority = CampaignDefinition['priority'];
export type ChainStep = z.infer<typeof chainStep>;

const time = z.iso.datetime({ precision: 3 });

/** A campaign in a response: its definition, its state, and links. */
export const campaign = z
  .object({
    id: z.string(),
    revision: z.int().min(1),
    state: z
      .enum(['draft', 'in_review', 'scheduled', ...runStates])
      .describe("The latest run's state, once there is a run; in_review: a draft that waits for approval"),
    ...writtenFields,
    origin: campaignOrigin.nullable().describe('Source from which it was created; null: none'),
    createdAt: time,
    archivedAt: time
      .nullable()
      .describe('Time at which it was archived. An archived campaign cannot be changed or started; null: not archived'),
    startsAt: time.nullable().describe('Scheduled start; null: when it is started'),
    nextRunAt: time.nullable(),
    scheduleId: z
      .string()
      .nullable()
      .describe(
        'sch_… of a started recurring campaign. Use /v1/schedules to pause it, end it and list its occurrences',
      ),
    approval: approvalSummary.nullable().describe('Newest approval of the campaign; null: it was never submitted'),
    links: z.object({ self: z.string(), runs: z.string(), start: z.string(), latestRun: z.string().nullable() }),
  })
  .meta({ id: 'Campaign' });

export type Campaign = z.infer<typeof campaign>;
