import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { fieldsOfSaved, type AudiencePatch } from '../../../../shared/contracts/campaigns/audiences.ts';
import { rejectedRow, type UploadedAudience } from '../../../../shared/contracts/campaigns/uploaded-audiences.ts';
import type { FieldProblem } from '../../../../shared/contracts/field-problems.ts';
import { publicId } from '../../../../shared/domain/ids/ids.ts';
import { answerList, csv, ndjson, streamManner } from '../../frame/streams/answer-list.ts';
import { streamed } from '../../frame/document/answer-shapes.ts';
import { HttpProblem, invalidRequest, notFound, quoted } from '../../frame/http-problem.ts';
import { expectedRevision, outdated } from '../../frame/if-match.ts';
import { pageLimit, pageQuery, pageShape } from '../../frame/pages.contract.ts';
import { invalidCursor, requireId } from '../../frame/public-ids.ts';
import type { HttpServer } from '../../frame/server/create-http-server.ts';
import type { AudienceRecord, AudienceStore } from './audience-store.port.ts';
import { uploadedAudienceView } from './uploaded-audience-view.ts';

export interface ListRoutesDeps {
  audiences: AudienceStore;
}

/** List that a request names, by its public id and by its UUID in the database. */
export interface NamedList {
  id: string;
  uuid: string;
}

/** Query of the lines of a list, that is of its users or its rejected rows. */
export const linesQuery = z.object({ limit: pageLimit.optional(), cursor: pageQuery.shape.cursor, ...streamManner });

/**
 * Returns the list.
 * @throws {HttpProblem} 404
 */
export async function requireList({ id, uuid }: NamedList, { audiences }: ListRoutesDeps): Promise<AudienceRecord> {
  const record = await audiences.get(uuid);
  if (!record) throw notFound('audience', id);
  return record;
}

/** Changes name, owner or retention of a list. @throws {HttpProblem} 404, 412, 422 */
export async function changeList(
  request: FastifyRequest,
  { id, uuid, patch }: NamedList & { patch: AudiencePatch },
  { audiences }: ListRoutesDeps,
): Promise<UploadedAudience> {
  if (expectedRevision(request.headers['if-match']) !== null) throw outdated(`${id} is a list, which has no ETag`);
  const beyond = fieldsOfSaved.filter((field) => patch[field] !== undefined);
  if (beyond.length > 0) throw invalidRequest(beyond.map(notOfList));
  const record = await audiences.change(uuid, patch);
  if (!record) throw notFound('audience', id);
  request.auditDetail = { name: record.name, owner: record.owner, kept: record.kept };
  return uploadedAudienceView(record);
}

function notOfList(field: string): FieldProblem {
  const detail = `the audience is a list, which has no ${field} to change`;
  return { pointer: `/${field}`, code: 'not-of-a-list', detail };
}

/**
 * Deletes a list. Succeeds if the list does not exist.
 * @throws {HttpProblem} 409
 */
export async function deleteList({ id, uuid }: NamedList, { audiences }: ListRoutesDeps): Promise<void> {
  const deletion = await audiences.delete(uuid);
  if (deletion.kind === 'in-use') {
    const campaign = publicId('campaign', deletion.campaignId);
    throw inUse(`${id} is named by ${campaign}, which is scheduled or runs; it can be deleted once that has ended`);
  }
  if (deletion.kind === 'saved-in') {
    const saved = `${publicId('savedAudience', deletion.savedAudienceId)} (${quoted(deletion.name)})`;
    throw inUse(`${id} is named by the saved audience ${saved}; it can be deleted once that is changed or deleted`);
  }
}

function inUse(detail: string): HttpProblem {
  return new HttpProblem({ status: 409, code: 'audience-in-use', detail });
}

export function rejectsRoute(server: HttpServer, { audiences }: ListRoutesDeps): void {
  server.route({
    method: 'GET',
    url: '/audiences/:id/rejects',
    config: { role: 'viewer', scope: 'users', heavy: 'exports', audit: 'exported the rejected rows of an upload' },
    schema: {
      operationId: 'listAudienceRejects',
      summary: 'List rejected rows of an uploaded list, with line and rule',
      description: `The first thousand rejected rows, in the order of the file; the list has their total number. With \`Accept: ${csv}\` or \`${ndjson}\`, all of them in one response.`,
      tags: ['audiences'],
      params: z.object({ id: z.string().describe('aud_…') }),
      querystring: linesQuery,
      response: {
        200: {
          description: 'A page of rows',
          content: {
            'application/json': { schema: pageShape(rejectedRow) },
            [csv]: streamed,
            [ndjson]: streamed,
          },
        },
      },
    },
    handler: async ({ params: { id }, query, headers: { accept }, method }, reply) => {
      const audienceId = requireId('audience', id);
      const { limit, cursor, format, raw, for: reader } = query;
      return answerList(
        reply,
        { accept, format, method, limit, cursor, raw, reader },
        {
          fileName: `${id}-rejects`,
          columns: ['line', 'rule', 'value'],
          requireSubject: async () => {
            if (!(await audiences.get(audienceId))) throw notFound('audience', id);
          },
          pageOf: (most, after) => audiences.rejects(audienceId, most, lineOf(after)),
          view: (row) => row,
        },
      );
    },
  });
}

function lineOf(cursor: string | null): number {
  if (cursor === null) return 0;
  if (/^[1-9]\d{0,14}$/.test(cursor)) return Number(cursor);
  throw invalidCursor(cursor);
}
