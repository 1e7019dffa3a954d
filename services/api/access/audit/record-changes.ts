import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { HttpServer } from '../../frame/server/create-http-server.ts';
import { changing } from '../../frame/server/log-changes.ts';
import type { ChainPlace } from './audit-chain.port.ts';
import { requireSentences } from './change-sentences.ts';
import type { AuditDetail, AuditEntry, AuditLog } from './postgres/audit-log.ts';

export type { AuditDetail, AuditLog };

declare module 'fastify' {
  interface FastifyRequest {
    /** Details of a change that a handler adds to the change's entry in the audit log. They never contain a secret. */
    auditDetail: AuditDetail | null;
    /**
     * True if the request only previews a change, or the users that a change would reach. A preview is never recorded.
     */
    isPreview: boolean;
    auditPlace: ChainPlace | null;
  }
}

const refusedByState = 409;

/**
 * Records each change that succeeded or that the state of an object forbids, before the response is sent. Records each
 * list that is exported as a file, before its first line is sent. A preview, and a repeat under an `Idempotency-Key`,
 * change nothing and are not recorded. Each route that may be recorded needs a sentence.
 */
export function recordChanges(server: HttpServer, audit: AuditLog): void {
  server.decorateRequest('auditDetail', null);
  server.decorateRequest('isPreview', false);
  server.decorateRequest('auditPlace', null);
  requireSentences(server);
  server.addHook('onSend', async (request, reply, payload) => {
    if (!isRecorded(request, reply)) return;
    const entry = entryOf(request, reply, payload);
    try {
      request.auditPlace = await audit.record(entry);
    } catch (error) {
      // The change is committed, and the caller must get its result. So this log line takes the place of the entry.
      request.log.error({ err: error, ...entry }, 'could not record a change in the audit log');
    }
  });
}

function isRecorded({ method, routeOptions, isPreview }: FastifyRequest, reply: FastifyReply): boolean {
  if (isPreview) return false;
  if (isExport(method, reply)) return true;
  if (!changing.has(method) || routeOptions.config.isFrequent || reply.getHeader('idempotent-replayed') === 'true')
    return false;
  return reply.statusCode < 300 || reply.statusCode === refusedByState;
}

const files = /^(text\/csv|application\/x-ndjson)/;

function isExport(method: string, reply: FastifyReply): boolean {
  return method === 'GET' && reply.statusCode === 200 && files.test(String(reply.getHeader('content-type')));
}

function entryOf(request: FastifyRequest, reply: FastifyReply, payload: unknown): AuditEntry {
  const { method, apiKey, routeOptions, id, auditDetail, query } = request;
  return {
    apiKey: apiKey?.key ?? null,
    method,
    route: routeOptions.url ?? 'none',
    subject: subjectOf(request, reply),
    status: reply.statusCode,
    requestId: id,
    detail: {
      ...(isExport(method, reply) && queryFields.parse(query)),
      ...auditDetail,
      ...(reply.statusCode === refusedByState ? refusalOf(payload) : {}),
    },
  };
}

const queryFields = z.record(z.string(), z.unknown());
/** Parameters of a path. Those after the first may be numbers, such as a revision. */
const pathParams = z.record(z.string(), z.unknown());

/**
 * Returns the first path parameter, which is the id or name of the changed object. If the path has no parameter,
 * returns the id of the created object. Null if there is neither.
 */
function subjectOf({ params }: FastifyRequest, reply: FastifyReply): string | null {
  const [named] = Object.values(pathParams.safeParse(params).data ?? {});
  const created = reply.getHeader('location');
  if (typeof named === 'string') return named;
  return typeof created === 'string' ? (created.split('/').at(-1) ?? null) : null;
}

const refusal = z.object({ code: z.string(), detail: z.string() });

function refusalOf(payload: unknown): AuditDetail {
  if (typeof payload !== 'string') return {};
  const problem = refusal.safeParse(JSON.parse(payload)).data;
  return problem ? { refused: problem.code, because: problem.detail } : {};
}
