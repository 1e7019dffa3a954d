import { z } from 'zod';
import { aboutFields } from '../../../shared/contracts/campaigns/about-campaign.ts';
import {
  audienceCounts,
  audienceDetail,
  audienceKinds,
  audienceList,
  audiencePatch,
} from '../../../shared/contracts/campaigns/audiences.ts';
import { savedAudienceWithWarnings } from '../../../shared/contracts/campaigns/saved-audiences.ts';
import { audienceStates, uploadedAudience } from '../../../shared/contracts/campaigns/uploaded-audiences.ts';
import { sourceRefusals } from '../../../shared/contracts/campaigns/campaigns.ts';
import { textShape } from '../../../shared/contracts/stored-texts.ts';
import { countryPattern } from '../../../shared/domain/endpoint/shard.ts';
import { uuidOf } from '../../../shared/domain/ids/ids.ts';
import { campaignsInScope } from '../access/scopes.ts';
import type { ApiParts } from '../api-parts.ts';
import { jsonAnswer, problems } from '../frame/document/answer-shapes.ts';
import { notFound } from '../frame/http-problem.ts';
import { entityTag, ifMatchHeaders } from '../frame/if-match.ts';
import { asBoolean, pageQuery, partOfName, yesOrNo } from '../frame/pages.contract.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { revisionRoutes } from '../revisions/revision-routes.ts';
import { exactCountRoutes } from './counts/exact-count-routes.ts';
import { createAudienceDirectory } from './listed/audience-directory.ts';
import { createListedAudienceStore } from './listed/postgres/listed-audience-store.ts';
import { changeList, deleteList, rejectsRoute, requireList } from './lists/list-routes.ts';
import { usersRoute } from './lists/list-users-route.ts';
import { uploadRoute } from './lists/upload-route.ts';
import { uploadedAudienceView } from './lists/uploaded-audience-view.ts';
import { requireSaved } from './saved/redefine-saved.ts';
import { revisionsOfSaved } from './saved/saved-audience-revisions.ts';
import { changeSaved, deleteSaved, saveRoute } from './saved/saved-audience-routes.ts';
import { savedAudienceView } from './saved/saved-audience-view.ts';
import { previewRoute } from './preview-route.ts';

const tag = 'audiences';

export const tags = [
  { name: tag, description: 'Users that campaigns name: uploaded lists, segments, saved audiences' },
];

const byId = z.object({ id: z.string().describe('aud_… of a list, sav_… of a saved audience') });

const searched = {
  q: partOfName.describe('Part of the name or the owner, or of a segment’s id'),
  owner: aboutFields.owner.describe('Lists and saved audiences of this owner'),
};

const listQuery = pageQuery.extend({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  ...searched,
  id: textShape(200).optional().describe('Name in campaigns, exactly'),
  kind: z.enum(audienceKinds).optional(),
  state: z.enum(audienceStates).optional().describe('Lists in this state'),
  rejected: yesOrNo.describe('true: lists with rejected rows; false: lists without'),
  usersAtMost: z.coerce.number().int().min(1).optional().describe('Ready lists with at most this many users'),
  used: yesOrNo.describe(
    'true: audiences that a campaign, a draft too, or a saved audience uses; false: ready lists and saved audiences without use',
  ),
  country: z
    .string()
    .regex(countryPattern, 'has to be an ISO 3166-1 alpha-2 code in capitals, such as SG')
    .optional()
    .describe('Audiences with users there; the segmentation service estimates its segments for this country'),
  list: textShape(200).optional().describe('aud_…: saved audiences that include or exclude this list'),
  segment: textShape(200).optional().describe('Saved audiences that include or exclude this segment'),
});

/** Registers the routes of audiences (docs/decisions/0101-saved-audiences-counts-and-use.md). */
export async function routes(server: HttpServer, parts: ApiParts): Promise<void> {
  await server.register((scope: HttpServer) => {
    uploadRoute(scope, parts);
    return Promise.resolve();
  });
  directoryRoutes(server, parts);
  saveRoute(server, parts);
  showRoute(server, parts);
  changeRoute(server, parts);
  deleteRoute(server, parts);
  rejectsRoute(server, parts);
  usersRoute(server, parts);
  revisionRoutes(server, 'savedAudience', revisionsOfSaved(parts));
  previewRoute(server, parts);
  exactCountRoutes(server, parts);
}

