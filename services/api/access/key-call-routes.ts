import { z } from 'zod';
import { keyCalls } from '../../../shared/contracts/access/callers.ts';
import { jsonAnswer } from '../frame/document/answer-shapes.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { requireKey, type RequireKeyDeps } from './api-key-routes.ts';
import type { KeyCallsReader } from './callers/postgres/key-calls.ts';

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
      summary: 'Show the calls of a key in the last eight days',
      description:
        'By day and by operation, with refused calls of an expired or revoked key. Each process counts in ' +
        'memory and writes at most once a minute, so calls of the last minute may be missing. Changes by the ' +
        'key are in the audit log: `GET /v1/audit?keyId=…`.',
      tags: ['keys'],
      params: z.object({ id: z.string().describe('key_…') }),
      response: { 200: jsonAnswer('The calls of the key', keyCalls) },
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
