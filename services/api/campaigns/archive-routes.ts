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
import type { CampaignArchive, ArchiveBlocker } from './postgres/campaign-archive.ts';
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
      summary: 'Archive a campaign: lists omit it, and it is neither changed nor started',
      description:
        'Not possible while it runs, is scheduled, recurs, or waits for approval. Its results stay readable. ' +
        'Archiving it again changes nothing.',
      tags,
      headers: idempotentHeaders,
      params: byId,
      response: { 200: jsonAnswer('The campaign, archived', campaign), ...problems(409) },
    },
    handler: async ({ params: { id }, body }) => {
      refuseFields(body);
      const before = await requireCampaign(id, campaigns);
      const blocker = await campaignArchive.archive(before.campaignId);
      if (blocker) throw notArchived(id, blocker);
      return campaignView(await requireCampaign(id, campaigns));
    },
  });
}

function unarchiveRoute(server: HttpServer, { campaigns, campaignArchive }: ArchiveRoutesDeps): void {
  server.route({
    method: 'POST',
    url: '/campaigns/:id/unarchive',
    config: { role: 'manager', scope: 'campaign', audit: 'restored a campaign from the archive' },
    schema: {
      operationId: 'unarchiveCampaign',
      summary: 'Restore a campaign from the archive',
      description: 'The campaign is as it was before. Repeating it changes nothing.',
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
        'Permanent: only its entries in the audit log remain. A campaign that has run can be archived ' +
        'instead. Deleting it again changes nothing.',
      tags,
      params: byId,
      response: { 204: z.null().describe('It does not exist any more'), ...problems(409) },
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

function notArchived(id: string, blocker: ArchiveBlocker): HttpProblem {
  return stateForbids(`${id} cannot be archived: ${describeBlocker(blocker)}`);
}

function describeBlocker({ kind, id, state }: ArchiveBlocker): string {
  switch (kind) {
    case 'run':
      return `${publicId('run', id)} is ${state}, and has to end first`;
    case 'schedule':
      return `its schedule ${publicId('schedule', id)} is ${state}: disable it first`;
    case 'start':
      return 'it is scheduled: unschedule it first (POST …/unschedule)';
    case 'approval':
      return awaitsApproval;
  }
}

const awaitsApproval = 'it waits for approval: withdraw it first (POST …/withdraw)';

function notDeleted({ campaignId, state, approval, latestRun }: CampaignRecord): HttpProblem {
  const id = publicId('campaign', campaignId);
  const ofDraft = approval?.state === 'waiting' && !latestRun ? awaitsApproval : 'it has run: archive it';
  const why = state === 'draft' ? ofDraft : 'it is started, and only a draft can be deleted: archive it';
  return stateForbids(`${id} cannot be deleted: ${why}`);
}
