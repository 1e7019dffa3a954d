import { z } from 'zod';
import { stepModes } from '../../domain/run/run-kinds.ts';
import { forbids, notExactlyOne, together } from '../stated-rules.ts';
import { userId } from '../user-ids.ts';
import { runSummary } from './runs.ts';
import { warning } from '../warnings.ts';

/** Users of a test, whether they are named or a list of testers contains them. */
export const maxTestUsers = 200;

const dryRunRequest = z.strictObject({ kind: z.literal('dry-run') });

const testRequest = z
  .strictObject({
    kind: z.literal('test'),
    users: z
      .array(userId)
      .min(1)
      .max(maxTestUsers)
      .superRefine((users, context) => {
        users.forEach((user, index) => {
          if (users.indexOf(user) < index) context.addIssue({ code: 'custom', path: [index], message: 'stands twice' });
        });
      })
      .meta({ uniqueItems: true })
      .optional()
      .describe('Any user ids, with their `country`: audience, exclusions and hold-out do not apply'),
    country: z.string().optional().describe('Country of `users`: one of the campaign, whose endpoints are called'),
    testers: z
      .string()
      .optional()
      .describe(
        `aud_…, instead of \`users\` and \`country\`: an uploaded list of at most ${maxTestUsers} users. Each is called in the country that the list has for the user`,
      ),
    preview: z.boolean().default(false).describe('true: only reports which steps would be live, without any call'),
    again: z
      .boolean()
      .default(false)
      .describe('true: also calls users that an earlier live test of this campaign has reached in the same step'),
  })
  .superRefine(({ users, country, testers }, context) => {
    const refuse = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
    if (testers === undefined) {
      if (users === undefined) refuse('users', 'is missing: name users, or a list as testers');
      if (country === undefined) refuse('country', 'is missing: users need their country');
    } else {
      if (users !== undefined) refuse('users', 'is not allowed beside testers');
      if (country !== undefined) refuse('country', 'is not allowed beside testers: the list has the countries');
    }
  })
  .meta(
    forbids(...notExactlyOne('users', 'testers'), together('country', 'testers'), {
      ...together('users'),
      not: together('country'),
    }),
  );

export type TestRequest = z.infer<typeof testRequest>;

/** Request of a trial; `kind` is the kind of the run. */
export const trialRequest = z.discriminatedUnion('kind', [dryRunRequest, testRequest]).meta({
  id: 'TrialRequest',
  examples: [
    { kind: 'dry-run' },
    { kind: 'test', users: ['u-10077214'], country: 'SG' },
    { kind: 'test', testers: 'aud_01jcqh4b5ge2qv6h2s1j3v8k9m' },
  ],
});

export const trial = z
  .object({
    run: runSummary
      .nullable()
      .describe('Null for a preview. For a campaign with variants: the run of the first variant'),
    variants: z
      .array(z.object({ name: z.string(), runId: z.string().nullable().describe('Null for a preview') }))
      .default([])
      .describe(
        'A test has a run for each variant, and each user gets all of them. Empty without variants, or for a dry run',
      ),
    users: z.int().min(1).nullable().describe('Users of a test; null for a dry run, which reads the whole audience'),
    steps: z
      .array(
        z.object({
          step: z.int().min(1),
          action: z.string(),
          mode: z
            .enum(stepModes)
            .describe(
              'live: the step is really applied to the users. test: the call is marked as a test and the endpoint applies nothing',
            ),
        }),
      )
      .describe('Steps whose endpoints are called; none in a dry run'),
    isReal: z.boolean().describe('true: at least one step is really applied to the users'),
    summary: z.string().describe('The same in words'),
    warnings: z.array(warning),
    links: z.object({ self: z.string().nullable(), report: z.string().nullable() }),
  })
  .meta({ id: 'Trial', description: 'A separate run, with its steps by mode' });

export type Trial = z.infer<typeof trial>;

export const trialCounts = z
  .object({
    dryRuns: z.int().min(0).describe('Dry runs of the campaign that are still stored'),
    tests: z.int().min(0).describe('Tests of the campaign that are still stored'),
    liveTests: z.int().min(0).describe('Tests with at least one live step'),
    users: z.int().min(0).describe('Users of live tests; a user counts once per test'),
    steps: z
      .array(
        z.object({
          step: z.int().min(1),
          succeeded: z.int().min(0),
          failed: z.int().min(0),
          unknown: z.int().min(0),
        }),
      )
      .describe('Outcomes of users in live steps'),
  })
  .meta({
    id: 'TrialCounts',
    description: 'Figures of a campaign’s tests and dry runs, which its other figures do not include',
  });

export type TrialCounts = z.infer<typeof trialCounts>;
