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
      .describe('Its action types in their order: of two chains, who got through or failed means two things'),
    revision: z.int().min(1).describe('Of the campaign: two revisions may be two different things'),
    audience: users.describe('Held-out users included'),
    through: users.describe('Succeeded in the last step'),
    failed: users.describe('In one of the steps'),
    unknown: users,
    suppressed: users,
    expired: users,
    cancelled: users,
    recovered: users.describe('Of the failed ones, who was tried again in child runs and got through'),
    tookMs: users.nullable().describe('From its start to its end; null where it never began, or goes on'),
  })
  .meta({ id: 'ComparedRun', description: 'A run in the few figures that two runs are compared by, in users' });

export type ComparedRunShape = z.infer<typeof comparedRun>;

export const runComparison = z
  .object({
    run: comparedRun,
    before: comparedRun
      .nullable()
      .describe(
        'What it is compared with: the run that `with` names, of whichever campaign; otherwise the last run of its campaign that was planned before it, began, and ' +
          'has ended; for a run that tries failed users again, the run whose users these are. Null where there is none',
      ),
    others: z
      .array(comparableRun)
      .describe('Of its campaign, with what else it can be compared: those planned before it first, the newest first'),
  })
  .meta({ id: 'RunComparison' });

export type RunComparison = z.infer<typeof runComparison>;
