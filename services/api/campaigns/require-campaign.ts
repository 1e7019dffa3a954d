import { notFound } from '../frame/http-problem.ts';
import { requireId } from '../frame/public-ids.ts';
import type { CampaignRecord, CampaignStore } from './campaign-store.port.ts';

/**
 * Returns the campaign whose id is in the path of a request.
 * @throws {HttpProblem} 404
 */
export async function requireCampaign(id: string, campaigns: CampaignStore): Promise<CampaignRecord> {
  const record = await campaigns.get(requireId('campaign', id));
  if (!record) throw notFound('campaign', id);
  return record;
}
