import { z } from 'zod';
import type { ApprovalDesk } from '../../campaigns/approvals/approval-desk.port.ts';
import { runWaits } from '../../campaigns/approvals/approval-problems.ts';
import type { EngineConfig } from '../../../../shared/contracts/endpoints/engine-config.ts';
import type { CatalogueReader } from '../../frame/catalogue-reader.ts';
import { changeReason } from '../../../../shared/contracts/change-reason.ts';
import { cancelPreview, controlledRun, runChanges } from '../../../../shared/contracts/runs/run-control.ts';
import { runEvent } from '../../../../shared/contracts/runs/run-history.ts';
import { publicId } from '../../../../shared/domain/ids/ids.ts';
import { controlVerbs, timeToStopMs, type ControlVerb } from '../../../../shared/domain/run/run-control.ts';
import type { Clock } from '../../../../shared/ports/clock.ts';
import { pageQuery, pageShape } from '../../frame/pages.contract.ts';
import { askerOf } from '../../access/asker.ts';
import { decideChanges, decideVerb } from './control-run.ts';
import { jsonAnswer, problems } from '../../frame/document/answer-shapes.ts';
import type { HttpServer } from '../../frame/server/create-http-server.ts';
import { requireMatch } from '../../frame/if-match.ts';
import { HttpProblem, invalidRequest, notFound } from '../../frame/http-problem.ts';
import { idempotentHeaders } from '../../frame/server/idempotency.ts';
import type { RunControl } from './run-control.port.ts';
import type { RunHeader, RunReports } from '../run-reports.port.ts';
import { cursorInQuery, pageView, requireId } from '../../frame/public-ids.ts';
import { cancelPreviewView } from './cancel-preview-view.ts';
import { controlledRunView, runEventView } from './control-view.ts';
import { runSummaryView } from '../run-view.ts';

export interface RunControlRoutesDeps {
  approvals: Pick<ApprovalDesk, 'isRunWaiting'>;
  control: RunControl;
  reports: RunReports;
  catalogue: CatalogueReader;
  clock: Clock;
}

const byId = z.object({ id: z.string().describe('run_…') });
const tags = ['runs'];

const verbBody = z
  .strictObject({
    reason: changeReason.optional(),
  })
  .meta({ id: 'RunVerb', examples: [{ reason: 'the shop is closed' }] });

const summaries: Record<ControlVerb, { summary: string; description: string }> = {
  pause: {
    summary: 'Pause a run: nothing new starts, and what is under way is still recorded',
    description:
      'It is `pausing` until nobody holds anything of it any more, then `paused`. Its deadline goes on: what it expires, it expires when the run is resumed. ' +
      'Pausing it again changes nothing.',
  },
  resume: {
    summary: 'Resume a paused run where it stood',
    description: 'Resuming it again changes nothing. A share of failed users that pauses it is counted anew from here.',
  },
  cancel: {
    summary: 'Cancel a run: what has not started is recorded as cancelled',
    description:
      'It is `cancelling` until everybody has an outcome, then `cancelled`; no worker is needed for that. There is no way back. `cancel-preview` says what it ' +
      'would do. Cancelling it again changes nothing.',
  },
};

export function runControlRoutes(server: HttpServer, deps: RunControlRoutesDeps): void {
  for (const verb of controlVerbs) verbRoute(server, verb, deps);
  changeRoute(server, deps);
  previewRoute(server, deps);
  eventsRoute(server, deps);
}

function verbRoute(
  server: HttpServer,
  verb: ControlVerb,
  { control, approvals, catalogue }: RunControlRoutesDeps,
): void {
  server.route({
    method: 'POST',
    url: `/runs/:id/${verb}`,
    config: { role: 'manager', scope: 'campaign', audit: `${participles[verb]} a run` },
    schema: {
      operationId: `${verb}Run`,
      ...summaries[verb],
      tags,
      headers: idempotentHeaders,
      params: byId,
      body: verbBody.nullish(),
      response: {
        200: jsonAnswer('The run, and what was under way', controlledRun),
      },
    },
    handler: async (request) => {
      const { id } = request.params;
      const reason = request.body?.reason;
      const runId = requireId('run', id);
      if (verb === 'resume' && (await approvals.isRunWaiting(runId))) throw runWaits(id);
      const controlled = await control.change(runId, (run) => decideVerb(verb, run, askerOf(request), reason));
      if (!controlled) throw notFound('run', id);
      const { run, underWay, decision } = controlled;
      request.auditDetail = { ...(reason === undefined ? {} : { reason }), state: run.state };
      if (decision.move.kind === 'forbidden') throw stateForbids(run, verb, decision.move.allowed);
      return controlledRunView(run, underWay, stopTimeOf(run, catalogue.registered()));
    },
  });
}

