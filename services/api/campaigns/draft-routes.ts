import { z } from 'zod';
import {
  audience,
  campaignPatch,
  paceUsersPerSecond,
  writtenCampaign,
  unitsPerUser,
} from '../../../shared/contracts/campaigns/campaigns.ts';
import type { Catalogue } from '../../../shared/contracts/endpoints/engine-config.ts';
import { campaignPreview, type CampaignPreview } from '../installation/scheduler/load-preview.contract.ts';
import { countryPattern } from '../../../shared/domain/endpoint/shard.ts';
import { jsonAnswer, problems } from '../frame/document/answer-shapes.ts';
import { rawBody, type HttpServer } from '../frame/server/create-http-server.ts';
import { etagOf, ifMatchHeaders, requireMatch } from '../frame/if-match.ts';
import type { CampaignRecord, CampaignStore } from './campaign-store.port.ts';
import { patchAbout, aboutPatchOf } from './about-parts.ts';
import { estimateSources } from '../audiences/estimates/estimate-sources.ts';
import type { SourceEstimates } from '../audiences/estimates/source-estimates.ts';
import { checkCampaign } from './check-campaign.ts';
import { campaignWithWarnings, type CampaignRoutesDeps } from './campaign-routes.ts';
import { expectedLoadOf } from '../installation/scheduler/expected-load.ts';
import type { ShardReader } from '../installation/shards/shard-reader.ts';
import { campaignView } from './campaign-view.ts';
import { changedCampaign } from './changed-campaign.ts';
import {
  countryEstimates,
  estimatedCostOf,
  sumOfBounds,
  variantEstimates,
} from '../audiences/estimates/estimate-view.ts';
import { redefineDraft } from './redefine-draft.ts';
import { requireDraft } from './refusals.ts';
import { requireCampaign } from './require-campaign.ts';
import { findUnservedSteps } from './unserved-steps.ts';

export interface DraftRoutesDeps extends CampaignRoutesDeps {
  shardReader: Pick<ShardReader, 'read'>;
}

const byId = z.object({ id: z.string().describe('cmp_…') });
const tags = ['campaigns'];

export function draftRoutes(server: HttpServer, deps: DraftRoutesDeps): void {
  changeRoute(server, deps);
  previewRoute(server, deps);
}

function changeRoute(server: HttpServer, deps: DraftRoutesDeps): void {
  const { campaigns, catalogue } = deps;
  server.route({
    method: 'PATCH',
    url: '/campaigns/:id',
    config: { role: 'manager', scope: 'campaign', audit: 'changed a campaign' },
    schema: {
      operationId: 'changeCampaign',
      summary: 'Change a draft, or the description of a campaign',
      description:
        'A given field replaces the whole field; null resets it to the default of a new campaign. Each ' +
        'change is a revision. A started campaign cannot be changed: unschedule it first, or copy it. ' +
        '`description`, `owner`, `tags` and `metadata` can be changed at any time: given alone, they make no ' +
        'revision.',
      tags,
      params: byId,
      headers: ifMatchHeaders,
      body: campaignPatch,
      response: {
        200: jsonAnswer('The campaign as it is now', campaignWithWarnings),
        ...problems(409),
      },
    },
    // The body is not validated before the handler, because the handler validates the changed campaign.
    validatorCompiler: rawBody,
    handler: async (request, reply) => {
      const { headers, body } = request;
      const { id } = request.params;
      const aboutPatch = aboutPatchOf(body);
      if (aboutPatch) {
        request.auditDetail = { fields: Object.keys(aboutPatch) };
        const view = campaignView(await describe(id, aboutPatch, headers['if-match'], campaigns));
        return reply.header('etag', etagOf(view)).send({ ...view, warnings: [] });
      }
      const config = await catalogue.refresh();
      const before = await requireCampaign(id, campaigns);
      requireDraft(before);
      requireMatch(headers['if-match'], campaignView(before));
      const written = changedCampaign(before, body, config, deps.clock.now());
      const { record, warnings } = await redefineDraft(request, before, written, deps);
      const view = campaignView(record);
      return reply.header('etag', etagOf(view)).send({ ...view, warnings });
    },
  });
}

