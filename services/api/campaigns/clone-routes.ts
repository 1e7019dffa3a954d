import { z } from 'zod';
import { campaignPatch } from '../../../shared/contracts/campaigns/campaigns.ts';
import { callerOf, requireCampaignInScope } from '../access/scopes.ts';
import { idempotentHeaders } from '../frame/server/idempotency.ts';
import { jsonAnswer } from '../frame/document/answer-shapes.ts';
import { rawBody, type HttpServer } from '../frame/server/create-http-server.ts';
import { splitCampaign } from './about-parts.ts';
import { campaignWithWarnings, requireSources, type CampaignRoutesDeps } from './campaign-routes.ts';
import { campaignView } from './campaign-view.ts';
import { changedCampaign } from './changed-campaign.ts';
import { requireCampaign } from './require-campaign.ts';
import { checkCopiedSources } from './copied-sources.ts';

const byId = z.object({ id: z.string().describe('cmp_…') });
const maxNameLength = 200;
const copySuffix = ', copy';

export function cloneRoutes(server: HttpServer, deps: CampaignRoutesDeps): void {
  const { campaigns, catalogue, clock } = deps;
  server.route({
    method: 'POST',
    url: '/campaigns/:id/clone',
    config: { role: 'manager', scope: 'campaign', audit: 'cloned a campaign' },
    schema: {
      operationId: 'cloneCampaign',
      summary: 'Copy a campaign as a draft',
      description:
        'The copy has the newest revision, the description and the current budgets. A given field replaces ' +
        'the whole field; null resets it to the default of a new campaign. Without a `name`, the copy is ' +
        'named after the original. It is checked like a new campaign: a time that has passed is refused, so ' +
        'send another `schedule`.',
      tags: ['campaigns'],
      headers: idempotentHeaders,
      params: byId,
      body: campaignPatch.optional(),
      response: { 201: jsonAnswer('The draft', campaignWithWarnings) },
    },
    // The body is not validated before the handler, because the handler validates the resulting copy.
    validatorCompiler: rawBody,
    handler: async (request, reply) => {
      const { id } = request.params;
      const config = await catalogue.refresh();
      const original = await requireCampaign(id, campaigns);
      const { definition, about, campaignId, revision } = original;
      const named = { definition: { ...definition, name: nameOfCopy(definition.name) }, about };
      const wanted = changedCampaign(named, request.body ?? {}, config, clock.now());
      const checkedSources = await checkCopiedSources(wanted, original, deps);
      const [copied, copiedAbout] = splitCampaign(checkedSources.written);
      requireCampaignInScope(request, copied);
      const warnings = [...checkedSources.warnings, ...(await requireSources(copied, deps))];
      const by = callerOf(request);
      const origin = { campaignId, revision };
      const view = campaignView(await campaigns.create(copied, request.begun?.createdId, by, copiedAbout, origin));
      request.auditDetail = { campaign: view.id, revision };
      return reply
        .code(201)
        .header('location', view.links.self)
        .send({ ...view, warnings });
    },
  });
}

/** Shortens a name without splitting a surrogate pair. */
function nameOfCopy(name: string): string {
  const kept = name.slice(0, maxNameLength - copySuffix.length).replace(/[\uD800-\uDBFF]$/, '');
  return `${kept}${copySuffix}`;
}
