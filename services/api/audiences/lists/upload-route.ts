import { Readable } from 'node:stream';
import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import { aboutFields } from '../../../../shared/contracts/campaigns/about-campaign.ts';
import { receivedAudience } from '../../../../shared/contracts/campaigns/uploaded-audiences.ts';
import { jsonAnswer, problems } from '../../frame/document/answer-shapes.ts';
import type { HttpServer } from '../../frame/server/create-http-server.ts';
import { idempotentHeaders } from '../../frame/server/idempotency.ts';
import { callerOf } from '../../access/scopes.ts';
import { fileCountriesOf } from '../../user-files/file-countries.ts';
import { receiveUpload } from '../../user-files/receive-upload.ts';
import { listRefusals } from '../../user-files/file-problems.ts';
import { countryQuery, fileQuery } from '../../user-files/upload-query.ts';
import { readUploadEncoding } from '../../frame/streams/upload-bytes.ts';
import { uploadedAudienceView } from './uploaded-audience-view.ts';
import { nameShape } from '../../../../shared/contracts/stored-texts.ts';
import type { CatalogueReader } from '../../frame/catalogue-reader.ts';
import type { AudienceStore } from './audience-store.port.ts';
import type { Clock } from '../../../../shared/ports/clock.ts';

export interface UploadRouteDeps {
  audiences: AudienceStore;
  catalogue: CatalogueReader;
  clock: Clock;
}

const uploadQuery = z.object({
  name: nameShape(200),
  owner: aboutFields.owner.describe(
    'Team or person for questions about the list; by default the owner of the key, or its name',
  ),
  ...countryQuery,
  ...fileQuery,
});

/** Registers the upload in a separate Fastify scope, because only this route reads its body as a stream. */
export function uploadRoute(server: HttpServer, { audiences, catalogue, clock }: UploadRouteDeps): void {
  const configured = catalogue.current().countries;
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('text/csv', (_request, payload, done) => done(null, payload));

  server.route({
    method: 'POST',
    url: '/audiences/upload',
    config: {
      role: 'manager',
      scope: 'campaign',
      audit: 'uploaded a list of users',
      heavy: 'uploads',
      refusals: {
        ...listRefusals,
        'no-country-column': 'the file has no column of countries, and the request names no country',
        'other-country': 'a row names another country than the request',
        'unknown-country': 'the country is not configured',
      },
      uploads: { 'text/csv': 'A header with a column `userId`, and a column `country` or the country in the query' },
    },
    schema: {
      operationId: 'uploadAudience',
      summary: 'Upload a list of users',
      description:
        'CSV, plain or compressed with gzip: a header that names the columns, in any order and among others, ' +
        'or one id per line. The first 64 KiB determine encoding, separator and columns; `reading` in the ' +
        'response describes them. Nothing of a refused file is stored. Rows may be in any order and repeat. ' +
        'The response is sent when campaigns can name the list. With an `Idempotency-Key`, a repeat creates ' +
        'nothing; its body is not compared. For a key with a scope, rows of other countries are rejected.',
      tags: ['audiences'],
      headers: idempotentHeaders,
      querystring: uploadQuery,
      response: {
        201: jsonAnswer('The list, and how the file was read', receivedAudience),
        ...problems(507),
      },
    },
    handler: async (request, reply) => {
      const { body, begun, headers, log } = request;
      const { name, owner, country: named, user, header, acceptRejected } = request.query;
      const { country, column, countries } = fileCountriesOf(request, named, configured);
      const encoding = readUploadEncoding(headers['content-encoding']);
      const { account, ...key } = callerOf(request);
      const listOwner = owner ?? key.owner ?? key.name;
      const start = {
        audienceId: begun?.createdId ?? uuidv7(),
        name,
        country,
        account,
        owner: listOwner,
      };
      const begin = await audiences.begin(start);
      const { record, reading } =
        begin.kind === 'ready'
          ? { record: begin.record, reading: null }
          : await receiveUpload({
              body: body instanceof Readable ? body : Readable.from([]),
              encoding,
              clock,
              upload: begin.upload,
              choice: { user, header, country: column },
              acceptRejected,
              country,
              hasCountries: true,
              countries,
              logger: log,
            });
      const view = uploadedAudienceView(record);
      return reply
        .code(201)
        .header('location', view.links.self)
        .send({ ...view, reading });
    },
  });
}
