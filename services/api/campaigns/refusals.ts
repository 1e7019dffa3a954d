import { z } from 'zod';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { HttpProblem, invalidRequest } from '../frame/http-problem.ts';
import { checkShape } from '../frame/server/check-shape.ts';
import type { CampaignRecord } from './campaign-store.port.ts';

/** Checks the body of a verb that takes no body, or an empty object. @throws {HttpProblem} 422 */
export function refuseFields(body: unknown): void {
  const checked = checkShape(z.strictObject({}).optional(), body);
  if (!checked.ok) throw invalidRequest(checked.problems, checked.more);
}

export function stateForbids(detail: string): HttpProblem {
  return new HttpProblem({ status: 409, code: 'state-forbids', detail });
}

/** Refuses archived drafts, for starts and changes. @throws {HttpProblem} 409 */
export function refuseArchived(record: CampaignRecord): void {
  if (record.archivedAt !== null && record.state === 'draft') throw isArchived(record);
}

export function isArchived({ campaignId }: CampaignRecord): HttpProblem {
  const id = publicId('campaign', campaignId);
  return stateForbids(`${id} is archived: take it out before (POST /v1/campaigns/${id}/unarchive)`);
}

/** Requires a draft, for changes. @throws {HttpProblem} 409 */
export function requireDraft(record: CampaignRecord): void {
  if (record.state !== 'draft')
    throw stateForbids(`${publicId('campaign', record.campaignId)} is started: only a draft can be changed`);
  refuseArchived(record);
}
