import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import {
  savedAudience,
  savedAudienceDefinition,
  savedAudienceEstimate,
  savedAudiencePatch,
  savedAudienceWithWarnings,
  type SavedAudienceDefinition,
} from '../../../../shared/contracts/campaigns/saved-audiences.ts';
import { callerOf, campaignsInScope } from '../../access/scopes.ts';
import { withoutAbsent } from '../../campaigns/about-parts.ts';
import { askSources } from '../ask/ask-sources.ts';
import { refuseFields } from '../../campaigns/refusals.ts';
import type { ApiParts } from '../../api-parts.ts';
import { invalidRequest } from '../../frame/http-problem.ts';
import { idempotentHeaders } from '../../frame/server/idempotency.ts';
import { entityTag, ifMatchHeaders, requireRevision } from '../../frame/if-match.ts';
import { pageQuery, pageShape } from '../../frame/pages.contract.ts';
import { cursorInQuery, pageView } from '../../frame/public-ids.ts';
import { jsonAnswer, problems } from '../../frame/document/answer-shapes.ts';
import { checkShape } from '../../frame/server/check-shape.ts';
import { bodyAsItCame, type HttpServer } from '../../frame/server/create-http-server.ts';
import { revisionRoutes } from '../../revisions/revision-routes.ts';
import { redefineSaved, refuseGone, remember, requireSaved, requireSavedId, requireUsable } from './redefine-saved.ts';
import { revisionsOfSaved } from './saved-audience-revisions.ts';
import { savedAudienceView, savedEstimateView } from './saved-audience-view.ts';
import { sourceRefusals } from '../../../../shared/contracts/campaigns/campaigns.ts';
import { textShape } from '../../../../shared/contracts/stored-texts.ts';

const byId = z.object({ id: z.string().describe('sav_…') });
const tags = ['audiences'];

const listQuery = pageQuery.extend({
  q: z.string().trim().max(200).optional().describe('Part of the name'),
  list: textShape(200).optional().describe('aud_…: those that take it in or leave it out'),
  segment: textShape(200).optional().describe('The same of a segment'),
});

/** Registers the routes of saved audiences: combinations of sources with a name, which campaigns copy. */
export function routes(server: HttpServer, parts: ApiParts): void {
  createRoute(server, parts);
  listRoute(server, parts);
  showRoute(server, parts);
  estimateRoute(server, parts);
  changeRoute(server, parts);
  deleteRoute(server, parts);
  revisionRoutes(server, 'savedAudience', revisionsOfSaved(parts));
}

function createRoute(server: HttpServer, deps: ApiParts): void {
  server.route({
    method: 'POST',
    url: '/saved-audiences',
    config: { role: 'manager', scope: 'campaign', refusals: sourceRefusals, audit: 'saved an audience' },
    schema: {
      operationId: 'createSavedAudience',
      summary: 'Save a combination of sources under a name',
      description:
        'Campaigns take it by copying it, and remember which revision of it. With an `Idempotency-Key`, a repeat creates nothing.',
      tags,
      headers: idempotentHeaders,
      body: savedAudienceDefinition,
      response: { 201: jsonAnswer('The saved audience', savedAudienceWithWarnings) },
    },
    handler: async (request, reply) => {
      const { begun, body } = request;
      const asked = await requireUsable(request, body, deps);
      const { account } = callerOf(request);
      const record = await deps.savedAudiences.create(begun?.createdId ?? uuidv7(), body, account);
      if (record === 'list-gone') return refuseGone(request, body, deps);
      await remember(record, asked, deps);
      const view = savedAudienceView(record);
      return reply
        .code(201)
        .header('location', view.links.self)
        .send({ ...view, warnings: asked.warnings });
    },
  });
}

function listRoute(server: HttpServer, { savedAudiences }: ApiParts): void {
  server.route({
    method: 'GET',
    url: '/saved-audiences',
    config: { role: 'viewer', scope: 'campaign' },
    schema: {
      operationId: 'listSavedAudiences',
      summary: 'List saved audiences, newest first',
      tags,
      querystring: listQuery,
      response: { 200: jsonAnswer('A page of saved audiences', pageShape(savedAudience)) },
    },
    handler: async (request) => {
      const { q, list, segment, limit, cursor } = request.query;
      const search = { text: q, list, segment, within: campaignsInScope(request) };
      const page = await savedAudiences.page(search, limit, cursorInQuery('savedAudience', cursor));
      return pageView('savedAudience', page, savedAudienceView);
    },
  });
}

