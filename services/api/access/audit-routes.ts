import { z } from 'zod';
import { instant } from '../../../shared/contracts/instants.ts';
import { isWhole } from '../../../shared/domain/scopes.ts';
import { auditRecord } from '../../../shared/contracts/access/audit.ts';
import { pageQuery, pageShape } from '../frame/pages.contract.ts';
import { jsonAnswer } from '../frame/server/answer-shapes.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import type { AuditLog } from './postgres/audit-log.ts';
import { cursorInQuery, idInQuery, pageView } from '../frame/public-ids.ts';
import { auditView } from './audit-view.ts';
import { callerOf, outOfScope } from './scopes.ts';

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
    config: { role: 'viewer', scope: 'none' },
    schema: {
      operationId: 'listChanges',
      summary: 'List changes, newest first: who did what to which, and how it ended',
      description: 'Holds what succeeded and what a state refused (409). A key with a scope sees its own.',
      tags: ['audit'],
      querystring: auditQuery,
      response: { 200: jsonAnswer('A page of changes', pageShape(auditRecord)) },
    },
    handler: async (request) => {
      const { keyId, since, until, limit, cursor, ...filter } = request.query;
      const { key, scope } = callerOf(request);
      const times = { since: momentOf(since), until: momentOf(until) };
      const asked = idInQuery('apiKey', 'keyId', keyId);
      if (!isWhole(scope) && asked !== undefined && asked !== key)
        throw outOfScope('this key has a scope: it sees its own changes');
      const wanted = { ...filter, ...times, apiKey: isWhole(scope) ? asked : key };
      return pageView('change', await audit.list(wanted, limit, cursorInQuery('change', cursor)), auditView);
    },
  });
}

function momentOf(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text);
}
