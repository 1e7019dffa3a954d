import { z } from 'zod';
import { runUser, userOutcomes } from '../../../../shared/contracts/runs/run-users.ts';
import { countryPattern } from '../../../../shared/domain/endpoint/shard.ts';
import { answerList, csv, ndjson, streamManner } from '../../frame/streams/answer-list.ts';
import { notFound } from '../../frame/http-problem.ts';
import { pageLimit, pageQuery, pageShape } from '../../frame/pages.contract.ts';
import { requireId } from '../../frame/public-ids.ts';
import { problems, streamed } from '../../frame/document/answer-shapes.ts';
import type { HttpServer } from '../../frame/server/create-http-server.ts';
import type { RunReports } from '../run-reports.port.ts';
import type { RunUsers } from './postgres/run-users.ts';
import { runUserRow, runUserView } from './run-user-view.ts';
import { refusingNotKept } from './users-not-kept.ts';

const userQuery = pageQuery.extend({
  limit: pageLimit.optional().describe('Default: 100'),
  outcome: z.enum(userOutcomes).optional().describe('Outcome in the given step; without a step, of the chain'),
  step: z.coerce.number().int().min(1).max(20).optional(),
  country: z.string().regex(countryPattern, 'has to be an ISO 3166-1 alpha-2 code in capitals, such as SG').optional(),
  ...streamManner,
});

export interface RunUserRoutesDeps {
  reports: RunReports;
  users: RunUsers;
  heavyUsers: RunUsers;
}

export function runUserRoutes(server: HttpServer, { reports, users, heavyUsers }: RunUserRoutesDeps): void {
  server.route({
    method: 'GET',
    url: '/runs/:id/users',
    config: { role: 'viewer', scope: 'users', heavy: 'exports', audit: 'exported the users of a run' },
    schema: {
      operationId: 'listRunUsers',
      summary: 'List all users with the outcome of each step',
      description:
        `Available while users are stored. By page, which may have fewer users than requested, or all as a stream with \`Accept: ${csv}\` ` +
        `or \`${ndjson}\`; \`raw=true\` as for failures. Held-out users are not included: see \`/held-out\`.`,
      tags: ['runs'],
      params: z.object({ id: z.string().describe('run_…') }),
      querystring: userQuery,
      response: {
        200: {
          description: 'A page of users, or all users',
          content: {
            'application/json': { schema: pageShape(runUser) },
            [csv]: streamed,
            [ndjson]: streamed,
          },
        },
        ...problems(409),
      },
    },
    handler: async ({ params: { id }, query, headers, method }, reply) => {
      const { limit, cursor, format, raw, for: reader, ...filter } = query;
      const runId = requireId('run', id);
      const run = await reports.snapshot(runId);
      if (!run) throw notFound('run', id);
      return answerList(
        reply,
        { accept: headers.accept, format, method, limit, cursor, raw, reader },
        {
          fileName: `${id}-users`,
          columns: columnsOf(run.chain.length),
          requireSubject: () => Promise.resolve(),
          pageOf: (size, from, isFile) =>
            refusingNotKept(id, () =>
              isFile ? heavyUsers.page(runId, filter, rowsOfFilePage, from) : users.page(runId, filter, size, from),
            ),
          view: runUserView,
          csvRow: runUserRow,
          sharedCells: { firstOf: ({ user }) => user, sharedOf: ({ shared }) => shared },
        },
      );
    },
  });
}

/**
 * Number of rows of a file that are read at once. More rows need fewer statements, and these rows take this process 2
 * ms.
 */
const rowsOfFilePage = 5000;

const fixedColumns = ['userId', 'country', 'variant', 'batchNo', 'outcome', 'endedInStep', 'reason'];

function columnsOf(steps: number): string[] {
  return [...fixedColumns, ...Array.from({ length: steps }, (_, index) => `step${index + 1}`)];
}
