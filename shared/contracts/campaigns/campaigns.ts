import { z } from 'zod';
import { earlierOutcomes } from '../../domain/run/earlier-outcomes.ts';
import { checkFallbacks } from '../../domain/step/checks.ts';
import { runStates } from '../../domain/run/run-states.ts';
import { priorities } from '../../domain/priorities.ts';
import { isStorable } from '../../domain/ids/stored-text.ts';
import { forbids, notExactlyOne, patchRefusals, refusalsOfShape, refusals, withCode } from '../stated-rules.ts';
import { aboutFields, savedAudienceTaken } from './about-campaign.ts';
import { campaignOrigin } from './campaign-origins.ts';
import { approvalSummary } from './approval-summary.ts';
import { budgets } from './budgets.ts';
import { schedule } from './campaign-schedules.ts';
import { json } from '../json.ts';
import { nameShape, textShape, unstorable } from '../stored-texts.ts';

const unstorableTexts = refusals({ 'unstorable-text': 'a text within JSON holds U+0000 or half a surrogate pair' });

export const unitsPerUser = z
  .int()
  .min(1)
  .max(1_000_000)
  .describe(
    "What a user costs in this step, in units: of the campaign's budget, and at the price of the action; absent: none",
  );

/** HTTP shapes of campaigns, from which the OpenAPI document is generated. */
export const chainStep = z.strictObject({
  action: textShape(64, 1),
  params: z
    .record(z.string(), json)
    .refine(holdsStorableTexts, withCode('unstorable-text', unstorable))
    .meta(unstorableTexts)
    .default({}),
  unitsPerUser: unitsPerUser.optional(),
  check: z
    .strictObject({
      type: textShape(64, 1).describe('Name of an action type with check: true'),
      onUnavailable: z
        .enum(checkFallbacks)
        .default('wait')
        .describe(
          'Of users for whom it gave no answer at the last of its maxAttempts: wait until the deadline, end as failed, or be called without it',
        ),
    })
    .optional()
    .describe('Asked before the step: whom it refuses ends as suppressed, with its reason; absent: nobody is asked'),
});

/** Checks keys and texts at any depth. */
function holdsStorableTexts(value: z.core.util.JSONType): boolean {
  if (typeof value === 'string') return isStorable(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, inner]) => isStorable(key) && holdsStorableTexts(inner));
}

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
    .describe('How it ended for them; everybody whom its chain was begun for when absent'),
  step: z.int().min(1).max(20).optional().describe('The step that the outcomes are of; the whole chain when absent'),
});

export const audienceEntry = z.union([segmentEntry, listEntry, runEntry], {
  error: 'has to name a segment, a list or an earlier run: {"segment": "…"}, {"list": "aud_…"} or {"runId": "run_…"}',
});

export type AudienceEntry = z.infer<typeof audienceEntry>;

/** Maximum number of sources of a kind: each source holds a page in memory while a feed runs. */
const maxEntries = 10;

export const audience = z.strictObject({
  include: z.array(audienceEntry).min(1).max(maxEntries).describe('Whoever is in one of them'),
  exclude: z.array(audienceEntry).max(maxEntries).optional().describe('And in none of these'),
  holdOutPercent: z
    .number()
    .min(0)
    .max(99)
    .optional()
    .describe('Of the audience, so many get nothing: they are counted as held out in every step'),
  holdOutSeed: textShape(200, 1)
    .optional()
    .describe("The same seed holds out the same users, in every campaign; the campaign's id when absent"),
});

export const priority = z.enum(priorities);

export const paceUsersPerSecond = z
  .int()
  .min(1)
  .max(1_000_000)
  .describe(
    'At most so many users of a run begin their chain in a second, over all countries; none: as fast as it goes',
  );

export const pauseAtFailedPercent = z
  .number()
  .min(0)
  .max(100)
  .describe('When more than this share of the users of a step has failed, or is unknown, the run pauses itself');

