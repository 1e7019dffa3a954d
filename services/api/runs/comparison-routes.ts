import { z } from 'zod';
import { runComparison } from '../../../shared/contracts/runs/comparisons.ts';
import { idPattern, publicId } from '../../../shared/domain/ids/ids.ts';
import { campaignsInScope, requireSeen, type CheckScopeDeps } from '../access/scopes.ts';
import { jsonAnswer } from '../frame/document/answer-shapes.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { invalidRequest, notFound } from '../frame/http-problem.ts';
import type { Retries } from './failures/retries.port.ts';
import type { RunHeader, RunReports } from './run-reports.port.ts';
import { idInQuery, requireId } from '../frame/public-ids.ts';
import { runComparisonView } from './comparison-view.ts';

export interface ComparisonRoutesDeps {
  reports: Pick<RunReports, 'snapshot' | 'comparable'>;
  retries: Pick<Retries, 'sums'>;
  owners: CheckScopeDeps['owners'];
}

const offeredRuns = 20;

export function comparisonRoutes(server: HttpServer, { reports, retries, owners }: ComparisonRoutesDeps): void {
  server.route({
    method: 'GET',
    url: '/runs/:id/comparison',
    config: {
      role: 'viewer',
      scope: 'campaign',
      heavy: 'reports',
      refusals: {
        'not-comparable': 'the other run does not exist, has not ended, only tried its campaign, or is the run itself',
      },
    },
    schema: {
      operationId: 'compareRun',
      summary: 'A run beside the one before it: was it better than last time?',
      description:
        'Runs that try failed users again are nobody’s last time; what they recovered is counted with the run whose users these are. ' +
        'Any run that has ended may be named; `chain` says whether both did the same.',
      tags: ['runs'],
      params: z.object({ id: z.string().describe('run_…') }),
      querystring: z.strictObject({
        with: z
          .string()
          .optional()
          .describe('run_… that has ended, of this campaign or of another')
          .meta({ pattern: idPattern('run') }),
      }),
      response: {
        200: jsonAnswer('Both, and with what else it can be compared', runComparison),
      },
    },
    handler: async (request) => {
      const { params, query } = request;
      const { id } = params;
      const runId = requireId('run', id);
      const wanted = idInQuery('run', 'with', query.with);
      if (wanted !== undefined) await requireSeen(request, 'run', [wanted], { owners });
      const snapshot = await reports.snapshot(runId);
      if (!snapshot) throw notFound('run', id);
      const others = await reports.comparable(runId, offeredRuns, campaignsInScope(request));
      const chosen = wanted ?? usualOf(snapshot, others);
      const [run, before] = await Promise.all([
        comparedOf(snapshot),
        chosen === undefined ? undefined : reports.snapshot(chosen),
      ]);
      if (wanted !== undefined) requireComparable(snapshot, wanted, before);
      return runComparisonView(run, before && (await comparedOf(before)), others);
    },
  });

  async function comparedOf(snapshot: NonNullable<Awaited<ReturnType<RunReports['snapshot']>>>) {
    return { snapshot, retries: await retries.sums(snapshot.runId) };
  }
}

/**
 * Returns the default run to compare with: the last comparable run before this one. A retry run is compared with its
 * parent.
 */
function usualOf({ parentRunId, scheduledFor }: RunHeader, others: readonly RunHeader[]): string | undefined {
  if (parentRunId !== null) return parentRunId;
  return others.find((other) => other.scheduledFor < scheduledFor)?.runId;
}

function requireComparable(run: RunHeader, wanted: string, before: RunHeader | undefined): void {
  const why = whyNot(run, before);
  if (why === null) return;
  const detail = `${publicId('run', wanted)} ${why}`;
  throw invalidRequest([{ pointer: '/with', code: 'not-comparable', detail }]);
}

function whyNot(run: RunHeader, before: RunHeader | undefined): string | null {
  if (!before) return 'is not there';
  if (before.runId === run.runId) return 'is this run itself';
  if (before.kind !== 'live') return 'only tried its campaign: it is in no figures';
  return before.endedAt === null ? 'has not ended' : null;
}
