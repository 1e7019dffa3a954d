import { z } from 'zod';
import { aboutFields } from '../../../../shared/contracts/campaigns/about-campaign.ts';
import {
  audienceCounts,
  audienceStates,
  rejectedRow,
  uploadedAudience,
} from '../../../../shared/contracts/campaigns/audiences.ts';
import { isStorable } from '../../../../shared/domain/ids/stored-text.ts';
import { storedText } from '../../../../shared/contracts/stated-rules.ts';
import type { ApiParts } from '../../api-parts.ts';
import { answerList, csv, ndjson, streamManner } from '../../frame/answer-list.ts';
import { asBoolean, pageLimit, pageQuery, pageShape, yesOrNo } from '../../frame/pages.contract.ts';
import { jsonAnswer, problems, streamed } from '../../frame/document/answer-shapes.ts';
import type { HttpServer } from '../../frame/server/create-http-server.ts';
import { invalidRequest, notFound, quoted } from '../../frame/http-problem.ts';
import { campaignsInScope } from '../../access/scopes.ts';
import { inUse, savedIn } from './audience-problems.ts';
import { cursorInQuery, pageView, requireId } from '../../frame/public-ids.ts';
import { audienceUploadRoute } from './audience-upload-route.ts';
import { audienceView } from './audience-view.ts';
import { nameShape } from '../../../../shared/contracts/stored-texts.ts';

const byId = z.object({ id: z.string().describe('aud_…') });
const tag = 'audiences';

export const tags = [{ name: tag, description: 'Uploaded lists of users, for campaigns to name' }];

const listOwner = aboutFields.owner;

const listName = nameShape(200);

const searched = {
  q: z.string().trim().max(200).refine(isStorable).meta(storedText).optional().describe('Part of the name'),
};

const listQuery = pageQuery.extend({
  ...searched,
  owner: listOwner.describe('Those of it'),
  state: z.enum(audienceStates).optional(),
  rejected: yesOrNo.describe('true: those with rows that are no user; false: the others'),
  used: yesOrNo.describe('true: those that a campaign, a draft too, or a saved audience names; false: the others'),
});

const rejectQuery = z.object({ limit: pageLimit.optional(), cursor: pageQuery.shape.cursor, ...streamManner });

export async function routes(server: HttpServer, parts: ApiParts): Promise<void> {
  await server.register((scope: HttpServer) => {
    audienceUploadRoute(scope, parts);
    return Promise.resolve();
  });
  listRoute(server, parts);
  audienceRoute(server, parts);
  rejectsRoute(server, parts);
  renameRoute(server, parts);
  deleteRoute(server, parts);
}

function listRoute(server: HttpServer, { audiences }: ApiParts): void {
  server.route({
    method: 'GET',
    url: '/audiences',
    config: { role: 'viewer', scope: 'campaign' },
    schema: {
      operationId: 'listAudiences',
      summary: 'List uploaded lists, newest first',
      tags: [tag],
      querystring: listQuery,
      response: { 200: jsonAnswer('A page of lists', pageShape(uploadedAudience)) },
    },
    handler: async (request) => {
      const { q, owner, state, rejected, used, limit, cursor } = request.query;
      const within = campaignsInScope(request);
      const search = { text: q, owner, state, hasRejects: asBoolean(rejected), isUsed: asBoolean(used), within };
      return pageView('audience', await audiences.list(search, limit, cursorInQuery('audience', cursor)), audienceView);
    },
  });

  server.route({
    method: 'GET',
    url: '/audiences/counts',
    config: { role: 'viewer', scope: 'campaign' },
    schema: {
      operationId: 'countAudiences',
      summary: 'How many uploaded lists there are, and how many with something to look at',
      tags: [tag],
      querystring: z.strictObject(searched),
      response: { 200: jsonAnswer('How many', audienceCounts) },
    },
    handler: (request) => audiences.counts({ text: request.query.q, within: campaignsInScope(request) }),
  });
}

function audienceRoute(server: HttpServer, { audiences }: ApiParts): void {
  server.route({
    method: 'GET',
    url: '/audiences/:id',
    config: { role: 'viewer', scope: 'campaign' },
    schema: {
      operationId: 'getAudience',
      summary: 'Show an uploaded list',
      tags: [tag],
      params: byId,
      response: { 200: jsonAnswer('The list', uploadedAudience) },
    },
    handler: async ({ params: { id } }) => {
      const record = await audiences.get(requireId('audience', id));
      if (!record) throw notFound('audience', id);
      return audienceView(record);
    },
  });
}

function rejectsRoute(server: HttpServer, { audiences }: ApiParts): void {
  server.route({
    method: 'GET',
    url: '/audiences/:id/rejects',
    config: { role: 'viewer', scope: 'users', heavy: 'exports', audit: 'exported the rejected rows of an upload' },
    schema: {
      operationId: 'listAudienceRejects',
      summary: 'Rows of a list that are no user, with line and rule',
      description: `The first thousand of them, in the order of the file; the list says how many there were. All at once with \`Accept: ${csv}\` or \`${ndjson}\`.`,
      tags: [tag],
      params: byId,
      querystring: rejectQuery,
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

function renameRoute(server: HttpServer, { audiences }: ApiParts): void {
  server.route({
    method: 'PATCH',
    url: '/audiences/:id',
    config: { role: 'manager', scope: 'campaign', audit: 'renamed an uploaded audience' },
    schema: {
      operationId: 'renameAudience',
      summary: 'Give an uploaded list another name, or another owner',
      description: 'Campaigns name it by its id, and go on as they are. An owner of null takes it away.',
      tags: [tag],
      params: byId,
      body: z
        .strictObject({ name: listName.optional(), owner: listOwner.nullable() })
        .refine(({ name, owner }) => name !== undefined || owner !== undefined, 'has to say a name or an owner')
        .meta({ minProperties: 1 }),
      response: { 200: jsonAnswer('The list', uploadedAudience) },
    },
    handler: async (request) => {
      const { id } = request.params;
      const record = await audiences.change(requireId('audience', id), request.body);
      if (!record) throw notFound('audience', id);
      request.auditDetail = { name: record.name, owner: record.owner };
      return audienceView(record);
    },
  });
}

function deleteRoute(server: HttpServer, { audiences }: ApiParts): void {
  server.route({
    method: 'DELETE',
    url: '/audiences/:id',
    config: { role: 'manager', scope: 'campaign', audit: 'deleted an uploaded audience' },
    schema: {
      operationId: 'deleteAudience',
      summary: 'Delete an uploaded list',
      description:
        'Not while a campaign that is scheduled or runs names it, or a saved audience. Deleting it again changes nothing.',
      tags: [tag],
      params: byId,
      response: { 204: z.null().describe('It is gone'), ...problems(409) },
    },
    handler: async ({ params: { id } }, reply) => {
      const deletion = await audiences.delete(requireId('audience', id));
      if (deletion.kind === 'in-use') throw inUse(id, deletion.campaignId);
      if (deletion.kind === 'saved-in') throw savedIn(id, deletion);
      return reply.code(204).send(null);
    },
  });
}

function lineOf(cursor: string | null): number {
  if (cursor === null) return 0;
  if (/^[1-9]\d{0,14}$/.test(cursor)) return Number(cursor);
  const detail = `${quoted(cursor)} is no cursor: pass on "next" of the page before as it is`;
  throw invalidRequest([{ pointer: '/cursor', code: 'invalid-cursor', detail }]);
}
