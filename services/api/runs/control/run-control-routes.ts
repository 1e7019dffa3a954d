import { z } from 'zod';
import type { ApprovalDesk } from '../../campaigns/approvals/approval-desk.port.ts';
import { runNeedsApproval } from '../../campaigns/approvals/approval-problems.ts';
import type { EngineConfig } from '../../../../shared/contracts/endpoints/engine-config.ts';
import type { CatalogueReader } from '../../frame/catalogue-reader.ts';
import {
  cancelPreview,
  controlledRun,
  resumeRefusals,
  runChanges,
  runResume,
  runVerb,
} from '../../../../shared/contracts/runs/run-control.ts';
import { runEvent } from '../../../../shared/contracts/runs/run-history.ts';
import { publicId } from '../../../../shared/domain/ids/ids.ts';
import { controlVerbs, timeToStopMs, type ControlVerb } from '../../../../shared/domain/run/run-control.ts';
import type { Clock } from '../../../../shared/ports/clock.ts';
import { pageQuery, pageShape } from '../../frame/pages.contract.ts';
import { requesterOf } from '../../access/requester.ts';
import { decideChanges, decideVerb, type VerbRequest } from './control-run.ts';
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

const summaries: Record<ControlVerb, { summary: string; description: string }> = {
  pause: {
    summary: 'Pause a run: no further calls start, and results of calls in progress are still recorded',
    description:
      'The run is `pausing` until no worker holds a claim of it, then `paused`. Its deadline keeps running: batches that expire meanwhile do so when the run is resumed. ' +
      'Pausing it again changes nothing.',
  },
  resume: {
    summary: 'Resume a paused run',
    description:
      'Resuming it again changes nothing. The failure limit counts failures from here on. If the run waits for the choice of a variant ' +
      '(`variantChoice`), `variant` is required, and all users outside the canary get that variant.',
  },
  cancel: {
    summary: 'Cancel a run: users that were not called are recorded as cancelled',
    description:
      'The run is `cancelling` until every user has an outcome, then `cancelled`, even without workers. This cannot be undone. `cancel-preview` shows the ' +
      'effect. Cancelling it again changes nothing.',
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
    config: {
      role: 'manager',
      scope: 'campaign',
      audit: `${participles[verb]} a run`,
      ...(verb === 'resume' && { refusals: resumeRefusals }),
    },
    schema: {
      operationId: `${verb}Run`,
      ...summaries[verb],
      tags,
      headers: idempotentHeaders,
      params: byId,
      body: (verb === 'resume' ? runResume : runVerb).nullish(),
      response: {
        200: jsonAnswer('The run and its calls in progress', controlledRun),
      },
    },
    handler: async (request) => {
      const { id } = request.params;
      const body: VerbRequest = request.body ?? {};
      const { reason } = body;
      const runId = requireId('run', id);
      if (verb === 'resume' && (await approvals.isRunWaiting(runId))) throw runNeedsApproval(id);
      const controlled = await control.change(runId, (run) => decideVerb(verb, run, requesterOf(request), body));
      if (!controlled) throw notFound('run', id);
      const { run, underWay, decision } = controlled;
      const { variant } = decision.change?.events[0]?.detail ?? {};
      request.auditDetail = {
        ...(reason !== undefined && { reason }),
        ...(variant !== undefined && { variant }),
        state: run.state,
      };
      if (decision.move.kind === 'forbidden') throw stateForbids(run, verb, decision.move.allowed);
      if (decision.refusal) throw invalidRequest([decision.refusal]);
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
      summary: 'Change deadline, priority, pace or failure limit of an active run',
      description:
        'Only this run changes, not its campaign. Workers and triggers apply it within a second; a slower pace applies to users fed from then on. ' +
        'With `If-Match`, only if the run has not changed.',
      tags,
      headers: z.looseObject({ 'if-match': z.string().optional().describe('ETag of the last read of the run') }),
      params: byId,
      body: runChanges,
      response: {
        200: jsonAnswer('The current run and its calls in progress', controlledRun),
        ...problems(409),
      },
    },
    handler: async (request) => {
      const { id } = request.params;
      const ifMatch = request.headers['if-match'];
      const controlled = await control.change(requireId('run', id), (run) => {
        requireMatch(ifMatch, runSummaryView(run));
        return decideChanges(run, request.body, requesterOf(request), clock.now());
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
      summary: 'Preview the effect of cancelling a run, in users: in total, and by country and step',
      tags,
      params: byId,
      response: { 200: jsonAnswer('Effect by group of users', cancelPreview) },
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
      summary: 'List the history of a run, oldest first: requested and automatic changes',
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

/**
 * Returns the milliseconds until all calls of a stopped run have ended, which the longest timeout in the chain
 * determines.
 */
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
