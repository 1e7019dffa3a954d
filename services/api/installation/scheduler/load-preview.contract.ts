import { z } from 'zod';
import { campaignEstimate } from '../../../../shared/contracts/campaigns/estimates.ts';
import { loadLine, takesSeconds } from '../../../../shared/contracts/campaigns/load-lines.ts';
import { fieldProblem } from '../../../../shared/contracts/field-problems.ts';

const count = z.int().min(0);

/** Preview of a definition, which reports problems instead of refusing them. */
export const campaignPreview = z
  .object({
    asOf: campaignEstimate.shape.asOf,
    problems: z.array(fieldProblem).describe('Why it could not be created or started; empty where it could'),
    warnings: campaignEstimate.shape.warnings,
    countries: campaignEstimate.shape.countries.describe('Empty while countries or audience cannot be understood'),
    users: campaignEstimate.shape.users,
    holdOutPercent: campaignEstimate.shape.holdOutPercent,
    cost: campaignEstimate.shape.cost,
    batchUsers: count.nullable().describe('Users of a call, at most: as many as all of its actions take'),
    load: z.array(loadLine).describe('By step and country'),
    takesSeconds,
  })
  .meta({ id: 'CampaignPreview' });

export type CampaignPreview = z.infer<typeof campaignPreview>;
