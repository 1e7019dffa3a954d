import { z } from 'zod';
import { instant } from '../../../../shared/contracts/instants.ts';
import { isWhole } from '../../../../shared/domain/scopes.ts';
import { auditRecord, auditVerification } from '../../../../shared/contracts/access/audit.ts';
import { pageQuery, pageShape } from '../../frame/pages.contract.ts';
import { jsonAnswer } from '../../frame/document/answer-shapes.ts';
import type { HttpServer } from '../../frame/server/create-http-server.ts';
import type { AuditChain } from './postgres/audit-chain.ts';
import type { AuditLog } from './postgres/audit-log.ts';
import { cursorInQuery, idInQuery, pageView } from '../../frame/public-ids.ts';
import { auditView } from './audit-view.ts';
import { callerOf, outOfScope } from '../scopes.ts';
import { verifyPart } from './verify-chain.ts';
import { idPattern } from '../../../../shared/domain/ids/ids.ts';

export interface AuditRoutesDeps {
  audit: AuditLog;
  chain: AuditChain;
}

/**
 * Number of entries that are verified without a pause. Hashing them takes about 10 ms, in which the process handles no
 * other request.
 */
const verificationBatch = 5000;

const auditQuery = pageQuery.extend({
  number: z.coerce.number().int().min(1).max(Number.MAX_SAFE_INTEGER).optional(),
  subject: z.string().max(200).optional().describe('Such as run_…, cmp_…, or the name of an action type'),
  keyId: z
    .string()
    .optional()
    .describe('key_…')
    .meta({ pattern: idPattern('apiKey') }),
  method: z.enum(['POST', 'PUT', 'PATCH', 'DELETE', 'GET']).optional().describe('GET: exports'),
  route: z.string().max(200).optional().describe('As in the entries: /v1/runs/:id/pause'),
  since: instant.optional().describe('RFC 3339; this moment included'),
  until: instant.optional().describe('RFC 3339; this moment excluded'),
});

export function auditRoutes(server: HttpServer, { audit, chain }: AuditRoutesDeps): void {
  server.route({
    method: 'GET',
    url: '/audit',
    config: { role: 'viewer', scope: 'none' },
    schema: {
      operationId: 'listChanges',
      summary: 'List changes, newest first: who changed what, and with which result',
      description:
        'Contains changes that succeeded or that a state refused (409), exports of lists, and starts of a ' +
        'service with other settings. A key with a scope sees only its own changes.',
      tags: ['audit'],
      querystring: auditQuery,
      response: { 200: jsonAnswer('A page of changes', pageShape(auditRecord)) },
    },
    handler: async (request) => {
      const { keyId, since, until, limit, cursor, ...filter } = request.query;
      const { key, scope } = callerOf(request);
      const times = { since: momentOf(since), until: momentOf(until) };
      const requestedKey = idInQuery('apiKey', 'keyId', keyId);
      if (!isWhole(scope) && requestedKey !== undefined && requestedKey !== key)
        throw outOfScope('this key has a scope, so it sees only its own changes');
      const wanted = { ...filter, ...times, apiKey: isWhole(scope) ? requestedKey : key };
      const page = await audit.list(wanted, limit, cursorInQuery('change', cursor));
      return pageView('change', page, (record) => auditView(record, server.changeSentences));
    },
  });

  server.route({
    method: 'GET',
    url: '/audit/verification',
    config: { role: 'viewer', scope: 'none' },
    schema: {
      operationId: 'verifyAudit',
      summary: 'Verify that no entry of the audit log was changed, removed or added',
      description: `Recomputes the hashes of ${verificationBatch} entries, in the order of their numbers.`,
      tags: ['audit'],
      querystring: z.object({
        after: z.coerce
          .number()
          .int()
          .min(0)
          .max(Number.MAX_SAFE_INTEGER)
          .optional()
          .describe('A number, as in `next`'),
      }),
      response: { 200: jsonAnswer('The result of the verification', auditVerification) },
    },
    handler: async ({ query: { after } }) => {
      const part = await chain.part(after, verificationBatch);
      const { isEnd, to, ...found } = verifyPart(part, { after, limit: verificationBatch });
      return { ...found, to, cut: part.cut, head: part.head, next: isEnd ? null : to.number };
    },
  });
}

function momentOf(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text);
}
