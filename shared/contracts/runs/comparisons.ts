import { z } from 'zod';
import { runStates } from '../../domain/run/run-states.ts';

const users = z.int().min(0);
const time = z.iso.datetime({ precision: 3 });

const comparableRun = z.object({
  runId: z.string(),
  scheduledFor: time,
  state: z.enum(runStates),
});

const comparedRun = comparableRun
  .extend({
    campaignId: z.string().describe('cmp_…'),
    campaignName: z.string(),
    chain: z
      .array(z.string())
      .describe('Action types in order. Figures of runs with different chains are not directly comparable'),
    revision: z.int().min(1).describe('Revision of the campaign; different revisions may differ in content'),
    audience: users.describe('Including held-out users'),
    through: users.describe('Users that succeeded in the last step'),
    failed: users.describe('Users that failed in any step'),
    unknown: users,
    suppressed: users,
    expired: users,
    cancelled: users,
    recovered: users.describe('Failed users that succeeded in a retry by a child run'),
    variants: z
      .array(z.object({ name: z.string(), audience: users, through: users, failed: users, unknown: users }))
      .optional()
      .describe('The same figures of each variant; absent without variants'),
    tookMs: users.nullable().describe('Duration; null if the run never began or is in progress'),
  })
  .meta({ id: 'ComparedRun', description: 'Figures of a run for comparison, in users' });

export type ComparedRunShape = z.infer<typeof comparedRun>;

export const runComparison = z
  .object({
    run: comparedRun,
    before: comparedRun
      .nullable()
      .describe(
        'The other run: the one given by `with`, of any campaign; otherwise the last earlier run of the campaign that began and ' +
          'has ended; for a retry, the run whose users it retries. Null: none',
      ),
    others: z
      .array(comparableRun)
      .describe('Other comparable runs of the campaign: runs scheduled before it first, newest first'),
  })
  .meta({ id: 'RunComparison' });

export type RunComparison = z.infer<typeof runComparison>;
