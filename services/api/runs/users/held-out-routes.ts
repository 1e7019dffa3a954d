import { z } from 'zod';
import { heldOutUser } from '../../../../shared/contracts/runs/run-users.ts';
import { countryPattern } from '../../../../shared/domain/endpoint/shard.ts';
import { answerList, csv, ndjson, streamManner } from '../../frame/answer-list.ts';
import { notFound } from '../../frame/http-problem.ts';
import { pageLimit, pageQuery, pageShape } from '../../frame/pages.contract.ts';
import { requireId } from '../../frame/public-ids.ts';
import { problems, streamed } from '../../frame/document/answer-shapes.ts';
import type { HttpServer } from '../../frame/server/create-http-server.ts';
import type { RunReports } from '../run-reports.port.ts';
import type { HeldOutUsers } from './postgres/held-out-users.ts';
import { refusingNotKept } from './users-not-kept.ts';

const heldOutQuery = pageQuery.extend({
  limit: pageLimit.optional().describe('100 when absent'),
  country: z.string().regex(countryPattern, 'has to be an ISO 3166-1 alpha-2 code in capitals, such as SG').optional(),
  ...streamManner,
});

export interface HeldOutRoutesDeps {
  reports: RunReports;
  heldOut: HeldOutUsers;
  heavyRuns: { heldOut: HeldOutUsers };
}

export function heldOutRoutes(server: HttpServer, { reports, heldOut, heavyRuns }: HeldOutRoutesDeps): void {
  server.route({
    method: 'GET',
    url: '/runs/:id/held-out',
    config: { role: 'viewer', scope: 'users', heavy: 'exports', audit: 'exported the held-out users of a run' },
    schema: {
      operationId: 'listHeldOutUsers',
      summary: 'Those of the audience who get nothing, to compare with',
      description:
        'As they were written down when the audience was paged, by country and in the order of their ids, while users are kept; so far while ' +
        `the run goes on. By page, which may have fewer than asked for, or all as a stream with \`Accept: ${csv}\` or \`${ndjson}\`; ` +
        '`raw=true` as for failures. A dry run and a retry hold nobody out here: 409 `users-not-kept` of a dry run that counted some.',
      tags: ['runs'],
      params: z.object({ id: z.string().describe('run_…') }),
      querystring: heldOutQuery,
      response: {
        200: {
          description: 'A page of users, or all of them',
          content: {
            'application/json': { schema: pageShape(heldOutUser) },
            [csv]: streamed,
            [ndjson]: streamed,
          },
        },
        ...problems(409),
      },
    },
    handler: async ({ params: { id }, query, headers, method }, reply) => {
      const { limit, cursor, format, raw, for: reader, country } = query;
      const runId = requireId('run', id);
      return answerList(
        reply,
        { accept: headers.accept, format, method, limit, cursor, raw, reader },
        {
          fileName: `${id}-held-out`,
          columns: Object.keys(heldOutUser.shape),
          requireSubject: async () => {
            if (!(await reports.snapshot(runId))) throw notFound('run', id);
          },
          pageOf: (size, from, isFile) =>
            refusingNotKept(id, () => (isFile ? heavyRuns.heldOut : heldOut).page(runId, country, size, from)),
          view: ({ user, country: of }) => ({ userId: user, country: of }),
        },
      );
    },
  });
}
