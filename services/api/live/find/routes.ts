import { z } from 'zod';
import { findAnswer } from '../../../../shared/contracts/access/finds.ts';
import { findThings } from './find-things.ts';
import type { ApiParts } from '../../api-parts.ts';
import { scopeOf } from '../../access/scopes.ts';
import { jsonAnswer } from '../../frame/document/answer-shapes.ts';
import type { HttpServer } from '../../frame/server/create-http-server.ts';
import { storedWord } from '../../../../shared/contracts/stated-rules.ts';

const findQuery = z.strictObject({
  q: z.string().trim().min(1).max(200).meta(storedWord).describe('Any id, or part of a name'),
});

export function routes(server: HttpServer, parts: ApiParts): void {
  server.route({
    method: 'GET',
    url: '/find',
    config: { role: 'viewer', scope: 'client' },
    schema: {
      operationId: 'find',
      summary: 'Find resources by id or name',
      description:
        'An id finds its resource. A text finds campaigns, action types and shards by a part of their names.',
      tags: ['campaigns'],
      querystring: findQuery,
      response: { 200: jsonAnswer('Resources found; empty if none', findAnswer) },
    },
    handler: async (request) => ({ items: await findThings(request.query.q, scopeOf(request), parts) }),
  });
}
