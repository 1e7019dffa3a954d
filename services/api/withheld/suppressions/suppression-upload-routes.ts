import { Readable } from 'node:stream';
import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import { publicId } from '../../../../shared/domain/ids/ids.ts';
import { receiveUpload } from '../../user-files/receive-upload.ts';
import { listRefusals } from '../../user-files/file-problems.ts';
import { fileQuery } from '../../user-files/upload-query.ts';
import { readUploadEncoding } from '../../frame/streams/upload-bytes.ts';
import type { Clock } from '../../../../shared/ports/clock.ts';
import type { CatalogueReader } from '../../frame/catalogue-reader.ts';
import { notFound } from '../../frame/http-problem.ts';
import { idempotentHeaders } from '../../frame/server/idempotency.ts';
import { pageQuery, pageShape } from '../../frame/pages.contract.ts';
import { cursorInQuery, pageView, requireId } from '../../frame/public-ids.ts';
import { jsonAnswer, problems } from '../../frame/document/answer-shapes.ts';
import type { HttpServer } from '../../frame/server/create-http-server.ts';
import type { SuppressionStore } from './postgres/suppression-store.ts';
import type { SuppressionUploadRecord, SuppressionUploads } from './postgres/suppression-uploads.ts';
import { alreadyReceiving } from './suppression-problems.ts';
import { requireActionType } from './require-action-type.ts';
import {
  listName,
  receivedSuppressions,
  suppressionNote,
  suppressionUpload,
  uploadModes,
  type SuppressionUploadShape,
} from './suppressions.contract.ts';

export interface SuppressionUploadRoutesDeps {
  suppressions: Pick<SuppressionStore, 'lastCallWithinMs'>;
  suppressionUploads: SuppressionUploads;
  catalogue: Pick<CatalogueReader, 'registered' | 'refresh'>;
  clock: Clock;
}

const tags = ['suppressions'];
const url = '/suppressions/uploads';
const byId = z.object({ id: z.string().describe('sup_…') });

const uploadQuery = z.strictObject({
  actionType: listName,
  mode: z
    .enum(uploadModes)
    .default('add')
    .describe(
      'The list changes only after the whole file was read and accepted. add: its users are then added, part by part. replace: the list is ' +
        'replaced at once; users who were added meanwhile stay',
    ),
  note: suppressionNote.optional(),
  confirmRemoved: z.coerce
    .number()
    .int()
    .min(0)
    .optional()
    .describe(
      'Number of users that the replacement removes. Required if it is more than a tenth of the list; the refusal has the number',
    ),
  ...fileQuery,
});

/** Country of all rows. Suppression applies in all countries. */
const anywhere = '*';

export async function suppressionUploadRoutes(server: HttpServer, deps: SuppressionUploadRoutesDeps): Promise<void> {
  // The route has its own Fastify scope, because no other route reads its body as a stream.
  await server.register((scope: HttpServer) => {
    uploadRoute(scope, deps);
    return Promise.resolve();
  });
  listRoute(server, deps);
  showRoute(server, deps);
}

