import { z } from 'zod';
import { stepModes } from '../../domain/run/run-kinds.ts';
import { runSummary } from './runs.ts';
import { userId } from '../user-ids.ts';
import { warning } from '../warnings.ts';

const maxTestUsers = 50;

const dryRunRequest = z.strictObject({ kind: z.literal('dry-run') });

const testRequest = z.strictObject({
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
    .describe('Whoever they are: neither audience, exclusions nor hold-out are asked'),
  country: z.string().describe("One of the campaign's: whose endpoints are called"),
  preview: z.boolean().default(false).describe('Only says which steps are real: nobody is called'),
  again: z
    .boolean()
    .default(false)
    .describe('Reaches users again whom an earlier live test of this campaign has reached in the same step'),
});

export type TestRequest = z.infer<typeof testRequest>;

/** The kind is that of the run. */
export const trialRequest = z.discriminatedUnion('kind', [dryRunRequest, testRequest]).meta({
  id: 'TrialRequest',
  examples: [{ kind: 'dry-run' }, { kind: 'test', users: ['u-10077214'], country: 'SG' }],
});

export const trial = z
  .object({
    run: runSummary.nullable().describe('Null for a preview'),
    users: z.int().min(1).nullable().describe('Users of a test; null for a dry run, which reads the whole audience'),
    steps: z
      .array(
        z.object({
          step: z.int().min(1),
          action: z.string(),
          mode: z
            .enum(stepModes)
            .describe(
              'live: the users really get it. test: the endpoint is told that this is a test, and gives nothing',
            ),
        }),
      )
      .describe('Steps whose endpoints are called; none in a dry run'),
    isReal: z.boolean().describe('Whether the users really get anything'),
    summary: z.string().describe('The same in words'),
    warnings: z.array(warning),
    links: z.object({ self: z.string().nullable(), report: z.string().nullable() }),
  })
  .meta({ id: 'Trial', description: 'A run of its own, and which of its steps really give something' });

export type Trial = z.infer<typeof trial>;

export const trialCounts = z
  .object({
    dryRuns: z.int().min(0).describe('Dry runs of the campaign, as long as their runs are kept'),
    tests: z.int().min(0).describe('Tests of the campaign, as long as their runs are kept'),
    liveTests: z.int().min(0).describe('Those of them with a step that really gives something'),
    users: z.int().min(0).describe('Users that live tests were sent to; a user counts in each test'),
    steps: z
      .array(
        z.object({
          step: z.int().min(1),
          succeeded: z.int().min(0),
          failed: z.int().min(0),
          unknown: z.int().min(0),
        }),
      )
      .describe('What came of users in steps that were live'),
  })
  .meta({
    id: 'TrialCounts',
    description: 'Numbers of the trials of a campaign, which its other figures leave out',
  });

export type TrialCounts = z.infer<typeof trialCounts>;
