import { z } from 'zod';
import {
  campaignRevision,
  listedRevision,
  revisionDiff,
} from '../../../shared/contracts/campaigns/campaign-revisions.ts';
import { campaignDefinition } from '../../../shared/contracts/campaigns/campaigns.ts';
import { differences } from '../../../shared/domain/differences.ts';
import { etagOf, ifMatchHeaders, requireMatch } from '../frame/if-match.ts';
import { notFound } from '../frame/http-problem.ts';
import { idempotentHeaders } from '../frame/server/idempotency.ts';
import { pageQuery, pageShape } from '../frame/pages.contract.ts';
import { jsonAnswer, problems } from '../frame/document/answer-shapes.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { campaignWithWarnings, type CampaignRoutesDeps } from './campaign-routes.ts';
import { campaignView } from './campaign-view.ts';
import { changedCampaign } from './changed-campaign.ts';
import { redefineDraft } from './redefine-draft.ts';
import type { CampaignRevisions, RevisionRecord } from './postgres/campaign-revisions.ts';
import { refuseFields, requireDraft } from './refusals.ts';
import { requireCampaign } from './require-campaign.ts';
import { inFieldOrder, placeOfRevision, revisionNumber } from './revision-parts.ts';

export interface RevisionRoutesDeps extends CampaignRoutesDeps {
  campaignRevisions: CampaignRevisions;
}

const byId = z.object({ id: z.string().describe('cmp_…') });
const byRevision = byId.extend({ revision: revisionNumber });
const tags = ['campaigns'];

export function revisionRoutes(server: HttpServer, deps: RevisionRoutesDeps): void {
  listRoute(server, deps);
  showRoute(server, deps);
  diffRoute(server, deps);
  restoreRoute(server, deps);
}

function listRoute(server: HttpServer, { campaigns, campaignRevisions }: RevisionRoutesDeps): void {
  server.route({
    method: 'GET',
    url: '/campaigns/:id/revisions',
    config: { role: 'viewer', scope: 'campaign' },
    schema: {
      operationId: 'listCampaignRevisions',
      summary: 'List the revisions of a campaign, the newest first',
      tags,
      params: byId,
      querystring: pageQuery,
      response: { 200: jsonAnswer('A page of revisions', pageShape(listedRevision)) },
    },
    handler: async ({ params: { id }, query: { limit, cursor } }) => {
      const { campaignId } = await requireCampaign(id, campaigns);
      const { items, next } = await campaignRevisions.page(campaignId, limit, placeOfRevision(cursor));
      return {
        items: items.map((item) => ({ ...item, createdAt: item.createdAt.toISOString() })),
        next: next === null ? null : String(next),
      };
    },
  });
}

function showRoute(server: HttpServer, deps: RevisionRoutesDeps): void {
  server.route({
    method: 'GET',
    url: '/campaigns/:id/revisions/:revision',
    config: { role: 'viewer', scope: 'campaign' },
    schema: {
      operationId: 'getCampaignRevision',
      summary: 'Show a revision of a campaign, as it was written',
      tags,
      params: byRevision,
      response: { 200: jsonAnswer('The revision', campaignRevision) },
    },
    handler: async ({ params: { id, revision } }) => {
      const { campaignId } = await requireCampaign(id, deps.campaigns);
      const { createdAt, ...found } = await revisionOf(campaignId, revision, deps);
      return { ...found, createdAt: createdAt.toISOString() };
    },
  });
}

function diffRoute(server: HttpServer, deps: RevisionRoutesDeps): void {
  server.route({
    method: 'GET',
    url: '/campaigns/:id/revisions/:revision/diff',
    config: { role: 'viewer', scope: 'campaign' },
    schema: {
      operationId: 'diffCampaignRevisions',
      summary: 'What differs between two revisions of a campaign, field by field',
      tags,
      params: byRevision,
      querystring: z.strictObject({ to: revisionNumber.optional().describe('The newest one when absent') }),
      response: { 200: jsonAnswer('What differs', revisionDiff) },
    },
    handler: async ({ params: { id, revision: from }, query }) => {
      const { campaignId, revision: newest } = await requireCampaign(id, deps.campaigns);
      const to = query.to ?? newest;
      const [before, after] = [await revisionOf(campaignId, from, deps), await revisionOf(campaignId, to, deps)];
      return { from, to, differences: inFieldOrder(fields, before.definition, after.definition) };
    },
  });
}

function restoreRoute(server: HttpServer, deps: RevisionRoutesDeps): void {
  server.route({
    method: 'POST',
    url: '/campaigns/:id/revisions/:revision/restore',
    config: { role: 'manager', scope: 'campaign', audit: 'restored a revision of a campaign' },
    schema: {
      operationId: 'restoreCampaignRevision',
      summary: 'Give a draft the definition that it had in an earlier revision',
      description:
        'As its next revision: those between stay to be read. It is checked as a change is, so what is no longer configured, or a time that ' +
        'has passed, is refused. What is said about the campaign stays. Where the draft is so already, nothing is changed.',
      tags,
      params: byRevision,
      headers: idempotentHeaders.extend(ifMatchHeaders.shape),
      response: { 200: jsonAnswer('The campaign as it is now', campaignWithWarnings), ...problems(409) },
    },
    handler: async (request, reply) => {
      const { id, revision } = request.params;
      refuseFields(request.body);
      const before = await requireCampaign(id, deps.campaigns);
      const { definition } = await revisionOf(before.campaignId, revision, deps);
      requireDraft(before);
      requireMatch(request.headers['if-match'], campaignView(before));
      request.auditDetail = { restored: revision };
      const config = await deps.catalogue.refresh();
      const isSame = differences(before.definition, definition).length === 0;
      const restored = { definition, about: before.about };
      const { record, warnings } = isSame
        ? { record: before, warnings: [] }
        : await redefineDraft(request, before, changedCampaign(restored, {}, config, deps.clock.now()), deps);
      const view = campaignView(record);
      return reply.header('etag', etagOf(view)).send({ ...view, warnings });
    },
  });
}

async function revisionOf(
  campaignId: string,
  revision: number,
  { campaignRevisions }: RevisionRoutesDeps,
): Promise<RevisionRecord> {
  const found = await campaignRevisions.find(campaignId, revision);
  if (!found) throw notFound('revision', String(revision));
  return found;
}

const fields = Object.keys(campaignDefinition.shape);
