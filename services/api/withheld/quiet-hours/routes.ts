import { quietHours, writtenQuietHours } from '../../../../shared/contracts/endpoints/quiet-hours.ts';
import { callerOf } from '../../access/scopes.ts';
import type { ApiParts } from '../../api-parts.ts';
import { entityTag, expectedRevision, ifMatchHeaders, revisedSince } from '../../frame/if-match.ts';
import { jsonAnswer, problems } from '../../frame/document/answer-shapes.ts';
import type { HttpServer } from '../../frame/server/create-http-server.ts';
import { createQuietHoursStore, type QuietHoursRecord } from './postgres/quiet-hours-store.ts';

const tag = 'quiet hours';

export const tags = [{ name: tag, description: 'Hours in which an action type calls no users of a country' }];

/** Registers the routes of quiet hours, in which an action type calls no users of a country. */
export function routes(server: HttpServer, { pool }: ApiParts): void {
  const store = createQuietHoursStore({ pool });
  server.route({
    method: 'GET',
    url: '/quiet-hours',
    config: { role: 'viewer', scope: 'none' },
    schema: {
      operationId: 'getQuietHours',
      summary: 'Show the quiet hours of action types',
      tags: [tag],
      response: { 200: jsonAnswer('The quiet hours', quietHours) },
    },
    handler: async (_request, reply) => {
      const record = await store.read();
      return reply.header('etag', entityTag(record.revision)).send(view(record));
    },
  });

  server.route({
    method: 'PUT',
    url: '/quiet-hours',
    config: { role: 'operator', scope: 'installation', audit: 'set quiet hours' },
    schema: {
      operationId: 'setQuietHours',
      summary: 'Set the quiet hours of action types',
      description:
        'They follow the local time of each country. They apply within seconds, also to runs that are under ' +
        'way; steps that waited for former quiet hours continue. Without rules, there are no quiet hours.',
      tags: [tag],
      headers: ifMatchHeaders,
      body: writtenQuietHours,
      response: { 200: jsonAnswer('The quiet hours as they are now', quietHours), ...problems(412) },
    },
    handler: async (request, reply) => {
      const expected = expectedRevision(request.headers['if-match']);
      const { rules } = request.body;
      const before = await store.read();
      request.auditDetail = { from: before.rules, to: rules };
      const record = await store.set(rules, expected, callerOf(request).key);
      if (!record) throw revisedSince('the quiet hours', (await store.read()).revision);
      return reply.header('etag', entityTag(record.revision)).send(view(record));
    },
  });
}

function view({ revision, rules, madeAt }: QuietHoursRecord) {
  return { revision, rules, madeAt: madeAt?.toISOString() ?? null };
}
