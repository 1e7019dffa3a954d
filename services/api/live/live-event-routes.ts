import { Readable } from 'node:stream';
import { z } from 'zod';
import { campaignCounts } from '../../../shared/contracts/runs/campaign-lists.ts';
import { runEnd, runProgress } from '../../../shared/contracts/runs/runs.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import { eventStream, problems } from '../frame/document/answer-shapes.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { invalidRequest, notFound } from '../frame/http-problem.ts';
import type { EventStreams } from '../access/event-streams.ts';
import { callerOf, campaignsInScope, requireVisible, type CheckScopeDeps } from '../access/scopes.ts';
import type { CampaignLists } from '../campaigns/parts.ts';
import { liveEvents } from './live-events.ts';
import { requireId } from '../frame/public-ids.ts';
import type { RunRoutesDeps } from '../runs/run-routes.ts';
import type { CampaignWatch } from './watch-campaigns.ts';

export interface LiveEventRoutesDeps extends Pick<RunRoutesDeps, 'watch' | 'isKeyGood'> {
  streams: EventStreams;
  campaignWatch: CampaignWatch;
  campaignLists: Pick<CampaignLists, 'counts'>;
  owners: CheckScopeDeps['owners'];
  clock: Clock;
}

const maxRuns = 50;

const liveEventStream = eventStream({ progress: runProgress, end: runEnd, campaigns: campaignCounts });

const resumption = z.looseObject({
  'last-event-id': z.string().optional().describe('`id` of the last received event'),
});

const liveQuery = z.strictObject({
  runs: z.string().max(4000).default('').describe(`run_…, up to ${maxRuns} of them, separated by commas`),
  campaigns: z.enum(['true', 'false']).default('false').describe('true: includes events of the list of campaigns'),
  lines: z.enum(['all', 'steps']).default('all').describe('steps: progress without countries, as in lists'),
});

export function liveEventRoutes(server: HttpServer, deps: LiveEventRoutesDeps): void {
  const { watch, streams, isKeyGood } = deps;
  server.route({
    method: 'GET',
    url: '/live',
    config: { role: 'viewer', scope: 'campaign' },
    schema: {
      operationId: 'watchLive',
      summary: 'Follow several runs and the list of campaigns in one event stream',
      description:
        'Events: `progress` of each run at once and after changes, at most twice a second, then `end` when it has ended; `campaigns` ' +
        'with the counts at once and after changes of the list. A comment line (`:`) every two seconds shows that the server is alive. ' +
        'The stream ends when all runs have ended and the list was not requested. If it ends earlier, the connection was lost: connect again. `Last-Event-ID` ' +
        'omits runs whose end was sent.',
      tags: ['runs'],
      querystring: liveQuery,
      headers: resumption,
      response: {
        200: { description: 'The events', content: { 'text/event-stream': liveEventStream } },
        ...problems(404),
      },
    },
    handler: async (request, reply) => {
      const { runs, campaigns, lines } = request.query;
      const names = runs.split(',').filter((each) => each !== '');
      if (names.length > maxRuns) throw tooMany(names.length);
      const ids = new Map(names.map((name) => [requireId('run', name), name]));
      await requireVisible(request, 'run', ids.keys(), deps);
      const found = await watch.lookAll([...ids.keys()]);
      for (const [id, name] of ids) if (!found.has(id)) throw notFound('run', name);

      // Some proxies buffer small answers unless this header is set.
      reply.type('text/event-stream; charset=utf-8').header('x-accel-buffering', 'no');
      if (request.method === 'HEAD') return reply.send(Readable.from([]));
      const gone = new AbortController();
      const ended = streams.open(callerOf(request).account, () => isKeyGood(request), gone.signal);
      reply.raw.once('close', () => gone.abort());
      const sentUpToMs = momentIn(request.headers['last-event-id']);
      const within = campaignsInScope(request);
      const wanted = { runs: found, withCampaigns: campaigns === 'true', within, lines, sentUpToMs };
      return reply.send(Readable.from(liveEvents(wanted, deps, ended)));
    },
  });
}

function momentIn(lastEventId: string | string[] | undefined): number | null {
  return typeof lastEventId === 'string' && /^\d{1,15}$/.test(lastEventId) ? Number(lastEventId) : null;
}

function tooMany(given: number) {
  return invalidRequest([{ pointer: '/runs', code: 'wrong-length', detail: `${given} runs; ${maxRuns} at most` }]);
}