/** Minimum number of users for a meaningful share. */
export const defaultMinJudgedUsers = 1000;

export const pauseAtFailedMinUsers = z
  .int()
  .min(1)
  .max(1_000_000_000)
  .describe(`Not judged before so many users have ended the step; ${defaultMinJudgedUsers} unless said otherwise`);

export const canary = z
  .strictObject({
    users: z.int().min(1).max(10_000_000).optional().describe('So many over all countries, by what is estimated'),
    percent: z
      .number()
      .gt(0)
      .lt(100)
      .optional()
      .describe('Or such a share of what is estimated in each country; 1,000 users where nothing is'),
    then: z.literal('pause').default('pause').describe('Once they have all ended, until a person resumes the run'),
    maxFailedPercent: z
      .number()
      .min(0)
      .max(100)
      .optional()
      .describe('No pause where no larger share of them has failed, or is unknown, in any step'),
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
      .describe('Of this start, if the definition has none and the run begins at once: its first users, then a pause'),
  })
  .meta({ id: 'StartRequest', examples: [{ canary: { users: 1000 } }] });

const definitionFields = {
  name: nameShape(200)
    .refine(isVisible, withCode('invisible-text', 'has to hold something that can be seen'))
    .meta(refusals({ 'invisible-text': 'a name has no letter, digit, sign or symbol' })),
  countries: z.array(z.string()).min(1).max(250).describe('ISO 3166-1 alpha-2, in capitals'),
  audience,
  chain: z.array(chainStep).min(1).max(20),
  schedule: schedule.default({ type: 'now' }),
  deadlineSeconds: z
    .int()
    .min(60)
    .max(30 * 86_400)
    .default(86_400)
    .describe('From the start of the run; what has not been called by then is expired'),
  priority: priority.default('normal'),
  budgets: budgets.optional(),
  paceUsersPerSecond: paceUsersPerSecond.optional(),
  pauseAtFailedPercent: pauseAtFailedPercent.optional(),
  pauseAtFailedMinUsers: pauseAtFailedMinUsers.optional(),
  canary: canary.optional(),
};

export const sourceRefusals = {
  'invalid-country': 'a country is no code of ISO 3166-1 alpha-2',
  'unknown-country': 'a country is not configured',
  'repeated-country': 'a country is named twice',
  'unknown-list': 'an uploaded list does not exist, or is not ready in a country',
  'unknown-run': 'an earlier run does not exist',
  'unknown-step': 'an earlier run has fewer steps',
  'users-not-kept': 'users or failures of an earlier run are not kept any more',
  'run-not-ended': 'an earlier run has not ended',
  'unknown-segment': 'the segmentation service does not know a segment in a country',
};

export const campaignRefusals = {
  ...refusalsOfShape('parameters do not fit the schema of their action type'),
  ...sourceRefusals,
  'foreign-country': 'a budget names a country that is none of the campaign',
  'foreign-currency': 'a budget is in another currency than that of the installation',
  'no-price': 'a budget is in money, and a step has no price',
  'nothing-costs-units': 'there is a budget, and no step costs units',
  'too-expensive': 'a step would cost more for one user than can be counted',
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
    origin: campaignOrigin.nullable().describe('What it was made from; null: from nothing'),
    createdAt: time,
    archivedAt: time.nullable().describe('Since when it is put away: neither changed nor started; null: it is not'),
    startsAt: time.nullable().describe('The instant that its schedule means; null: as soon as it is started'),
    nextRunAt: time.nullable(),
    scheduleId: z
      .string()
      .nullable()
      .describe(
        'sch_…, once a recurring campaign is started: pause it, end it and see what it did under /v1/schedules',
      ),
    approval: approvalSummary.nullable().describe('The newest one of the campaign; null: it was never submitted'),
    links: z.object({ self: z.string(), runs: z.string(), start: z.string(), latestRun: z.string().nullable() }),
  })
  .meta({ id: 'Campaign' });

export type Campaign = z.infer<typeof campaign>;