function changeRoute(server: HttpServer, { control, catalogue, clock }: RunControlRoutesDeps): void {
  server.route({
    method: 'PATCH',
    url: '/runs/:id',
    config: { role: 'manager', scope: 'campaign', audit: 'changed limits of a run' },
    schema: {
      operationId: 'changeRun',
      summary: 'Change deadline, priority, pace or the limit of failed users of a run while it goes on',
      description:
        'For this run alone: its campaign stays as it is. Workers and triggers go by it within a second; a slower pace counts for what is fed from then on. ' +
        'With `If-Match`, only if the run looks as it did.',
      tags,
      headers: z.looseObject({ 'if-match': z.string().optional().describe('The ETag of the run as it was seen') }),
      params: byId,
      body: runChanges,
      response: {
        200: jsonAnswer('The run as it is now, and what is under way', controlledRun),
        ...problems(409),
      },
    },
    handler: async (request) => {
      const { id } = request.params;
      const ifMatch = request.headers['if-match'];
      const controlled = await control.change(requireId('run', id), (run) => {
        requireMatch(ifMatch, runSummaryView(run));
        return decideChanges(run, request.body, askerOf(request), clock.now());
      });
      if (!controlled) throw notFound('run', id);
      const { run, underWay, decision } = controlled;
      const [changed] = decision.change?.events ?? [];
      const { reason } = request.body;
      if (changed) {
        const { from, to } = changed.detail;
        request.auditDetail = { ...(reason !== undefined && { reason }), from, to };
      }
      if (decision.kind === 'forbidden')
        throw stateForbids(run, 'change', ['preparing', 'running', 'pausing', 'paused']);
      if (decision.kind === 'invalid') throw invalidRequest(decision.errors);
      return controlledRunView(run, underWay, stopTimeOf(run, catalogue.registered()));
    },
  });
}

function previewRoute(server: HttpServer, { control, reports, catalogue }: RunControlRoutesDeps): void {
  server.route({
    method: 'GET',
    url: '/runs/:id/cancel-preview',
    config: { role: 'viewer', scope: 'campaign', heavy: 'previews' },
    schema: {
      operationId: 'previewCancel',
      summary: 'What cancelling a run would do now, in users: as a whole, and by country and step',
      tags,
      params: byId,
      response: { 200: jsonAnswer('What would become of whom', cancelPreview) },
    },
    handler: async ({ params: { id } }) => {
      const runId = requireId('run', id);
      const [snapshot, underWay] = await Promise.all([reports.snapshot(runId), control.underWay(runId)]);
      if (!snapshot) throw notFound('run', id);
      return cancelPreviewView(snapshot, underWay, stopTimeOf(snapshot, catalogue.registered()));
    },
  });
}

function eventsRoute(server: HttpServer, { control, reports }: RunControlRoutesDeps): void {
  server.route({
    method: 'GET',
    url: '/runs/:id/events',
    config: { role: 'viewer', scope: 'campaign' },
    schema: {
      operationId: 'listRunEvents',
      summary: 'What has become of a run, oldest first: who asked for what, and what Muster did by itself',
      tags,
      params: byId,
      querystring: pageQuery,
      response: { 200: jsonAnswer('A page of events', pageShape(runEvent)) },
    },
    handler: async ({ params: { id }, query: { limit, cursor } }) => {
      const runId = requireId('run', id);
      const page = await control.events(runId, limit, cursorInQuery('runEvent', cursor));
      if (page.items.length === 0 && !(await reports.snapshot(runId))) throw notFound('run', id);
      return pageView('runEvent', page, runEventView);
    },
  });
}

/** Returns the time to stop, in milliseconds, after the longest call that may be in progress. */
function stopTimeOf({ chain }: RunHeader, actionTypes: EngineConfig['actionTypes']): number {
  return timeToStopMs(chain.flatMap(({ action }) => actionTypes[action]?.timeoutMs ?? []));
}

const participles: Record<ControlVerb | 'change', string> = {
  pause: 'paused',
  resume: 'resumed',
  cancel: 'cancelled',
  change: 'changed',
};

function stateForbids(
  { runId, state }: RunHeader,
  verb: ControlVerb | 'change',
  allowed: readonly string[],
): HttpProblem {
  const states = `${allowed.slice(0, -1).join(', ')} or ${allowed.at(-1) ?? ''}`;
  const detail = `${publicId('run', runId)} is ${state} and cannot be ${participles[verb]}; a run can be while it is ${states}`;
  return new HttpProblem({ status: 409, code: 'state-forbids', detail });
}
