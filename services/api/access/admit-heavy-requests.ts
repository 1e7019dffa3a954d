import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema, RouteOptions } from 'fastify';
import { Readable } from 'node:stream';
import type { HeavyKind } from '../../../shared/domain/quotas.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import { asksForFile, csv, ndjson } from '../frame/streams/answer-list.ts';
import { fieldsOf } from '../frame/document/prune-components.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { endSlowDownload } from '../frame/streams/slow-download.ts';
import type { HeavyRequests } from './heavy-requests.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Slots that a request to this route occupies.
     * - `exports`: for a list that is sent as a file, until its last byte is sent or its reader is too slow. Pages of
     *   JSON occupy no slot.
     * - `uploads`: for a body that the handler reads as a stream, until the body is stored.
     * - `reports`, `previews`: until the response is computed.
     * - `elsewhere`: none, because another limit applies. A comment at the route names this limit.
     */
    heavy?: HeavyKind | 'elsewhere';
  }
}

export interface AdmitHeavyRequestsDeps {
  heavyRequests: HeavyRequests;
  clock: Clock;
}

/**
 * Reserves a slot for each request to a heavy route while its handler runs. Applies to routes that are registered after
 * this call.
 * @throws {Error} for a route that looks heavy and declares no kind of slot
 */
export function admitHeavyRequests(server: HttpServer, { heavyRequests, clock }: AdmitHeavyRequestsDeps): void {
  server.addHook('onRoute', (route) => {
    const { config, handler } = route;
    const heavy = config?.heavy;
    if (heavy === undefined && looksHeavy(route))
      throw new Error(`${String(route.method)} ${route.url} does not declare which heavy requests it counts with`);
    if (heavy === undefined || heavy === 'elsewhere') return;
    route.handler = async function (this: FastifyInstance, request: FastifyRequest, reply: FastifyReply) {
      if (!isHeavy(heavy, request)) return await handler.call(this, request, reply);
      const end = await heavyRequests.begin(heavy, request.apiKey?.account ?? request.ip);
      const ended = new AbortController();
      const { signal } = ended;
      void endSlowDownload({ response: reply.raw, socket: request.raw.socket }, { clock, signal }).then((isSlow) => {
        if (isSlow) request.log.info({ url: request.url }, 'ended a response whose reader was below the minimum rate');
      });
      try {
        // The handler of a stream ends when the stream has ended, or when its reader has disconnected.
        return await handler.call(this, request, reply);
      } finally {
        ended.abort();
        end();
      }
    };
  });
}

function isHeavy(kind: HeavyKind, request: FastifyRequest): boolean {
  if (kind === 'exports') return request.method === 'GET' && asksForFile(request);
  return kind !== 'uploads' || request.body instanceof Readable;
}

const heavyPath = /\/(?:[a-z-]*preview|export|table|comparison)$/;
const reportPath = /\/(?:report|shared-reports\/:token)$/;

/** Returns true if a route looks heavy, judged by the content types of its body and by its path. */
export function looksHeavy({ method, url, config, schema }: RouteOptions): boolean {
  const isRead = [method].flat().includes('GET');
  return config?.uploads !== undefined || sendsFile(schema) || heavyPath.test(url) || (isRead && reportPath.test(url));
}

function sendsFile(schema: FastifySchema | undefined): boolean {
  const answers = Object.values(fieldsOf(schema?.response));
  const types = answers.flatMap((answer) => Object.keys(fieldsOf(fieldsOf(answer)['content'])));
  return types.includes(csv) || types.includes(ndjson);
}
