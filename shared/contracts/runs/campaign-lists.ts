import { z } from 'zod';
import { campaignStandings } from '../../domain/run/campaign-standing.ts';
import { campaign } from '../campaigns/campaigns.ts';
import { runProgress } from './runs.ts';

const count = z.int().min(0);

export const listedRun = runProgress
  .pick({
    runId: true,
    state: true,
    stateReason: true,
    stateSince: true,
    scheduledFor: true,
    startedAt: true,
    endedAt: true,
    asOf: true,
    audience: true,
    stalled: true,
    stall: true,
    waitingSince: true,
    usersPerSecond: true,
    eta: true,
    waits: true,
  })
  .extend({
    pausedItself: z.boolean().describe('Paused by its failure limit or because a budget is used up'),
    lastStep: runProgress.shape.steps.element.describe('Users by outcome; succeeded users have completed the chain'),
    failedUsers: count.describe('Sum of all steps'),
    unknownUsers: count.describe('Sum of all steps'),
  })
  .meta({ id: 'ListedRun' });

export type ListedRunShape = z.infer<typeof listedRun>;

export const listedCampaign = campaign
  .extend({
    standing: z.enum(campaignStandings),
    needsAttention: z
      .boolean()
      .describe('true: the run waits for a person, paused itself, or failed in the last seven days'),
    run: listedRun.nullable().describe('The active run, otherwise the newest'),
  })
  .meta({ id: 'ListedCampaign' });

export type ListedCampaignShape = z.infer<typeof listedCampaign>;

export const campaignCounts = z
  .object({
    all: count.describe('Campaigns that are not archived'),
    needsAttention: count.describe('Also included in the other counts'),
    running: count,
    paused: count,
    scheduled: count,
    ended: count,
    draft: count,
    archived: count,
  })
  .meta({ id: 'CampaignCounts' });
