import { z } from 'zod';
import type { WrittenCampaign } from '../../../shared/contracts/campaigns/campaigns.ts';
import type { Catalogue } from '../../../shared/contracts/endpoints/engine-config.ts';
import { invalidRequest } from '../frame/http-problem.ts';
import { withoutAbsent } from './about-parts.ts';
import type { CampaignRecord } from './campaign-store.port.ts';
import { checkCampaign } from './check-campaign.ts';

/** Applies a patch to a campaign. @throws {HttpProblem} 422 if the result is not a valid campaign */
export function changedCampaign(
  { definition, about }: Pick<CampaignRecord, 'definition' | 'about'>,
  patch: unknown,
  config: Catalogue,
  now: Date,
): WrittenCampaign {
  const fields = z.record(z.string(), z.unknown()).safeParse(patch).data;
  const wanted = fields ? withoutAbsent({ ...definition, ...about, ...fields }) : patch;
  const checked = checkCampaign(wanted, config, now);
  if (!checked.ok) throw invalidRequest(checked.problems, checked.more);
  return checked.value;
}
