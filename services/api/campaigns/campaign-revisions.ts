import { campaignDefinition } from '../../../shared/contracts/campaigns/campaigns.ts';
import { campaignRevision } from '../../../shared/contracts/campaigns/revisions.ts';
import { problems } from '../frame/document/answer-shapes.ts';
import { etagOf, requireMatch } from '../frame/if-match.ts';
import type { Revisions } from '../revisions/revisions.port.ts';
import type { RevisionRoutesDeps } from '../revisions/revision-routes.ts';
import { campaignWithWarnings, type CampaignRoutesDeps } from './campaign-routes.ts';
import type { CampaignRecord } from './campaign-store.port.ts';
import { campaignView } from './campaign-view.ts';
import { changedCampaign } from './changed-campaign.ts';
import { redefineDraft } from './redefine-draft.ts';
import { requireDraft } from './refusals.ts';
import { requireCampaign } from './require-campaign.ts';

export function revisionsOfCampaigns(
  deps: CampaignRoutesDeps & { revisions: Revisions },
): RevisionRoutesDeps<CampaignRecord> {
  return {
    revisions: () => deps.revisions.campaign,
    shapes: { definition: campaignDefinition, revision: campaignRevision, restored: campaignWithWarnings },
    checks:
      'Only a draft can be restored. It is checked as a change is, so an action type that is no longer configured, or a time that has ' +
      'passed, is refused. Its description, owner, tags and metadata stay.',
    problems: problems(409),
    load: (id) => requireCampaign(id, deps.campaigns),
    requireChangeable: (_, campaign, ifMatch) => {
      requireDraft(campaign);
      requireMatch(ifMatch, campaignView(campaign));
    },
    restore: async (request, before, definition) => {
      const config = await deps.catalogue.refresh();
      const wanted = changedCampaign({ definition, about: before.about }, {}, config, deps.clock.now());
      return await redefineDraft(request, before, wanted, deps);
    },
    view: ({ record, warnings }) => {
      const view = campaignView(record);
      return { etag: etagOf(view), body: { ...view, warnings } };
    },
  };
}
