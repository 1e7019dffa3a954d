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
    pausedItself: z.boolean().describe('By its limit of failures, or because a budget is used up'),
    lastStep: runProgress.shape.steps.element.describe('Its succeeded users are through the chain'),
    failedUsers: count.describe('In all steps together'),
    unknownUsers: count.describe('In all steps together'),
  })
  .meta({ id: 'ListedRun' });

export type ListedRunShape = z.infer<typeof listedRun>;

export const listedCampaign = campaign
  .extend({
    standing: z.enum(campaignStandings),
    needsAttention: z
      .boolean()
      .describe('Its run waits for what somebody has to mend, paused itself, or failed in the last seven days'),
    run: listedRun.nullable().describe('The one that goes on, else the newest'),
  })
  .meta({ id: 'ListedCampaign' });

export type ListedCampaignShape = z.infer<typeof listedCampaign>;

export const campaignCounts = z
  .object({
    all: count.describe('Archived ones left out'),
    needsAttention: count.describe('Counted among the others too'),
    running: count,
    paused: count,
    scheduled: count,
    ended: count,
    draft: count,
    archived: count,
  })
  .meta({ id: 'CampaignCounts' });
