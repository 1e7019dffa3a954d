import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HttpServer } from './create-http-server.ts';
import { publicId } from '../../../../shared/domain/ids/ids.ts';

export const changing: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Thousands of requests a second may come: neither a log line nor an entry in the audit log for each, and repeats
     * are logged by what was created, not by what is kept of requests.
     */
    isFrequent?: true;
  }
}

/**
 * One line for each request that changes something, refused ones too, and for each that the audit log has: who did what
 * to which, and how it ended. Never a body.
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
    // Kept where the database's owner cannot reach, it shows whether the log is still the same.
    ...(auditPlace && { audit: auditPlace }),
    ...(reply.getHeader('idempotent-replayed') === 'true' ? { replayed: true } : {}),
    ms: Math.round(reply.elapsedTime),
  };
}

/** The campaign or run that the path names, or that was created. */
function targetOf({ url }: FastifyRequest, reply: FastifyReply): { campaignId?: string; runId?: string } {
  const path = `${url} ${String(reply.getHeader('location') ?? '')}`;
  const [campaignId] = /\bcmp_[0-9a-z]{26}\b/.exec(path) ?? [];
  const [runId] = /\brun_[0-9a-z]{26}\b/.exec(path) ?? [];
  return { ...(campaignId === undefined ? {} : { campaignId }), ...(runId === undefined ? {} : { runId }) };
}
