import { z } from 'zod';
import { keyCalls } from '../../../../shared/contracts/access/callers.ts';
import { jsonAnswer } from '../../frame/document/answer-shapes.ts';
import type { HttpServer } from '../../frame/server/create-http-server.ts';
import { requireKey, type RequireKeyDeps } from '../api-key-routes.ts';
import type { KeyCallsReader } from './postgres/key-calls.ts';

export interface KeyCallRoutesDeps extends RequireKeyDeps {
  keyCalls: KeyCallsReader;
}

export function keyCallRoutes(server: HttpServer, deps: KeyCallRoutesDeps): void {
  server.route({
    method: 'GET',
    url: '/api-keys/:id/calls',
    config: { role: 'operator', scope: 'key' },
    schema: {
      operationId: 'getApiKeyCalls',
      summary: 'Show what a key was used for in the last eight days',
      description:
        'By day and by operation, refused calls of one that has ended among them. Each process counts in memory and adds it up at most once a ' +
        'minute, so those of the last minute may be missing. What it changed is in the audit log: `GET /v1/audit?keyId=…`.',
      tags: ['keys'],
      params: z.object({ id: z.string().describe('key_…') }),
      response: { 200: jsonAnswer('Its calls', keyCalls) },
    },
    handler: async (request) => {
      const { key } = await requireKey(request, request.params.id, deps);
      const { days, operations } = await deps.keyCalls(key);
      return {
        days,
        operations: operations.map(({ lastAt, ...calls }) => ({ ...calls, lastAt: lastAt.toISOString() })),
      };
    },
  });
}
