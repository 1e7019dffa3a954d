import { publicId } from '../../../shared/domain/ids/ids.ts';
import { type HttpProblem, stateForbids } from '../frame/http-problem.ts';
import type { CampaignRecord } from './campaign-store.port.ts';

/**
 * Refuses to start or change archived campaigns.
 * @throws {HttpProblem} 409
 */
export function refuseArchived(record: CampaignRecord): void {
  if (record.archivedAt !== null && record.state === 'draft') throw campaignArchived(record);
}

export function campaignArchived({ campaignId }: CampaignRecord): HttpProblem {
  const id = publicId('campaign', campaignId);
  return stateForbids(`${id} is archived: restore it first (POST /v1/campaigns/${id}/unarchive)`);
}

/**
 * Refuses to change campaigns that are not drafts.
 * @throws {HttpProblem} 409
 */
export function requireDraft(record: CampaignRecord): void {
  if (record.state !== 'draft')
    throw stateForbids(`${publicId('campaign', record.campaignId)} is started: only a draft can be changed`);
  refuseArchived(record);
}