function showRoute(server: HttpServer, deps: ApiParts): void {
  server.route({
    method: 'GET',
    url: '/saved-audiences/:id',
    config: { role: 'viewer', scope: 'campaign' },
    schema: {
      operationId: 'getSavedAudience',
      summary: 'Show a saved audience, and what uses it',
      tags,
      params: byId,
      response: { 200: jsonAnswer('The saved audience', savedAudience) },
    },
    handler: async ({ params: { id } }, reply) => {
      const view = savedAudienceView(await requireSaved(id, deps));
      return reply.header('etag', entityTag(view.revision)).send(view);
    },
  });
}

function estimateRoute(server: HttpServer, deps: ApiParts): void {
  server.route({
    method: 'POST',
    url: '/saved-audiences/:id/estimate',
    // Every key may read the audience, and a preview of a campaign with it computes the same result.
    config: {
      role: 'manager',
      scope: 'calculation',
      refusals: sourceRefusals,
      audit: 'asked how many users a saved audience has',
    },
    schema: {
      operationId: 'estimateSavedAudience',
      summary: 'Ask how many users a saved audience has now',
      description:
        'What each source says by country, and what follows for all of them. Nothing of it is changed; the list of all audiences shows ' +
        'what was estimated last.',
      tags,
      params: byId,
      response: { 200: jsonAnswer('The estimate', savedAudienceEstimate), ...problems(422) },
    },
    handler: async (request) => {
      request.isPreview = true;
      refuseFields(request.body);
      const record = await requireSaved(request.params.id, deps);
      const asked = await askSources(record.definition, deps);
      if (asked.problems.length > 0) throw invalidRequest(asked.problems);
      await remember(record, asked, deps);
      return savedEstimateView(record, asked, deps.clock.now());
    },
  });
}

function changeRoute(server: HttpServer, deps: ApiParts): void {
  server.route({
    method: 'PATCH',
    url: '/saved-audiences/:id',
    config: { role: 'manager', scope: 'campaign', refusals: sourceRefusals, audit: 'changed a saved audience' },
    schema: {
      operationId: 'changeSavedAudience',
      summary: 'Change a saved audience, as its next revision',
      description:
        'A field that is given takes the place of the whole field before; null takes a description or an owner away. Campaigns that ' +
        'took it stay as they are: they have copies of its sources.',
      tags,
      params: byId,
      headers: ifMatchHeaders,
      body: savedAudiencePatch,
      response: { 200: jsonAnswer('The saved audience as it is now', savedAudienceWithWarnings) },
    },
    // Leaves validation to the handler, which checks the changed definition.
    validatorCompiler: bodyAsItCame,
    handler: async (request, reply) => {
      const { id } = request.params;
      const before = await requireSaved(id, deps);
      requireRevision(id, before, request.headers['if-match']);
      const wanted = changed(before.definition, request.body);
      const { record, warnings } = await redefineSaved(request, before, wanted, deps);
      request.auditDetail = { name: record.definition.name, revision: record.revision };
      return reply.header('etag', entityTag(record.revision)).send({ ...savedAudienceView(record), warnings });
    },
  });
}

function deleteRoute(server: HttpServer, { savedAudiences }: ApiParts): void {
  server.route({
    method: 'DELETE',
    url: '/saved-audiences/:id',
    config: { role: 'manager', scope: 'campaign', audit: 'deleted a saved audience' },
    schema: {
      operationId: 'deleteSavedAudience',
      summary: 'Delete a saved audience, with all of its revisions',
      description:
        'Whoever took it stays as it is: campaigns and templates have copies of its sources, and none is looked up here. Deleting it again ' +
        'changes nothing.',
      tags,
      params: byId,
      response: { 204: z.null().describe('It is gone') },
    },
    handler: async (request, reply) => {
      const savedAudienceId = requireSavedId(request.params.id);
      const before = await savedAudiences.get(savedAudienceId);
      if (before) request.auditDetail = { name: before.definition.name, revision: before.revision };
      await savedAudiences.delete(savedAudienceId);
      return reply.code(204).send(null);
    },
  });
}

/** @throws {HttpProblem} 422 */
function changed(before: SavedAudienceDefinition, patch: unknown): SavedAudienceDefinition {
  const fields = z.record(z.string(), z.unknown()).safeParse(patch).data;
  const checked = checkShape(savedAudienceDefinition, fields ? withoutAbsent({ ...before, ...fields }) : patch);
  if (!checked.ok) throw invalidRequest(checked.problems, checked.more);
  return checked.value;
}
