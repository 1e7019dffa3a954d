import { Readable } from 'node:stream';
import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { receiveUpload, requireKnownEncoding } from '../audiences/receive-upload.ts';
import type { CatalogueReader } from '../frame/catalogue-reader.ts';
import { HttpProblem, notFound } from '../frame/http-problem.ts';
import { idempotentHeaders } from '../frame/idempotency.ts';
import { pageQuery, pageShape } from '../frame/pages.contract.ts';
import { cursorInQuery, pageView, requireId } from '../frame/public-ids.ts';
import { jsonAnswer, problems } from '../frame/server/answer-shapes.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import type { SuppressionUploadRecord, SuppressionUploads } from './postgres/suppression-uploads.ts';
import { requireActionType } from './require-action-type.ts';
import {
  listName,
  suppressionNote,
  suppressionUpload,
  uploadModes,
  type SuppressionUploadShape,
} from './suppressions.contract.ts';

export interface SuppressionUploadRoutesDeps {
  suppressionUploads: SuppressionUploads;
  catalogue: Pick<CatalogueReader, 'registered'>;
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
      'add: each part of the file is in force as soon as it is read. replace: the list is another at once, when all of the file is ' +
        'there; whoever came onto it meanwhile stays',
    ),
  note: suppressionNote.optional(),
});

/** Rows have no country: a person is suppressed everywhere. */
const anywhere = '*';

export async function suppressionUploadRoutes(server: HttpServer, deps: SuppressionUploadRoutesDeps): Promise<void> {
  // For itself, because no other route takes a body that is read as it comes.
  await server.register((scope: HttpServer) => {
    uploadRoute(scope, deps);
    return Promise.resolve();
  });
  listRoute(server, deps);
  showRoute(server, deps);
}

function uploadRoute(server: HttpServer, { suppressionUploads, catalogue }: SuppressionUploadRoutesDeps): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('text/csv', (_request, payload, done) => done(null, payload));
  server.route({
    method: 'POST',
    url,
    config: { role: 'operator', scope: 'installation' },
    schema: {
      operationId: 'uploadSuppressions',
      summary: 'Put the people of a file on a suppression list, or replace it by them',
      description:
        'CSV, plain or with `Content-Encoding: gzip`, read as it comes: an id a line, with or without the header `userId`. Rows may ' +
        'come in any order and repeat. One upload of a list at a time. With an `Idempotency-Key`, a repeat begins nothing; its body ' +
        'is not compared.',
      tags,
      headers: idempotentHeaders,
      querystring: uploadQuery,
      response: { 201: jsonAnswer('What came of it', suppressionUpload) },
    },
    handler: async (request, reply) => {
      const { body, begun, headers, log, query } = request;
      const { actionType, mode, note = null } = query;
      requireActionType(actionType, catalogue);
      requireKnownEncoding(headers['content-encoding']);
      const uploadId = begun?.createdId ?? uuidv7();
      const begin = await suppressionUploads.begin({ uploadId, actionType, mode, note });
      if (begin.kind === 'busy') throw tooManyUploads(actionType);
      const record =
        begin.kind === 'known'
          ? begin.record
          : await receiveUpload({
              body: body instanceof Readable ? body : Readable.from([]),
              encoding: headers['content-encoding'],
              upload: begin.upload,
              country: anywhere,
              countries: { has: () => true },
              logger: log,
            });
      request.auditDetail = { actionType, mode, users: record.people };
      const view = uploadView(record);
      return reply.code(201).header('location', view.links.self).send(view);
    },
  });
}

function listRoute(server: HttpServer, { suppressionUploads }: SuppressionUploadRoutesDeps): void {
  server.route({
    method: 'GET',
    url,
    config: { role: 'viewer', scope: 'none' },
    schema: {
      operationId: 'listSuppressionUploads',
      summary: 'Files that suppression lists were loaded from, newest first',
      tags,
      querystring: pageQuery,
      response: { 200: jsonAnswer('A page of uploads', pageShape(suppressionUpload)) },
    },
    handler: async ({ query: { limit, cursor } }) => {
      const page = await suppressionUploads.list(limit, cursorInQuery('suppressionUpload', cursor));
      return pageView('suppressionUpload', page, uploadView);
    },
  });
}

function showRoute(server: HttpServer, { suppressionUploads }: SuppressionUploadRoutesDeps): void {
  server.route({
    method: 'GET',
    url: `${url}/:id`,
    config: { role: 'viewer', scope: 'none' },
    schema: {
      operationId: 'getSuppressionUpload',
      summary: 'What came of a file for a suppression list',
      tags,
      params: byId,
      response: { 200: jsonAnswer('The upload, with the rows that are no user', suppressionUpload), ...problems(404) },
    },
    handler: async ({ params: { id } }) => {
      const record = await suppressionUploads.get(requireId('suppressionUpload', id));
      if (!record) throw notFound('upload', id);
      return uploadView(record);
    },
  });
}

function uploadView({ uploadId, createdAt, endedAt, ...record }: SuppressionUploadRecord): SuppressionUploadShape {
  const id = publicId('suppressionUpload', uploadId);
  return {
    ...{ id, ...record, createdAt: createdAt.toISOString(), endedAt: endedAt?.toISOString() ?? null },
    links: { self: `/v1${url}/${id}` },
  };
}

function tooManyUploads(list: string): HttpProblem {
  const detail = `a file for the list of ${list}, or as many files as can be, are being read; retry-after says when to try again`;
  return new HttpProblem({ status: 429, code: 'too-many-uploads', detail, headers: { 'retry-after': '5' } });
}
