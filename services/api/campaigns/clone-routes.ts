import { z } from 'zod';
import { campaignPatch } from '../../../shared/contracts/campaigns/campaigns.ts';
import { callerOf, requireCampaignInScope } from '../access/scopes.ts';
import { idempotentHeaders } from '../frame/server/idempotency.ts';
import { jsonAnswer } from '../frame/document/answer-shapes.ts';
import { bodyAsItCame, type HttpServer } from '../frame/server/create-http-server.ts';
import { partsOf } from './about-parts.ts';
import { campaignWithWarnings, requireSources, type CampaignRoutesDeps } from './campaign-routes.ts';
import { campaignView } from './campaign-view.ts';
import { changedCampaign } from './changed-campaign.ts';
import { requireCampaign } from './require-campaign.ts';
import { checkTaken } from './taken-sources.ts';

const byId = z.object({ id: z.string().describe('cmp_…') });
const maxNameLength = 200;
const copyWords = ', copy';

export function cloneRoutes(server: HttpServer, deps: CampaignRoutesDeps): void {
  const { campaigns, catalogue, clock } = deps;
  server.route({
    method: 'POST',
    url: '/campaigns/:id/clone',
    config: { role: 'manager', scope: 'campaign', audit: 'cloned a campaign' },
    schema: {
      operationId: 'cloneCampaign',
      summary: 'Make a draft of what a campaign is now',
      description:
        'With its newest revision, what is said about it, and its budgets as they are now. A field that is given takes the place of the ' +
        'whole field there, null takes it back to what it is for a new campaign; without a `name` it is called a copy. It has to be ' +
        'right as a new campaign has to: a time that has passed is refused, so give another `schedule`.',
      tags: ['campaigns'],
      headers: idempotentHeaders,
      params: byId,
      body: campaignPatch.optional(),
      response: { 201: jsonAnswer('The draft', campaignWithWarnings) },
    },
    // Leaves validation to the handler, which checks the copy.
    validatorCompiler: bodyAsItCame,
    handler: async (request, reply) => {
      const { id } = request.params;
      const config = await catalogue.refresh();
      const original = await requireCampaign(id, campaigns);
      const { definition, about, campaignId, revision } = original;
      const named = { definition: { ...definition, name: nameOfCopy(definition.name) }, about };
      const wanted = changedCampaign(named, request.body ?? {}, config, clock.now());
      const taken = await checkTaken(wanted, original, deps);
      const [copied, said] = partsOf(taken.written);
      requireCampaignInScope(request, copied);
      const warnings = [...taken.warnings, ...(await requireSources(copied, deps))];
      const by = callerOf(request);
      const origin = { campaignId, revision };
      const view = campaignView(await campaigns.create(copied, request.begun?.createdId, by, said, origin));
      request.auditDetail = { campaign: view.id, revision };
      return reply
        .code(201)
        .header('location', view.links.self)
        .send({ ...view, warnings });
    },
  });
}

/** Cuts a name without splitting a surrogate pair. */
function nameOfCopy(name: string): string {
  const kept = name.slice(0, maxNameLength - copyWords.length).replace(/[\uD800-\uDBFF]$/, '');
  return `${kept}${copyWords}`;
}
