import type { FastifyRequest } from 'fastify';
import type { WrittenCampaign } from '../../../shared/contracts/campaigns/campaigns.ts';
import type { Warning } from '../../../shared/contracts/warnings.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { callerOf, requireCampaignInScope } from '../access/scopes.ts';
import { notFound } from '../frame/http-problem.ts';
import { requireWritten } from '../frame/if-match.ts';
import { splitCampaign } from './about-parts.ts';
import { requireSources, type CampaignRoutesDeps } from './campaign-routes.ts';
import type { CampaignRecord } from './campaign-store.port.ts';
import { requireDraft } from './refusals.ts';
import { checkCopiedSources } from './copied-sources.ts';

/**
 * Stores the next revision of a draft.
 * @param before campaign as it was read before the change
 * @throws {HttpProblem} 403 beyond the key's scope, 422 for missing sources, 412 if the draft has changed since it was
 * read
 */
export async function redefineDraft(
  request: FastifyRequest,
  before: CampaignRecord,
  written: WrittenCampaign,
  deps: CampaignRoutesDeps,
): Promise<{ record: CampaignRecord; warnings: Warning[] }> {
  const { campaignId, revision } = before;
  const checkedSources = await checkCopiedSources(written, before, deps);
  const [definition, about] = splitCampaign(checkedSources.written);
  requireCampaignInScope(request, definition);
  const warnings = [...checkedSources.warnings, ...(await requireSources(definition, deps))];
  const aboutChange = { before: before.about, after: about };
  const redefined = await deps.campaigns.redefine(campaignId, definition, revision, callerOf(request), aboutChange);
  const id = publicId('campaign', campaignId);
  if (!redefined) throw notFound('campaign', id);
  requireDraft(redefined.record);
  return { record: requireWritten(id, redefined), warnings };
}