function uploadRoute(server: HttpServer, deps: SuppressionUploadRoutesDeps): void {
  const { suppressions, suppressionUploads, catalogue, clock } = deps;
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('text/csv', (_request, payload, done) => done(null, payload));
  server.route({
    method: 'POST',
    url,
    config: {
      role: 'operator',
      scope: 'installation',
      audit: 'uploaded suppressions',
      heavy: 'uploads',
      refusals: { ...listRefusals, 'unknown-action-type': 'the action type is not registered' },
      uploads: { 'text/csv': 'A header with a column `userId`, or a user id a line' },
    },
    schema: {
      operationId: 'uploadSuppressions',
      summary: 'Add the users of a file to a suppression list, or replace the list by them',
      description:
        'CSV, plain or compressed with gzip: a header that names a column of user ids, in any order and ' +
        'among others, or one id per line. The first 64 KiB determine encoding, separator and columns; ' +
        '`reading` in the response describes them. Nothing of a refused file is stored. Rows may be in any ' +
        'order and repeat. A replacement that removes more than a tenth of the list is refused (409 ' +
        '`replacement-not-confirmed`) unless `confirmRemoved` is the number of users whom it removes. One ' +
        'upload of a list at a time. With an `Idempotency-Key`, a repeat begins nothing; its body is not ' +
        'compared.',
      tags,
      headers: idempotentHeaders,
      querystring: uploadQuery,
      response: {
        201: jsonAnswer('The result, and how the file was read', receivedSuppressions),
        ...problems(409),
      },
    },
    handler: async (request, reply) => {
      const { body, begun, headers, log, query } = request;
      const { actionType, mode, note = null, confirmRemoved = null, user, header, acceptRejected } = query;
      await requireActionType(actionType, catalogue);
      const encoding = readUploadEncoding(headers['content-encoding']);
      const uploadId = begun?.createdId ?? uuidv7();
      const begin = await suppressionUploads.begin({ uploadId, actionType, mode, note, confirmRemoved });
      if (begin.kind === 'busy') throw alreadyReceiving(actionType);
      const { record, reading } =
        begin.kind === 'known'
          ? { record: begin.record, reading: null }
          : await receiveUpload({
              body: body instanceof Readable ? body : Readable.from([]),
              encoding,
              clock,
              upload: begin.upload,
              choice: { user, header },
              acceptRejected,
              country: anywhere,
              hasCountries: false,
              countries: { has: () => true },
              logger: log,
            });
      request.auditDetail = { actionType, mode, users: record.people };
      const view = uploadView(record, await suppressions.lastCallWithinMs());
      return reply
        .code(201)
        .header('location', view.links.self)
        .send({ ...view, reading });
    },
  });
}

function listRoute(server: HttpServer, { suppressions, suppressionUploads }: SuppressionUploadRoutesDeps): void {
  server.route({
    method: 'GET',
    url,
    config: { role: 'viewer', scope: 'users' },
    schema: {
      operationId: 'listSuppressionUploads',
      summary: 'List uploads of suppression lists, newest first',
      tags,
      querystring: pageQuery,
      response: { 200: jsonAnswer('A page of uploads', pageShape(suppressionUpload)) },
    },
    handler: async ({ query: { limit, cursor } }) => {
      const page = await suppressionUploads.list(limit, cursorInQuery('suppressionUpload', cursor));
      const lastCallWithinMs = await suppressions.lastCallWithinMs();
      return pageView('suppressionUpload', page, (record) => uploadView(record, lastCallWithinMs));
    },
  });
}

function showRoute(server: HttpServer, { suppressions, suppressionUploads }: SuppressionUploadRoutesDeps): void {
  server.route({
    method: 'GET',
    url: `${url}/:id`,
    config: { role: 'viewer', scope: 'users' },
    schema: {
      operationId: 'getSuppressionUpload',
      summary: 'Show an upload of a suppression list',
      tags,
      params: byId,
      response: { 200: jsonAnswer('The upload, with its rejected rows', suppressionUpload), ...problems(404) },
    },
    handler: async ({ params: { id } }) => {
      const record = await suppressionUploads.get(requireId('suppressionUpload', id));
      if (!record) throw notFound('upload', id);
      return uploadView(record, await suppressions.lastCallWithinMs());
    },
  });
}

function uploadView(
  { uploadId, createdAt, endedAt, ...record }: SuppressionUploadRecord,
  lastCallWithinMs: number | null,
): SuppressionUploadShape {
  const id = publicId('suppressionUpload', uploadId);
  return {
    id,
    ...record,
    createdAt: createdAt.toISOString(),
    endedAt: endedAt?.toISOString() ?? null,
    lastCallWithinMs,
    links: { self: `/v1${url}/${id}` },
  };
}
