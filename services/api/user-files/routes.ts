import { Readable } from 'node:stream';
import { z } from 'zod';
import { userFilePreview } from '../../../shared/contracts/campaigns/user-file-preview.ts';
import type { ApiParts } from '../api-parts.ts';
import { jsonAnswer } from '../frame/document/answer-shapes.ts';
import { invalidRequest } from '../frame/http-problem.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { readUploadEncoding } from '../frame/upload-bytes.ts';
import { previewSettlementFile } from './preview-settlement-file.ts';
import { fileCountriesOf } from './file-countries.ts';
import { fileRefusals } from './file-problems.ts';
import { previewUserFile } from './preview-user-file.ts';
import { countryQuery, fileQuery } from './upload-query.ts';

const previewQuery = z.strictObject({
  ...countryQuery,
  countries: z
    .literal('none')
    .optional()
    .describe('none: users of this file have no countries, as those of suppression lists'),
  for: z.literal('settlement').optional().describe('settlement: the file says how unknown outcomes ended'),
  ...fileQuery,
});

/** Registers the preview of an upload, which stores nothing. */
export async function routes(server: HttpServer, parts: ApiParts): Promise<void> {
  // A separate scope, because no other route takes a streamed body.
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
    // A preview changes nothing. Each role that may upload some user file may preview one.
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
        'text/csv': 'The file as an upload of a list or of suppressions, or a settlement takes it',
        'application/x-ndjson': 'The file as a settlement takes it, with `for=settlement`',
      },
    },
    schema: {
      operationId: 'previewUserFile',
      summary: 'Show what an upload would read in a file of users',
      description:
        'CSV, plain or packed with gzip, read to its end as an upload of a list or of suppressions with the same parameters reads it. ' +
        'With `for=settlement` it is read as `POST /v1/runs/{id}/settle` reads it, and the rows of each outcome are counted. ' +
        'Nothing is stored. What such an upload refuses because of its columns or rows is `refusal` in the answer, with the columns to ' +
        'choose from. Of a key with a scope, rows of other countries are rejected.',
      tags: ['audiences'],
      querystring: previewQuery,
      response: { 200: jsonAnswer('What the file holds', userFilePreview) },
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
        ...{ clock, acceptRejected },
      };
      if (isSettlement) {
        const form = headers['content-type']?.startsWith('text/csv') ? 'csv' : 'ndjson';
        return await previewSettlementFile({ ...file, form, choice: { user, header } });
      }
      const { country, column, countries } = fileCountriesOf(request, named, configured);
      return await previewUserFile({
        ...file,
        choice: { user, header, country: column },
        ...{ country, countries, hasCountries },
      });
    },
  });
}

function countryWithoutCountries() {
  const detail = 'has no meaning with countries=none or for=settlement; leave it out';
  return invalidRequest([{ pointer: '/country', code: 'no-countries', detail }]);
}
