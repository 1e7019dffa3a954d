import { z } from 'zod';
import { answerList, csv, ndjson, streamManner } from '../frame/streams/answer-list.ts';
import { notFound } from '../frame/http-problem.ts';
import { pageShape } from '../frame/pages.contract.ts';
import { requireId } from '../frame/public-ids.ts';
import { streamed } from '../frame/document/answer-shapes.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { reportColumns, reportLine, reportTable } from './report-table.ts';
import type { RunReports } from './run-reports.port.ts';
import { runFiguresView } from './run-view.ts';

export function reportTableRoutes(server: HttpServer, { reports }: { reports: RunReports }): void {
  server.route({
    method: 'GET',
    url: '/runs/:id/report/table',
    config: { role: 'viewer', scope: 'campaign', heavy: 'exports', audit: 'exported the report of a run' },
    schema: {
      operationId: 'getReportTable',
      summary: 'Get the report as a table, one line per step and country',
      description: `The whole table at once, as JSON, or as a file with \`Accept: ${csv}\` or \`${ndjson}\`.`,
      tags: ['runs'],
      params: z.object({ id: z.string().describe('run_…') }),
      querystring: z.object(streamManner),
      response: {
        200: {
          description: 'The lines',
          content: {
            'application/json': { schema: pageShape(reportLine) },
            [csv]: streamed,
            [ndjson]: streamed,
          },
        },
      },
    },
    handler: async ({ params: { id }, query: { format, raw, for: reader }, headers: { accept }, method }, reply) => {
      const run = await reports.snapshot(requireId('run', id));
      if (!run) throw notFound('run', id);
      const page = { items: reportTable(runFiguresView(run)), next: null };
      const wanted = { accept, format, method, raw, reader, limit: undefined, cursor: undefined };
      return answerList(reply, wanted, {
        fileName: `${id}-report`,
        columns: reportColumns,
        requireSubject: () => Promise.resolve(),
        pageOf: () => Promise.resolve(page),
        view: (line) => line,
      });
    },
  });
}
