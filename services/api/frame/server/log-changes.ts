import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HttpServer } from './create-http-server.ts';
import { publicId } from '../../../../shared/domain/ids/ids.ts';

export const changing: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * True for routes with thousands of requests a second. Their requests are not logged and not in the audit log. A
     * repeat is detected by the object that was created, not by a stored request.
     */
    isFrequent?: true;
  }
}

/**
 * Logs one line with caller, operation, object and result for each request that changes something, including refused
 * requests, and for each request in the audit log. The line never contains a body.
 */
export function logChanges(server: HttpServer): void {
  server.addHook('onResponse', (request, reply, done) => {
    const isChange = changing.has(request.method) && !request.routeOptions.config.isFrequent;
    const isLogged = isChange || request.auditPlace !== null;
    if (isLogged) request.log.info(changeOf(request, reply), 'change through the API');
    done();
  });
}

function changeOf(request: FastifyRequest, reply: FastifyReply) {
  const { method, apiKey, routeOptions, auditPlace } = request;
  return {
    keyId: apiKey && publicId('apiKey', apiKey.key),
    keyName: apiKey?.name,
    method,
    route: routeOptions.url ?? 'none',
    ...targetOf(request, reply),
    status: reply.statusCode,
    // The owner of the database cannot change the logs, so they can prove that the audit log is unchanged.
    ...(auditPlace && { audit: auditPlace }),
    ...(reply.getHeader('idempotent-replayed') === 'true' ? { replayed: true } : {}),
    ms: Math.round(reply.elapsedTime),
  };
}

function targetOf({ url }: FastifyRequest, reply: FastifyReply): { campaignId?: string; runId?: string } {
  const path = `${url} ${String(reply.getHeader('location') ?? '')}`;
  const [campaignId] = /\bcmp_[0-9a-z]{26}\b/.exec(path) ?? [];
  const [runId] = /\brun_[0-9a-z]{26}\b/.exec(path) ?? [];
  return { ...(campaignId === undefined ? {} : { campaignId }), ...(runId === undefined ? {} : { runId }) };
}
