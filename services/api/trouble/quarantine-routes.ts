import { campaignsInScope } from '../access/scopes.ts';
import { z } from 'zod';
import {
  quarantinedStep,
  quarantinedStepDetail,
  quarantineStates,
} from '../../../shared/contracts/messages/quarantined-steps.ts';
import { feedBornMs } from '../../../shared/domain/ids/born-at.ts';
import { mayBeReplayed, replayRefusal } from '../../../shared/domain/run/quarantine.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { CatalogueReader } from '../frame/catalogue-reader.ts';
import { pageQuery, pageShape } from '../frame/pages.contract.ts';
import { jsonAnswer } from '../frame/document/answer-shapes.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { HttpProblem, notFound } from '../frame/http-problem.ts';
import { idempotentHeaders } from '../frame/server/idempotency.ts';
import type { QuarantineDetail, QuarantinedStep, QuarantinedSteps } from './postgres/quarantined-steps.ts';
import { cursorInQuery, idInQuery, pageView, requireId } from '../frame/public-ids.ts';
import { quarantinedStepDetailView, quarantinedStepView } from './quarantined-step-view.ts';
import { idPattern } from '../../../shared/domain/ids/ids.ts';

export interface QuarantineRoutesDeps {
  quarantinedSteps: QuarantinedSteps;
  catalogue: CatalogueReader;
  clock: Clock;
}

const byId = z.object({ id: z.string().describe('qst_…') });
const tags = ['quarantined steps'];
const sampled = 100;

/** Steps that no worker calls for any more, because their calls ended their workers again and again. */
export function quarantineRoutes(server: HttpServer, deps: QuarantineRoutesDeps): void {
  const { quarantinedSteps } = deps;
  listRoutes(server, deps);

  server.route({
    method: 'POST',
    url: '/quarantined-steps/:id/replay',
    config: { role: 'operator', scope: 'installation', audit: 'replayed a quarantined step' },
    schema: {
      operationId: 'replayQuarantinedStep',
      summary: 'Open a quarantined step again',
      description:
        'Its users are pending again and it is called again, under the same key and with the same bytes: while its run goes on or is ' +
        'paused, for classes A and B, and while their endpoint still keeps the key. It stays a suspect, called for beside no other one, ' +
        'and is quarantined again after four more lapses.',
      tags,
      headers: idempotentHeaders,
      params: byId,
      response: { 200: jsonAnswer('The step as it is now', quarantinedStep) },
    },
    handler: async (request) => {
      const { id } = request.params;
      const row = await require(id, deps);
      request.auditDetail = auditOf(row);
      if (row.state !== 'replayed') await replay(id, row, deps);
      return viewOf(await require(id, deps), deps);
    },
  });

  server.route({
    method: 'POST',
    url: '/quarantined-steps/:id/discard',
    config: { role: 'operator', scope: 'installation', audit: 'discarded a quarantined step' },
    schema: {
      operationId: 'discardQuarantinedStep',
      summary: 'Leave a quarantined step as it ended',
      description:
        'Its users stay unknown, and may be settled once the run has ended. The step stays in the list, as discarded.',
      tags,
      headers: idempotentHeaders,
      params: byId,
      response: { 200: jsonAnswer('The step as it is now', quarantinedStep) },
    },
    handler: async (request) => {
      const { id } = request.params;
      const row = await quarantinedSteps.discard(requireId('quarantinedStep', id));
      if (!row) throw notFound('quarantinedStep', id);
      request.auditDetail = auditOf(row);
      if (row.state !== 'discarded') throw forbidden('state-forbids', `${id} is ${row.state} and cannot be discarded`);
      return viewOf(row, deps);
    },
  });
}

function listRoutes(server: HttpServer, deps: QuarantineRoutesDeps): void {
  server.route({
    method: 'GET',
    url: '/quarantined-steps',
    config: { role: 'viewer', scope: 'campaign' },
    schema: {
      operationId: 'listQuarantinedSteps',
      summary: 'List steps whose calls ended their workers again and again, newest first',
      tags,
      querystring: pageQuery.extend({
        runId: z
          .string()
          .optional()
          .meta({ pattern: idPattern('run') }),
        state: z.enum(quarantineStates).optional(),
      }),
      response: {
        200: jsonAnswer('A page of quarantined steps', pageShape(quarantinedStep)),
      },
    },
    handler: async (request) => {
      const { limit, cursor, runId, state } = request.query;
      const filter = { runId: idInQuery('run', 'runId', runId), state, within: campaignsInScope(request) };
      const page = await deps.quarantinedSteps.list(filter, limit, cursorInQuery('quarantinedStep', cursor));
      return pageView('quarantinedStep', page, (row) => viewOf(row, deps));
    },
  });

  server.route({
    method: 'GET',
    url: '/quarantined-steps/:id',
    config: { role: 'viewer', scope: 'campaign' },
    schema: {
      operationId: 'getQuarantinedStep',
      summary: 'Show a quarantined step: which batch, which users, and what happened to its calls',
      tags,
      params: byId,
      response: { 200: jsonAnswer('The step', quarantinedStepDetail) },
    },
    handler: async (request) => {
      const row = await require(request.params.id, deps);
      const visible = request.readsUsers ? row : { ...row, sample: [] };
      return quarantinedStepDetailView(visible, whyNotOf(row, deps));
    },
  });
}

async function require(id: string, { quarantinedSteps }: QuarantineRoutesDeps): Promise<QuarantineDetail> {
  const row = await quarantinedSteps.find(requireId('quarantinedStep', id), sampled);
  if (!row) throw notFound('quarantinedStep', id);
  return row;
}

function viewOf(row: QuarantinedStep, deps: QuarantineRoutesDeps) {
  return quarantinedStepView(row, whyNotOf(row, deps));
}

/** @throws {HttpProblem} 409 where it may not be opened again */
async function replay(id: string, row: QuarantinedStep, deps: QuarantineRoutesDeps): Promise<void> {
  // A type that was registered or changed just now counts.
  await deps.catalogue.refresh();
  const refusal = whyNotOf(row, deps);
  if (refusal !== null) throw forbidden('not-replayable', `${id} cannot be opened again: ${refusal}`);
  switch (await deps.quarantinedSteps.replay(row.quarantineId)) {
    case 'run-ended':
      throw forbidden('not-replayable', `${id} cannot be opened again: ${ended}`);
    case 'settled':
      throw forbidden('not-replayable', `${id} cannot be opened again: some of its users are not unknown any more`);
    case 'decided':
    case 'replayed':
    case undefined:
  }
}

const ended = 'its run does not go on; settle its unknown users instead';

/** As of now; what may still change is looked at again where it is carried out. */
function whyNotOf(row: QuarantinedStep, { catalogue, clock }: QuarantineRoutesDeps): string | null {
  const { state, runState, actionType, feedId } = row;
  if (state !== 'kept') return `it is ${state}`;
  if (!mayBeReplayed(runState)) return ended;
  const type = catalogue.registered()[actionType];
  if (!type) return `the action type ${actionType} is not registered any more`;
  const nowMs = clock.now().getTime();
  return replayRefusal(type, nowMs - feedBornMs(feedId, nowMs));
}

function auditOf({ runId: _runId, country, batchNo, step, actionType, users, lapses }: QuarantinedStep) {
  return { country, batchNo, step, action: actionType, users, lapses };
}

function forbidden(code: string, detail: string): HttpProblem {
  return new HttpProblem({ status: 409, code, detail });
}
