import { z } from 'zod';
import { runComparison } from '../../../shared/contracts/runs/comparisons.ts';
import { idPattern, publicId } from '../../../shared/domain/ids/ids.ts';
import { campaignsInScope, requireVisible, type CheckScopeDeps } from '../access/scopes.ts';
import { jsonAnswer } from '../frame/document/answer-shapes.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { invalidRequest, notFound } from '../frame/http-problem.ts';
import type { Retries } from './retries.port.ts';
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
        'not-comparable': 'the other run does not exist, has not ended, is a test or dry run, or is the run itself',
      },
    },
    schema: {
      operationId: 'compareRun',
      summary: 'Compare a run with the previous one',
      description:
        'Runs that retry failed users are not compared; users that they recover count for the original run. ' +
        'Any ended run can be compared; `chain` shows whether both had the same steps.',
      tags: ['runs'],
      params: z.object({ id: z.string().describe('run_…') }),
      querystring: z.strictObject({
        with: z
          .string()
          .optional()
          .describe('run_… of an ended run of this or another campaign')
          .meta({ pattern: idPattern('run') }),
      }),
      response: {
        200: jsonAnswer('Both runs, and other comparable runs', runComparison),
      },
    },
    handler: async (request) => {
      const { params, query } = request;
      const { id } = params;
      const runId = requireId('run', id);
      const wanted = idInQuery('run', 'with', query.with);
      if (wanted !== undefined) await requireVisible(request, 'run', [wanted], { owners });
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
 * Returns the run with which this run is compared by default: the last comparable run before it. The retry of a run is
 * compared with that run.
 */
function usualOf({ parentRunId, scheduledFor }: RunHeader, others: readonly RunHeader[]): string | undefined {
  if (parentRunId !== null) return parentRunId;
  return others.find((other) => other.scheduledFor < scheduledFor)?.runId;
}

function requireComparable(run: RunHeader, wanted: string, before: RunHeader | undefined): void {
  const reason = whyNot(run, before);
  if (reason === null) return;
  const detail = `${publicId('run', wanted)} ${reason}`;
  throw invalidRequest([{ pointer: '/with', code: 'not-comparable', detail }]);
}

function whyNot(run: RunHeader, before: RunHeader | undefined): string | null {
  if (!before) return 'does not exist';
  if (before.runId === run.runId) return 'is this run itself';
  if (before.kind !== 'live') return 'is a test or dry run, which figures do not include';
  return before.endedAt === null ? 'has not ended' : null;
}
