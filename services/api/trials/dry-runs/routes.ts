import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import { dryRun } from '../../../../shared/contracts/runs/dry-runs.ts';
import { publicId } from '../../../../shared/domain/ids/ids.ts';
import { requireConfigured } from '../../campaigns/campaign-routes.ts';
import { isArchived, refuseFields, stateForbids } from '../../campaigns/refusals.ts';
import { requireCampaign } from '../../campaigns/require-campaign.ts';
import { unservedSteps } from '../../campaigns/unserved-steps.ts';
import type { ApiParts } from '../../api-parts.ts';
import { idempotentHeaders } from '../../frame/server/idempotency.ts';
import { jsonAnswer, problems } from '../../frame/document/answer-shapes.ts';
import type { HttpServer } from '../../frame/server/create-http-server.ts';
import { askerOf } from '../../access/asker.ts';
import { runSummaryView } from '../../runs/run-view.ts';
import { createDryRuns } from './postgres/dry-runs.ts';

export function routes(server: HttpServer, parts: ApiParts): void {
  const { campaigns, catalogue, reports } = parts;
  const dryRuns = createDryRuns(parts);
  server.route({
    method: 'POST',
    url: '/campaigns/:id/dry-run',
    config: { role: 'manager', scope: 'campaign', audit: 'began a dry run of a campaign' },
    schema: {
      operationId: 'dryRunCampaign',
      summary: 'Carry a campaign out without calling anybody',
      description:
        'A run of its own (`kind: "dry-run"`) of the newest revision, draft or started: its whole audience is paged, merged and cut into ' +
        'batches as by any run, and each batch ends as it is written. No endpoint is called, nothing goes to a topic, no unit of a budget is ' +
        'spent, and no approval is needed. Its report says who would get what, and `forecast` how long that would take. It is in no figures of ' +
        'the campaign, pages at most 20,000 users a second, may be paused and cancelled, and ends after six hours at most; whom it has seen ' +
        'is kept for a day.',
      tags: ['campaigns'],
      headers: idempotentHeaders,
      params: z.object({ id: z.string().describe('cmp_…') }),
      response: { 201: jsonAnswer('The run that was begun', dryRun), ...problems(409) },
    },
    handler: async (request, reply) => {
      const { begun, body, params } = request;
      refuseFields(body);
      const record = await requireCampaign(params.id, campaigns);
      if (record.archivedAt !== null) throw isArchived(record);
      requireConfigured(record.definition, await catalogue.refresh());
      const warnings = await unservedSteps(record.definition, parts);

      const runId = begun?.createdId ?? uuidv7();
      const { campaignId, revision } = record;
      const isThere = await dryRuns.begin({ runId, campaignId, revision, asker: askerOf(request) });
      const run = isThere ? await reports.snapshot(runId) : undefined;
      if (!run) throw stateForbids(`${params.id} was changed or put away this moment: look at it, and try again`);
      const created = publicId('run', runId);
      request.auditDetail = { created };
      const self = `/v1/runs/${created}`;
      const view = { run: runSummaryView(run), warnings, links: { self, report: `${self}/report` } };
      return reply.code(201).header('location', self).send(view);
    },
  });
}
