import { Readable } from 'node:stream';
import { z } from 'zod';
import { userFilePreview } from '../../../shared/contracts/campaigns/user-file-preview.ts';
import type { ApiParts } from '../api-parts.ts';
import { jsonAnswer } from '../frame/document/answer-shapes.ts';
import { invalidRequest } from '../frame/http-problem.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { readUploadEncoding } from '../frame/streams/upload-bytes.ts';
import { previewSettlementFile } from './preview-settlement-file.ts';
import { fileCountriesOf } from './file-countries.ts';
import { fileRefusals } from './file-problems.ts';
import { previewUserFile } from './preview-user-file.ts';
import { countryQuery, fileQuery } from './upload-query.ts';

const previewQuery = z.strictObject({
  ...countryQuery,
  countries: z.literal('none').optional().describe('none: the users have no countries, as in suppression lists'),
  for: z.literal('settlement').optional().describe('settlement: the file settles unknown outcomes'),
  ...fileQuery,
});

/** Registers the route of the preview of an upload, which stores nothing. */
export async function routes(server: HttpServer, parts: ApiParts): Promise<void> {
  // The route has its own Fastify scope, because no other route reads its body as a stream.
  await server.register((scope: HttpServer) => {
    previewRoute(scope, parts);
    return Promise.resolve();
  });
}

function previewRoute(server: HttpServer, { catalogue, clock }: ApiParts): void {
  const configured = catalogue.current().countries;
  server.removeAllContentTypeParsers();
  for (const type of ['text/csv', 'application/x-ndjson'])
    server.addContentTypeParser(type, (_request, payload, done) => done(null, payload));
  server.route({
    method: 'POST',
    url: '/user-files/preview',
    // A preview changes nothing. Each role that may upload some kind of file with users may preview a file.
    config: {
      role: 'manager',
      scope: 'calculation',
      heavy: 'uploads',
      isFrequent: true,
      refusals: {
        'unreadable-file': fileRefusals['unreadable-file'],
        'unknown-country': 'the country is not configured',
        'no-countries': '`country` is given with `countries=none` or with `for=settlement`',
      },
      uploads: {
        'text/csv': 'The file, in the form of an upload of a list or suppressions, or of a settlement',
        'application/x-ndjson': 'The file in the form of a settlement, with `for=settlement`',
      },
    },
    schema: {
      operationId: 'previewUserFile',
      summary: 'Preview an upload of a file of users',
      description:
        'CSV, plain or compressed with gzip, read to its end like an upload of a list or suppressions with the same parameters. ' +
        'With `for=settlement` it is read like `POST /v1/runs/{id}/settle`, and the rows of each outcome are counted. ' +
        'Nothing is stored. If such an upload would be refused because of its columns or rows, the answer has `refusal` and the columns to ' +
        'choose from. For a key with a scope, rows of other countries are rejected.',
      tags: ['audiences'],
      querystring: previewQuery,
      response: { 200: jsonAnswer('Content of the file', userFilePreview) },
    },
    handler: async (request) => {
      const { body, query, headers } = request;
      const { country: named, countries: kind, for: purpose, user, header, acceptRejected } = query;
      const hasCountries = kind !== 'none';
      const isSettlement = purpose === 'settlement';
      if ((!hasCountries || isSettlement) && named !== undefined) throw countryWithoutCountries();
      const file = {
        body: body instanceof Readable ? body : Readable.from([]),
        encoding: readUploadEncoding(headers['content-encoding']),
        clock,
        acceptRejected,
      };
      if (isSettlement) {
        const form = headers['content-type']?.startsWith('text/csv') ? 'csv' : 'ndjson';
        return await previewSettlementFile({ ...file, form, choice: { user, header } });
      }
      const { country, column, countries } = fileCountriesOf(request, named, configured);
      return await previewUserFile({
        ...file,
        choice: { user, header, country: column },
        country,
        countries,
        hasCountries,
      });
    },
  });
}

function countryWithoutCountries() {
  const detail = 'has no meaning with countries=none or for=settlement; remove it';
  return invalidRequest([{ pointer: '/country', code: 'no-countries', detail }]);
}
