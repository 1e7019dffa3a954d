import { caps, writtenCaps } from '../../../../shared/contracts/endpoints/caps.ts';
import { publicId } from '../../../../shared/domain/ids/ids.ts';
import { callerOf } from '../../access/scopes.ts';
import type { ApiParts } from '../../api-parts.ts';
import { entityTag, expectedRevision, ifMatchHeaders, revisedSince } from '../../frame/if-match.ts';
import { jsonAnswer, problems } from '../../frame/document/answer-shapes.ts';
import type { HttpServer } from '../../frame/server/create-http-server.ts';
import { checkCaps } from './check-caps.ts';
import { createCapsStore, type CapsRecord } from './postgres/caps-store.ts';

const tag = 'caps';

export const tags = [{ name: tag, description: 'Most effects of action types for a user, over all campaigns' }];

/** Registers the routes of caps, which limit the effects of action types for a user over all campaigns. */
export function routes(server: HttpServer, { pool, catalogue }: ApiParts): void {
  const store = createCapsStore({ pool });
  server.route({
    method: 'GET',
    url: '/caps',
    config: { role: 'viewer', scope: 'none' },
    schema: {
      operationId: 'getCaps',
      summary: 'Show the caps of action types',
      description: 'Lists the ids of exempt campaigns, also of those that the key may not read.',
      tags: [tag],
      response: { 200: jsonAnswer('The caps', caps) },
    },
    handler: async (_request, reply) => {
      const record = await store.read();
      return reply.header('etag', entityTag(record.revision)).send(view(record));
    },
  });

  server.route({
    method: 'PUT',
    url: '/caps',
    config: {
      role: 'operator',
      scope: 'installation',
      audit: 'set caps',
      refusals: {
        'unknown-action-type': 'the action type is not registered',
        'not-an-action': 'the action type is a check, which has no effect',
        'unknown-campaign': 'an exempt campaign does not exist',
      },
    },
    schema: {
      operationId: 'setCaps',
      summary: 'Set the caps of action types',
      description:
        'Replaces all caps. Every batch that a worker claims after the response follows them, also in runs that are ' +
        'under way: users at a cap end as `suppressed` in the step, with `muster.cap`, and are skipped after it. A ' +
        'batch that was claimed before may still be called. A cap counts effects since `countsFrom`, because Muster ' +
        'knows none from before: a cap that is new, or gets an action type, starts at 0 for each user, even if ' +
        'campaigns are running. Other changes of a cap keep `countsFrom`. Without caps, nothing is counted.',
      tags: [tag],
      headers: ifMatchHeaders,
      body: writtenCaps,
      response: { 200: jsonAnswer('The caps as they are now', caps), ...problems(412) },
    },
    handler: async (request, reply) => {
      const expected = expectedRevision(request.headers['if-match']);
      const wanted = await checkCaps(request.body.caps, { catalogue, store });
      const before = await store.read();
      request.auditDetail = { from: view(before).caps, to: request.body.caps };
      const record = await store.set(wanted, expected, callerOf(request).key);
      if (!record) throw revisedSince('the caps', (await store.read()).revision);
      return reply.header('etag', entityTag(record.revision)).send(view(record));
    },
  });
}

function view({ revision, caps: kept, madeAt }: CapsRecord) {
  return {
    revision,
    caps: kept.map(({ countsFrom, exempt, ...cap }) => ({
      ...cap,
      ...(exempt && { exempt: exempt.map((uuid) => publicId('campaign', uuid)) }),
      countsFrom: countsFrom.toISOString(),
    })),
    madeAt: madeAt?.toISOString() ?? null,
  };
}
