import { z } from 'zod';
import { campaignEstimate } from '../../../../shared/contracts/campaigns/estimates.ts';
import { loadLine, takesSeconds } from '../../../../shared/contracts/campaigns/load-lines.ts';
import { fieldProblem } from '../../../../shared/contracts/field-problems.ts';

const count = z.int().min(0);

/** Preview of a definition. It lists the problems of the definition, instead of refusing the request. */
export const campaignPreview = z
  .object({
    asOf: campaignEstimate.shape.asOf,
    problems: z.array(fieldProblem).describe('Problems that prevent its creation or start; empty if there are none'),
    warnings: campaignEstimate.shape.warnings,
    countries: campaignEstimate.shape.countries.describe('Empty while countries or audience are invalid'),
    users: campaignEstimate.shape.users,
    holdOutPercent: campaignEstimate.shape.holdOutPercent,
    variants: campaignEstimate.shape.variants,
    cost: campaignEstimate.shape.cost,
    batchUsers: count.nullable().describe('Maximum users per call: the smallest limit of its actions'),
    load: z.array(loadLine).describe('Load by step and country'),
    takesSeconds,
  })
  .meta({ id: 'CampaignPreview' });

export type CampaignPreview = z.infer<typeof campaignPreview>;
