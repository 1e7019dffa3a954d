import { z } from 'zod';
import { segmentList } from '../../../../shared/contracts/campaigns/segments.ts';
import { countryPattern } from '../../../../shared/domain/endpoint/shard.ts';
import type { ApiParts } from '../../api-parts.ts';
import { pageQuery, partOfName } from '../../frame/pages.contract.ts';
import { jsonAnswer } from '../../frame/document/answer-shapes.ts';
import type { HttpServer } from '../../frame/server/create-http-server.ts';
import { createUsedSegments } from './postgres/used-segments.ts';
import { createSegmentDirectory } from './segment-directory.ts';

const listQuery = pageQuery.extend({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  q: partOfName.describe('Part of the name or the id'),
  country: z
    .string()
    .regex(countryPattern, 'has to be an ISO 3166-1 alpha-2 code in capitals, such as SG')
    .optional()
    .describe('Those with users there, whose estimate is of that country'),
});

export function routes(server: HttpServer, parts: ApiParts): void {
  const directory = createSegmentDirectory({ ...parts, usedSegments: createUsedSegments(parts) });
  server.route({
    method: 'GET',
    url: '/segments',
    config: { role: 'viewer', scope: 'none' },
    schema: {
      operationId: 'listSegments',
      summary: 'List segments that audiences can name',
      description:
        'As the segmentation service offers them, in its order; `from` says where it offers no list, or does not answer: then these are the ' +
        'segments that the newest campaigns name. Campaigns may name others too.',
      tags: ['audiences'],
      querystring: listQuery,
      response: { 200: jsonAnswer('A page of segments', segmentList) },
    },
    handler: ({ query: { q, ...search } }) => directory.list({ ...search, text: q }),
  });
}
