import { z } from 'zod';
import { heldOutUser } from '../../../../shared/contracts/runs/run-users.ts';
import { countryPattern } from '../../../../shared/domain/endpoint/shard.ts';
import { answerList, csv, ndjson, streamManner } from '../../frame/streams/answer-list.ts';
import { notFound } from '../../frame/http-problem.ts';
import { pageLimit, pageQuery, pageShape } from '../../frame/pages.contract.ts';
import { requireId } from '../../frame/public-ids.ts';
import { problems, streamed } from '../../frame/document/answer-shapes.ts';
import type { HttpServer } from '../../frame/server/create-http-server.ts';
import type { RunReports } from '../run-reports.port.ts';
import type { HeldOutUsers } from './postgres/held-out-users.ts';
import { refusingNotKept } from './users-not-kept.ts';

const heldOutQuery = pageQuery.extend({
  limit: pageLimit.optional().describe('Default: 100'),
  country: z.string().regex(countryPattern, 'has to be an ISO 3166-1 alpha-2 code in capitals, such as SG').optional(),
  ...streamManner,
});

export interface HeldOutRoutesDeps {
  reports: RunReports;
  heldOut: HeldOutUsers;
  heavyHeldOut: HeldOutUsers;
}

export function heldOutRoutes(server: HttpServer, { reports, heldOut, heavyHeldOut }: HeldOutRoutesDeps): void {
  server.route({
    method: 'GET',
    url: '/runs/:id/held-out',
    config: { role: 'viewer', scope: 'users', heavy: 'exports', audit: 'exported the held-out users of a run' },
    schema: {
      operationId: 'listHeldOutUsers',
      summary: 'List held-out users: the part of the audience that receives nothing, for comparison',
      description:
        'Users recorded while the audience was read, by country and in the order of their ids, as long as users are stored; users so far while ' +
        `the run is active. By page, which may have fewer users than requested, or all as a stream with \`Accept: ${csv}\` or \`${ndjson}\`; ` +
        '`raw=true` as for failures. Retries have no held-out users, and a dry run only counts them: 409 `users-not-kept`.',
      tags: ['runs'],
      params: z.object({ id: z.string().describe('run_…') }),
      querystring: heldOutQuery,
      response: {
        200: {
          description: 'A page of users, or all users',
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
            refusingNotKept(id, () => (isFile ? heavyHeldOut : heldOut).page(runId, country, size, from)),
          view: (row) => ({ userId: row.user, country: row.country, variant: row.variant }),
        },
      );
    },
  });
}
