import { z } from 'zod';
import { earlierOutcomes } from '../../domain/run/earlier-outcomes.ts';
import { overlapPolicies } from '../../domain/recurrence/policies.ts';
import { checkFallbacks } from '../../domain/step/checks.ts';
import { runStates } from '../../domain/run/run-states.ts';
import { priorities } from '../../domain/priorities.ts';
import { countryPattern } from '../../domain/endpoint/shard.ts';
import { isStorable } from '../../domain/ids/stored-text.ts';
import { isLocalTime } from '../instants.ts';
import { checkRecurrence, recurrenceFields, zone } from '../schedules/recurrences.ts';
import { aboutFields, savedAudienceTaken, unstorable } from './about-campaign.ts';
import { campaignOrigin } from './campaign-origins.ts';
import { approvalSummary } from './approval-summary.ts';
import { budgets } from './budgets.ts';
import { json } from './json.ts';

export const unitsPerUser = z
  .int()
  .min(1)
  .max(1_000_000)
  .describe(
    "What a user costs in this step, in units: of the campaign's budget, and at the price of the action; absent: none",
  );

/** HTTP shapes of campaigns. The OpenAPI document is generated from them. */
export const chainStep = z.strictObject({
  action: z.string().min(1).max(64).refine(isStorable, unstorable),
  params: z.record(z.string(), json).refine(holdsStorableTexts, unstorable).default({}),
  unitsPerUser: unitsPerUser.optional(),
  check: z
    .strictObject({
      type: z
        .string()
        .min(1)
        .max(64)
        .refine(isStorable, unstorable)
        .describe('Name of an action type with check: true'),
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

/** Looks at the keys and texts at any depth. */
function holdsStorableTexts(value: z.core.util.JSONType): boolean {
  if (typeof value === 'string') return isStorable(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, inner]) => isStorable(key) && holdsStorableTexts(inner));
}

/** Blanks, and characters of no width, make no name. */
function isVisible(text: string): boolean {
  return text === '' || /[\p{L}\p{N}\p{P}\p{S}]/u.test(text);
}

export const scheduleNow = z.strictObject({ type: z.literal('now') });

const startWithin = recurrenceFields.catchUpSeconds
  .unwrap()
  .optional()
  .describe('A start that was missed for longer does not happen: its run expires before anybody is called');

export const scheduleAt = z.strictObject({
  type: z.literal('at'),
  time: z
    .string()
    .describe('RFC 3339 with an offset, or a local time whose zone stands beside it')
    // Said to readers of the OpenAPI document only: what is wrong with a time is said more clearly than by a pattern.
    .meta({
      pattern: String.raw`^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?([Zz]|[+-]\d{2}:\d{2})?$`,
      examples: ['2027-01-15T09:00:00', '2027-01-15T09:00:00+08:00'],
    }),
  zone: z
    .string()
    .describe('IANA time zone of a local time, such as Asia/Singapore')
    .meta({ pattern: '^[A-Za-z][A-Za-z0-9_+/-]*$', examples: ['Asia/Singapore'] })
    .optional(),
  catchUpSeconds: startWithin,
});

export const scheduleLocal = z.strictObject({
  type: z.literal('local'),
  time: z
    .string()
    .refine(isLocalTime, 'has to be a time without a zone, such as 2026-12-01T09:00:00')
    .describe('On the clocks of each country: one run, in which each country begins when it is so late there')
    .meta({ examples: ['2027-01-15T09:00:00'] }),
  zones: z
    .record(z.string().regex(countryPattern, 'has to be the code of a country'), zone)
    .optional()
    .describe('IANA time zones by country, for countries whose zones do not all show that time at once'),
  catchUpSeconds: startWithin,
});

export const scheduleRecurring = z
  .strictObject({
    type: z.literal('recurring'),
    ...recurrenceFields,
    overlap: z
      .enum(overlapPolicies)
      .default('skip')
      .describe('While its run before goes on: no run, one that begins when that has ended, or one beside it'),
  })
  .superRefine(checkRecurrence);

export const schedule = z.discriminatedUnion('type', [scheduleNow, scheduleAt, scheduleLocal, scheduleRecurring]);

const segmentEntry = z.strictObject({ segment: z.string().min(1).max(200).refine(isStorable, unstorable) });

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

/** Sources of a kind: each holds a page in memory while a feed goes on. */
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
  holdOutSeed: z
    .string()
    .min(1)
    .max(200)
    .refine(isStorable, unstorable)
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

/** Fewer users than this tell nothing of a share. */
export const defaultMinJudgedUsers = 1000;

export const pauseAtFailedMinUsers = z
  .int()
  .min(1)
  .max(1_000_000_000)
  .describe(`Not judged before so many users have ended the step; ${defaultMinJudgedUsers} unless said otherwise`);

/** A few first, then a pause. */
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
  });

const definitionFields = {
  name: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .refine(isStorable, unstorable)
    .refine(isVisible, 'has to hold something that can be seen'),
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

/** What a revision holds. */
export const campaignDefinition = z.strictObject(definitionFields);

const writtenFields = { ...definitionFields, ...aboutFields, savedAudience: savedAudienceTaken.optional() };

/** As it is written: the definition, and what is said about it. */
export const writtenCampaign = z.strictObject(writtenFields).meta({ id: 'CampaignDefinition' });

export type WrittenCampaign = z.infer<typeof writtenCampaign>;

/**
 * A field that is given takes the place of the whole field before; null takes it back to what it is for a new campaign.
 */
export const campaignPatch = z
  .strictObject(
    Object.fromEntries(Object.entries(writtenFields).map(([field, shape]) => [field, z.nullable(shape).optional()])),
  )
  .meta({ id: 'CampaignPatch', examples: [{ name: 'Lapsed riders, January' }] });

export type CampaignDefinition = z.infer<typeof campaignDefinition>;
export type Priority = CampaignDefinition['priority'];
export type ChainStep = z.infer<typeof chainStep>;

const time = z.iso.datetime({ precision: 3 });

/** A campaign as it is shown: its definition, what has become of it, and where to go on. */
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
