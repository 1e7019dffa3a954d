import { z } from 'zod';
import { jsonAnswer, problems } from '../../frame/document/answer-shapes.ts';
import type { HttpServer } from '../../frame/server/create-http-server.ts';
import { HttpProblem } from '../../frame/http-problem.ts';
import { checkPart, type PartCheck } from '../../../../shared/runtime/process/readiness.ts';

export interface HealthRoutesDeps {
  /** Checks the database, and rejects if it does not answer. */
  ping: PartCheck;
  isReady: () => boolean;
}

const status = z.object({ status: z.literal('ok') });
const tags = ['health'];

export function healthRoutes(server: HttpServer, { ping, isReady }: HealthRoutesDeps): void {
  server.route({
    method: 'GET',
    url: '/healthz',
    schema: {
      operationId: 'getHealth',
      summary: 'Liveness: the process is running',
      tags,
      security: [],
      response: { 200: jsonAnswer('It does', status), ...problems(422, 503) },
    },
    handler: () => ({ status: 'ok' as const }),
  });

  server.route({
    method: 'GET',
    url: '/readyz',
    schema: {
      operationId: 'getReadiness',
      summary: 'Readiness: the process can serve requests',
      tags,
      security: [],
      response: { 200: jsonAnswer('It does', status), ...problems(422, 503) },
    },
    handler: async () => {
      if (!isReady()) throw notReady('the service is stopping');
      await checkPart(ping).catch((error: unknown) => {
        throw notReady(`the database does not answer: ${causeOf(error)}`);
      });
      return { status: 'ok' as const };
    },
  });
}

function notReady(detail: string): HttpProblem {
  return new HttpProblem({ status: 503, code: 'not-ready', detail });
}

/** Returns only the code of an error, because its message may contain the database's address and user name. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