/** Changes the description. After a concurrent change, reads the description again and retries. */
async function describe(
  id: string,
  patch: object,
  ifMatch: string | undefined,
  campaigns: CampaignStore,
): Promise<CampaignRecord> {
  for (;;) {
    const before = await requireCampaign(id, campaigns);
    const { campaignId } = before;
    requireMatch(ifMatch, campaignView(before));
    const after = patchAbout(before.about, patch);
    const isDone = await campaigns.describe(campaignId, { before: before.about, after });
    // The campaign is read again, because responses show the description as it is stored.
    const described = isDone ? await campaigns.get(campaignId) : undefined;
    if (described) return described;
  }
}

function previewRoute(server: HttpServer, deps: DraftRoutesDeps): void {
  server.route({
    method: 'POST',
    url: '/campaigns/preview',
    // The request has no entry in the audit log, because it changes nothing.
    config: { role: 'manager', scope: 'calculation', heavy: 'previews', isFrequent: true },
    schema: {
      operationId: 'previewCampaign',
      summary: 'Preview a campaign that is not created yet',
      description:
        'All problems of a definition, the number of users that it would have, and how long it would take. ' +
        'An incomplete definition is evaluated as far as possible. Nothing is stored.',
      tags,
      body: writtenCampaign,
      response: { 200: jsonAnswer('The preview', campaignPreview) },
    },
    // The body is validated by the handler, because its problems are a part of the response.
    validatorCompiler: rawBody,
    handler: async ({ body }) => previewOf(body, await deps.catalogue.refresh(), deps),
  });
}

async function previewOf(body: unknown, config: Catalogue, deps: DraftRoutesDeps): Promise<CampaignPreview> {
  const now = deps.clock.now();
  const checked = checkCampaign(body, config, now);
  const { countries, audience: knownAudience, chain, paceUsersPerSecond: pace } = estimableFields.parse(body);
  const sourceEstimates = knownAudience
    ? await estimateSources({ countries, audience: knownAudience }, deps)
    : { ...noEstimates, estimatedAt: now };
  const estimates = knownAudience ? countryEstimates(countries, sourceEstimates) : [];
  const holdOutPercent = knownAudience?.holdOutPercent ?? 0;
  const users = sumOfBounds(estimates);
  const { batchUsers, lines, takes } = expectedLoadOf({
    chain,
    countries: estimates,
    holdOutPercent,
    paceUsersPerSecond: pace,
    actionTypes: config.actionTypes,
    shards: await deps.shardReader.read(),
  });
  return {
    asOf: now.toISOString(),
    problems: [...(checked.ok ? [] : checked.problems), ...sourceEstimates.problems],
    warnings: [...sourceEstimates.warnings, ...(await findUnservedSteps({ chain, countries }, deps))],
    countries: estimates,
    users,
    holdOutPercent,
    variants: checked.ok ? variantEstimates(checked.value.chain, users) : [],
    ...estimatedCostOf(chain, estimates, { ...config, currency: deps.currency, holdOutPercent }),
    batchUsers,
    load: lines,
    takesSeconds: takes,
  };
}

const noEstimates: Omit<SourceEstimates, 'estimatedAt'> = { sources: [], counted: null, problems: [], warnings: [] };

/** Parts of a definition that can be estimated independently of others. */
const estimableFields = z
  .object({
    countries: z.array(z.string().regex(countryPattern)).max(250).catch([]),
    audience: audience.optional().catch(undefined),
    chain: z
      .array(z.object({ action: z.string(), unitsPerUser: unitsPerUser.optional().catch(undefined) }))
      .max(20)
      .catch([]),
    paceUsersPerSecond: paceUsersPerSecond.optional().catch(undefined),
  })
  .catch({ countries: [], chain: [] });
