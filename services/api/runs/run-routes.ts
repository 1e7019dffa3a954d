import type { FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { asBoolean, pageQuery, pageShape, partOfName, yesOrNo } from '../frame/pages.contract.ts';
import { runRates } from '../../../shared/contracts/runs/run-history.ts';
import { runEnd, runProgress, runReport, runSummary } from '../../../shared/contracts/runs/runs.ts';
import { runKinds } from '../../../shared/domain/run/run-kinds.ts';
import { runStates } from '../../../shared/domain/run/run-states.ts';
import { eventStream, jsonAnswer } from '../frame/document/answer-shapes.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { etagOf } from '../frame/if-match.ts';
import { notFound } from '../frame/http-problem.ts';
import { preferredType } from '../frame/preferred-type.ts';
import type { EventStreams } from '../access/event-streams.ts';
import { callerOf, campaignsInScope } from '../access/scopes.ts';
import { forecastOf, type ForecastDeps } from './forecast.ts';
import type { Retries } from './retries.port.ts';
import type { RunReports } from './run-reports.port.ts';
import { progressEvents } from './progress-events.ts';
import { cursorInQuery, idInQuery, pageView, requireId } from '../frame/public-ids.ts';
import { runRatesView } from './rates-view.ts';
import { runReportView } from './report-view.ts';
import { runSummaryView } from './run-view.ts';
import type { RunWatch } from './watch-run.ts';
import { idPattern } from '../../../shared/domain/ids/ids.ts';

export interface RunRoutesDeps extends ForecastDeps {
  reports: RunReports;
  heavyRuns: { reports: RunReports };
  retries: Pick<Retries, 'sums'>;
  watch: RunWatch;
  streams: EventStreams;
  /** Returns true if the key of a request is still valid. */
  isKeyGood: (request: FastifyRequest) => Promise<boolean>;
}

const byId = z.object({ id: z.string().describe('run_…') });
const tags = ['runs'];

const runQuery = pageQuery.extend({
  campaignId: z
    .string()
    .optional()
    .describe('cmp_…')
    .meta({ pattern: idPattern('campaign') }),
  state: z.enum(runStates).optional(),
  ended: yesOrNo.describe('true: ended runs; false: active runs'),
  q: partOfName.describe('Part of the name of its campaign'),
  kind: z.enum(runKinds).default('live').describe('test, dry-run: runs that other lists do not include'),
});

export function runRoutes(server: HttpServer, deps: RunRoutesDeps): void {
  listRoute(server, deps);
  runRoute(server, deps);
  progressRoute(server, deps);
  ratesRoute(server, deps);
  reportRoute(server, deps);
}

function listRoute(server: HttpServer, { reports }: RunRoutesDeps): void {
  server.route({
    method: 'GET',
    url: '/runs',
    config: { role: 'viewer', scope: 'campaign' },
    schema: {
      operationId: 'listRuns',
      summary: 'List runs, newest first',
      tags,
      querystring: runQuery,
      response: { 200: jsonAnswer('A page of runs', pageShape(runSummary)) },
    },
    handler: async (request) => {
      const { campaignId, state, kind, ended, q, limit, cursor } = request.query;
      const ofCampaign = idInQuery('campaign', 'campaignId', campaignId);
      const within = campaignsInScope(request);
      const filter = { campaignId: ofCampaign, state, kind, ended: asBoolean(ended), text: q, within };
      return pageView('run', await reports.list(filter, limit, cursorInQuery('run', cursor)), runSummaryView);
    },
  });
}

function runRoute(server: HttpServer, { reports }: RunRoutesDeps): void {
  server.route({
    method: 'GET',
    url: '/runs/:id',
    config: { role: 'viewer', scope: 'campaign' },
    schema: {
      operationId: 'getRun',
      summary: 'Show a run',
      tags,
      params: byId,
      response: { 200: jsonAnswer('The run', runSummary) },
    },
    handler: async ({ params: { id } }, reply) => {
      const snapshot = await reports.snapshot(requireId('run', id));
      if (!snapshot) throw notFound('run', id);
      const view = runSummaryView(snapshot);
      return reply.header('etag', etagOf(view)).send(view);
    },
  });
}

function progressRoute(server: HttpServer, { watch, streams, isKeyGood }: RunRoutesDeps): void {
  server.route({
    method: 'GET',
    url: '/runs/:id/progress',
    config: { role: 'viewer', scope: 'campaign' },
    schema: {
      operationId: 'getRunProgress',
      summary: 'Get the progress of a run, or follow it',
      description:
        'With `Accept: text/event-stream`: an event `progress` at once and after each change, at most a second old, then `end` ' +
        'when the run has ended. If the stream ends without `end`, the connection was lost: connect again.',
      tags,
      params: byId,
      response: {
        200: {
          description: 'The progress',
          content: {
            'application/json': { schema: runProgress },
            'text/event-stream': eventStream({ progress: runProgress, end: runEnd }),
          },
        },
      },
    },
    handler: async (request, reply) => {
      const { params, headers } = request;
      const { id } = params;
      const runId = requireId('run', id);
      const progress = await watch.look(runId);
      if (!progress) throw notFound('run', id);
      reply.header('vary', 'accept');
      if (preferredType(headers.accept, ['application/json', 'text/event-stream']) === 'application/json') {
        return reply.send(progress);
      }
      // Some proxies buffer small answers unless this header is set.
      reply.type('text/event-stream; charset=utf-8').header('x-accel-buffering', 'no');
      if (request.method === 'HEAD') return reply.send(Readable.from([]));
      const gone = new AbortController();
      const ended = streams.open(callerOf(request).account, () => isKeyGood(request), gone.signal);
      reply.raw.once('close', () => gone.abort());
      return reply.send(Readable.from(progressEvents(runId, progress, watch, ended)));
    },
  });
}

function ratesRoute(server: HttpServer, { reports }: RunRoutesDeps): void {
  server.route({
    method: 'GET',
    url: '/runs/:id/rates',
    config: { role: 'viewer', scope: 'campaign' },
    schema: {
      operationId: 'getRunRates',
      summary: 'Get the speed of a run over time, in users per second that ended a step',
      tags,
      params: byId,
      response: {
        200: jsonAnswer('Rates from the start of the run to now or its end', runRates),
      },
    },
    handler: async ({ params: { id } }) => {
      const points = await reports.points(requireId('run', id));
      if (!points) throw notFound('run', id);
      return runRatesView(points);
    },
  });
}

function reportRoute(server: HttpServer, deps: RunRoutesDeps): void {
  const { heavyRuns, retries } = deps;
  server.route({
    method: 'GET',
    url: '/runs/:id/report',
    config: { role: 'viewer', scope: 'campaign', heavy: 'reports' },
    schema: {
      operationId: 'getRunReport',
      summary: 'Get the report of a run: users by outcome and failures by reason',
      tags,
      params: byId,
      response: { 200: jsonAnswer('The report', runReport) },
    },
    handler: async (request) => {
      const { id } = request.params;
      const runId = requireId('run', id);
      const snapshot = await heavyRuns.reports.snapshot(runId);
      if (!snapshot) throw notFound('run', id);
      const [groups, sums, forecast] = await Promise.all([
        heavyRuns.reports.failureGroups(runId),
        retries.sums(runId),
        forecastOf(snapshot, deps),
      ]);
      const failures = request.readsUsers ? groups : groups.map((group) => ({ ...group, sample: [] }));
      return { ...runReportView(snapshot, failures, sums), forecast };
    },
  });
}
