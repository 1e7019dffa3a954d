import { z } from 'zod';
import { campaign } from '../../../shared/contracts/campaigns/campaigns.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { type HttpProblem, stateForbids } from '../frame/http-problem.ts';
import { idempotentHeaders } from '../frame/server/idempotency.ts';
import { requireId } from '../frame/public-ids.ts';
import { jsonAnswer, problems } from '../frame/document/answer-shapes.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import type { CampaignRecord, CampaignStore } from './campaign-store.port.ts';
import { campaignView } from './campaign-view.ts';
import type { CampaignArchive, UnderWay } from './postgres/campaign-archive.ts';
import { refuseFields } from '../frame/server/refuse-fields.ts';
import { requireCampaign } from './require-campaign.ts';

export interface ArchiveRoutesDeps {
  campaigns: CampaignStore;
  campaignArchive: CampaignArchive;
}

const byId = z.object({ id: z.string().describe('cmp_…') });
const tags = ['campaigns'];

export function archiveRoutes(server: HttpServer, deps: ArchiveRoutesDeps): void {
  archiveRoute(server, deps);
  unarchiveRoute(server, deps);
  deleteRoute(server, deps);
}

function archiveRoute(server: HttpServer, { campaigns, campaignArchive }: ArchiveRoutesDeps): void {
  server.route({
    method: 'POST',
    url: '/campaigns/:id/archive',
    config: { role: 'manager', scope: 'campaign', audit: 'archived a campaign' },
    schema: {
      operationId: 'archiveCampaign',
      summary: 'Put a campaign away: lists leave it out, and it is neither changed nor started',
      description:
        'Not while a run of it goes on, waits for its time, or recurs, nor while it waits for approval. What it did stays to be read. ' +
        'Archiving it again changes nothing.',
      tags,
      headers: idempotentHeaders,
      params: byId,
      response: { 200: jsonAnswer('The campaign, archived', campaign), ...problems(409) },
    },
    handler: async ({ params: { id }, body }) => {
      refuseFields(body);
      const before = await requireCampaign(id, campaigns);
      const underWay = await campaignArchive.archive(before.campaignId);
      if (underWay) throw notArchived(id, underWay);
      return campaignView(await requireCampaign(id, campaigns));
    },
  });
}

function unarchiveRoute(server: HttpServer, { campaigns, campaignArchive }: ArchiveRoutesDeps): void {
  server.route({
    method: 'POST',
    url: '/campaigns/:id/unarchive',
    config: { role: 'manager', scope: 'campaign', audit: 'took a campaign out of the archive' },
    schema: {
      operationId: 'unarchiveCampaign',
      summary: 'Take a campaign out of the archive',
      description: 'It is what it was before. Doing it again changes nothing.',
      tags,
      headers: idempotentHeaders,
      params: byId,
      response: { 200: jsonAnswer('The campaign as it is now', campaign) },
    },
    handler: async ({ params: { id }, body }) => {
      refuseFields(body);
      await campaignArchive.unarchive(requireId('campaign', id));
      return campaignView(await requireCampaign(id, campaigns));
    },
  });
}

function deleteRoute(server: HttpServer, { campaigns, campaignArchive }: ArchiveRoutesDeps): void {
  server.route({
    method: 'DELETE',
    url: '/campaigns/:id',
    config: { role: 'manager', scope: 'campaign', audit: 'deleted a draft' },
    schema: {
      operationId: 'deleteCampaign',
      summary: 'Delete a draft that never ran, with all of its revisions',
      description:
        'For good: only its line in the audit log is left. What has run is archived instead. Deleting it again changes nothing.',
      tags,
      params: byId,
      response: { 204: z.null().describe('It is gone'), ...problems(409) },
    },
    handler: async (request, reply) => {
      const { id } = request.params;
      const campaignId = requireId('campaign', id);
      const before = await campaigns.get(campaignId);
      if (!before) return reply.code(204).send(null);
      request.auditDetail = { name: before.definition.name, revision: before.revision };
      const isGone = await campaignArchive.deleteDraft(campaignId);
      const left = isGone ? undefined : await campaigns.get(campaignId);
      if (left) throw notDeleted(left);
      return reply.code(204).send(null);
    },
  });
}

function notArchived(id: string, underWay: UnderWay): HttpProblem {
  return stateForbids(`${id} cannot be archived: ${wordsOf(underWay)}`);
}

function wordsOf({ kind, id, state }: UnderWay): string {
  switch (kind) {
    case 'run':
      return `${publicId('run', id)} is ${state}, and has to end before`;
    case 'schedule':
      return `its schedule ${publicId('schedule', id)} is ${state}: disable that before`;
    case 'start':
      return 'it is scheduled: take it back before (POST …/unschedule)';
    case 'approval':
      return waitsForApproval;
  }
}

const waitsForApproval = 'it waits for approval: withdraw it before (POST …/withdraw)';

function notDeleted({ campaignId, state, approval, latestRun }: CampaignRecord): HttpProblem {
  const id = publicId('campaign', campaignId);
  const ofDraft = approval?.state === 'waiting' && !latestRun ? waitsForApproval : 'it has run: archive it';
  const why = state === 'draft' ? ofDraft : 'it is started, and only a draft can be: archive it';
  return stateForbids(`${id} cannot be deleted: ${why}`);
}