function directoryRoutes(server: HttpServer, parts: ApiParts): void {
  const directory = createAudienceDirectory({ ...parts, listedAudiences: createListedAudienceStore(parts) });
  server.route({
    method: 'GET',
    url: '/audiences',
    config: { role: 'viewer', scope: 'campaign' },
    schema: {
      operationId: 'listAudiences',
      summary: 'List audiences: uploaded lists, segments and saved audiences, the most used first',
      description:
        'Campaigns and saved audiences count as uses alike. Audiences with equal use are sorted by age, newest first. Segments without a ' +
        'use come last, in the order of the segmentation service. If uses change while a client pages, an audience may appear twice or not at all.',
      tags: [tag],
      querystring: listQuery,
      response: { 200: jsonAnswer('A page of audiences', audienceList) },
    },
    handler: (request) => {
      const { q: text, rejected, used, limit, cursor, ...search } = request.query;
      const flags = { hasRejects: asBoolean(rejected), isUsed: asBoolean(used) };
      return directory.list({ ...search, text, ...flags, within: campaignsInScope(request) }, limit, cursor);
    },
  });

  server.route({
    method: 'GET',
    url: '/audiences/counts',
    config: { role: 'viewer', scope: 'campaign' },
    schema: {
      operationId: 'countAudiences',
      summary: 'Count audiences by kind, and those that need attention',
      tags: [tag],
      querystring: z.strictObject(searched),
      response: { 200: jsonAnswer('Numbers of audiences', audienceCounts) },
    },
    handler: (request) => {
      const { q, owner } = request.query;
      return directory.counts({ text: q, owner, within: campaignsInScope(request) });
    },
  });
}

function showRoute(server: HttpServer, parts: ApiParts): void {
  server.route({
    method: 'GET',
    url: '/audiences/:id',
    config: { role: 'viewer', scope: 'campaign' },
    schema: {
      operationId: 'getAudience',
      summary: 'Show an uploaded list or a saved audience',
      tags: [tag],
      params: byId,
      response: { 200: jsonAnswer('The audience', audienceDetail) },
    },
    handler: async ({ params: { id } }, reply) => {
      const named = requireAudienceId(id);
      if (named.kind === 'list') return uploadedAudienceView(await requireList(named, parts));
      const view = savedAudienceView(await requireSaved(named, parts));
      return reply.header('etag', entityTag(view.revision)).send(view);
    },
  });
}

const changeRefusals = {
  ...sourceRefusals,
  'not-of-a-list': 'the audience is a list: description, countries and sources are those of a saved audience',
};

function changeRoute(server: HttpServer, parts: ApiParts): void {
  server.route({
    method: 'PATCH',
    url: '/audiences/:id',
    config: { role: 'manager', scope: 'campaign', refusals: changeRefusals, audit: 'changed an audience' },
    schema: {
      operationId: 'changeAudience',
      summary: 'Change name, owner or retention of a list, or a saved audience as its next revision',
      description:
        'A given field replaces the whole field; null removes a description or an owner. Campaigns that name a list are unchanged, as are ' +
        'campaigns with copies of the sources of a saved audience. `If-Match` is for saved audiences: lists have no revisions.',
      tags: [tag],
      params: byId,
      headers: ifMatchHeaders,
      body: audiencePatch,
      response: {
        200: jsonAnswer(
          'The changed audience; a saved one with warnings',
          z.discriminatedUnion('kind', [uploadedAudience, savedAudienceWithWarnings]),
        ),
      },
    },
    handler: async (request, reply) => {
      const named = requireAudienceId(request.params.id);
      if (named.kind === 'list') return await changeList(request, { ...named, patch: request.body }, parts);
      const changed = await changeSaved(request, { ...named, patch: request.body }, parts);
      return reply.header('etag', entityTag(changed.revision)).send(changed);
    },
  });
}

function deleteRoute(server: HttpServer, parts: ApiParts): void {
  server.route({
    method: 'DELETE',
    url: '/audiences/:id',
    config: { role: 'manager', scope: 'campaign', audit: 'deleted an audience' },
    schema: {
      operationId: 'deleteAudience',
      summary: 'Delete an uploaded list, or a saved audience with all of its revisions',
      description:
        'A list that a saved audience, or a campaign that is scheduled or running, names is not deleted. A saved audience can always be ' +
        'deleted: campaigns have copies of its sources. Deleting an audience again has no effect.',
      tags: [tag],
      params: byId,
      response: { 204: z.null().describe('It does not exist any more'), ...problems(409) },
    },
    handler: async (request, reply) => {
      const named = requireAudienceId(request.params.id);
      await (named.kind === 'list' ? deleteList(named, parts) : deleteSaved(request, named, parts));
      return reply.code(204).send(null);
    },
  });
}

/**
 * Returns the kind of an audience, which the prefix of its id determines.
 * @throws {HttpProblem} 404, also for a malformed id
 */
function requireAudienceId(id: string): { kind: 'list' | 'saved'; id: string; uuid: string } {
  const listId = uuidOf('audience', id);
  if (listId !== undefined) return { kind: 'list', id, uuid: listId };
  const savedId = uuidOf('savedAudience', id);
  if (savedId !== undefined) return { kind: 'saved', id, uuid: savedId };
  throw notFound('audience', id);
}
