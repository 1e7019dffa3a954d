import { z } from 'zod';
import { instant } from '../../../shared/contracts/instants.ts';
import { auditRecord } from '../../../shared/contracts/access/audit.ts';
import { pageQuery, pageShape } from '../frame/pages.contract.ts';
import { jsonAnswer } from '../frame/server/answer-shapes.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import type { AuditLog } from './postgres/audit-log.ts';
import { cursorInQuery, idInQuery, pageView } from '../frame/public-ids.ts';
import { auditView } from './audit-view.ts';

export interface AuditRoutesDeps {
  audit: AuditLog;
}

const auditQuery = pageQuery.extend({
  subject: z.string().max(200).optional().describe('Such as run_…, cmp_…, or the name of an action type'),
  keyId: z.string().optional().describe('key_…'),
  method: z.enum(['POST', 'PUT', 'PATCH', 'DELETE']).optional(),
  route: z.string().max(200).optional().describe('As in the entries: /v1/runs/:id/pause'),
  since: instant.optional().describe('RFC 3339; this moment included'),
  until: instant.optional().describe('RFC 3339; this moment excluded'),
});

export function auditRoutes(server: HttpServer, { audit }: AuditRoutesDeps): void {
  server.route({
    method: 'GET',
    url: '/audit',
    config: { role: 'viewer' },
    schema: {
      operationId: 'listChanges',
      summary: 'List changes, newest first: who did what to which, and how it ended',
      description: 'Holds what succeeded and what a state refused (409).',
      tags: ['audit'],
      querystring: auditQuery,
      response: { 200: jsonAnswer('A page of changes', pageShape(auditRecord)) },
    },
    handler: async ({ query: { keyId, since, until, limit, cursor, ...filter } }) => {
      const times = { since: momentOf(since), until: momentOf(until) };
      const wanted = { ...filter, ...times, apiKey: idInQuery('apiKey', 'keyId', keyId) };
      return pageView('change', await audit.list(wanted, limit, cursorInQuery('change', cursor)), auditView);
    },
  });
}

function momentOf(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text);
}
