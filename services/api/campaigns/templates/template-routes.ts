import type { FastifyRequest } from 'fastify';
import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import {
  template,
  templateDefinition,
  templatePatch,
  type TemplateDefinition,
  templateRefusals,
} from '../../../../shared/contracts/campaigns/templates.ts';
import { publicId } from '../../../../shared/domain/ids/ids.ts';
import type { Clock } from '../../../../shared/ports/clock.ts';
import { callerOf, campaignsInScope, requireCampaignInScope } from '../../access/scopes.ts';
import type { CatalogueReader } from '../../frame/catalogue-reader.ts';
import { invalidRequest, notFound } from '../../frame/http-problem.ts';
import { idempotentHeaders } from '../../frame/server/idempotency.ts';
import { entityTag, ifMatchHeaders, requireRevision, requireWritten } from '../../frame/if-match.ts';
import { pageQuery, pageShape } from '../../frame/pages.contract.ts';
import { cursorInQuery, pageView, requireId } from '../../frame/public-ids.ts';
import { jsonAnswer } from '../../frame/document/answer-shapes.ts';
import { rawBody, type HttpServer } from '../../frame/server/create-http-server.ts';
import { checkTemplate } from './check-template.ts';
import { literalReach } from './literal-reach.ts';
import type { TemplateRecord, TemplateStore } from './postgres/template-store.ts';
import { templateView } from './template-view.ts';

export interface TemplateRoutesDeps {
  templates: TemplateStore;
  catalogue: CatalogueReader;
  clock: Clock;
}

const byId = z.object({ id: z.string().describe('tpl_…') });
const tags = ['templates'];

export function templateRoutes(server: HttpServer, deps: TemplateRoutesDeps): void {
  createRoute(server, deps);
  listRoute(server, deps);
  showRoute(server, deps);
  changeRoute(server, deps);
  deleteRoute(server, deps);
}

function createRoute(server: HttpServer, deps: TemplateRoutesDeps): void {
  server.route({
    method: 'POST',
    url: '/templates',
    config: { role: 'manager', scope: 'campaign', refusals: templateRefusals, audit: 'created a template' },
    schema: {
      operationId: 'createTemplate',
      summary: 'Create a template: a definition of a campaign in which values are variables',
      description:
        '`{ "$variable": "reward" }` stands for a whole value. Values without a variable are checked now, ' +
        'the others when a campaign is created from the template. With an `Idempotency-Key`, a repeat ' +
        'creates nothing.',
      tags,
      headers: idempotentHeaders,
      body: templateDefinition,
      response: { 201: jsonAnswer('The template that was created', template) },
    },
    validatorCompiler: rawBody,
    handler: async (request, reply) => {
      const definition = await checkedTemplate(request, request.body, deps);
      const { account } = callerOf(request);
      const id = request.begun?.createdId ?? uuidv7();
      const view = templateView(await deps.templates.create(id, definition, account));
      return reply.code(201).header('location', view.links.self).send(view);
    },
  });
}

function listRoute(server: HttpServer, { templates }: TemplateRoutesDeps): void {
  server.route({
    method: 'GET',
    url: '/templates',
    config: { role: 'viewer', scope: 'campaign' },
    schema: {
      operationId: 'listTemplates',
      summary: 'List templates, the newest first',
      tags,
      querystring: pageQuery.extend({ q: z.string().trim().max(200).optional().describe('Part of the name') }),
      response: { 200: jsonAnswer('A page of templates', pageShape(template)) },
    },
    handler: async (request) => {
      const { q, limit, cursor } = request.query;
      const wanted = { text: q, within: campaignsInScope(request) };
      return pageView('template', await templates.page(wanted, limit, cursorInQuery('template', cursor)), templateView);
    },
  });
}

function showRoute(server: HttpServer, { templates }: TemplateRoutesDeps): void {
  server.route({
    method: 'GET',
    url: '/templates/:id',
    config: { role: 'viewer', scope: 'campaign' },
    schema: {
      operationId: 'getTemplate',
      summary: 'Show a template',
      tags,
      params: byId,
      response: { 200: jsonAnswer('The template', template) },
    },
    handler: async ({ params: { id } }, reply) => {
      const view = templateView(await requireTemplate(id, templates));
      return reply.header('etag', entityTag(view.revision)).send(view);
    },
  });
}

function changeRoute(server: HttpServer, deps: TemplateRoutesDeps): void {
  server.route({
    method: 'PATCH',
    url: '/templates/:id',
    config: { role: 'manager', scope: 'campaign', refusals: templateRefusals, audit: 'changed a template' },
    schema: {
      operationId: 'changeTemplate',
      summary: 'Change a template, as its next revision',
      description:
        'A given field replaces the whole field. Campaigns that were created from the template are unchanged.',
      tags,
      params: byId,
      headers: ifMatchHeaders,
      body: templatePatch,
      response: { 200: jsonAnswer('The template as it is now', template) },
    },
    // The body is not validated before the handler, because the handler validates the changed template.
    validatorCompiler: rawBody,
    handler: async (request, reply) => {
      const before = await requireTemplate(request.params.id, deps.templates);
      requireRevision(request.params.id, before, request.headers['if-match']);
      const fields = z.record(z.string(), z.unknown()).safeParse(request.body).data;
      const wanted = fields ? { ...before.definition, ...fields } : request.body;
      const view = templateView(await redefineTemplate(request, before, wanted, deps));
      return reply.header('etag', entityTag(view.revision)).send(view);
    },
  });
}

function deleteRoute(server: HttpServer, { templates }: TemplateRoutesDeps): void {
  server.route({
    method: 'DELETE',
    url: '/templates/:id',
    config: { role: 'manager', scope: 'campaign', audit: 'deleted a template' },
    schema: {
      operationId: 'deleteTemplate',
      summary: 'Delete a template, with all of its revisions',
      description: 'Campaigns that were created from the template are unchanged. Deleting it again changes nothing.',
      tags,
      params: byId,
      response: { 204: z.null().describe('It does not exist any more') },
    },
    handler: async (request, reply) => {
      const templateId = requireId('template', request.params.id);
      const before = await templates.get(templateId);
      if (before) request.auditDetail = { name: before.definition.name, revision: before.revision };
      await templates.delete(templateId);
      return reply.code(204).send(null);
    },
  });
}

/**
 * Returns the valid template.
 * @throws {HttpProblem} 422 with all problems; 403 for countries or actions beyond the scope of the caller's key
 */
async function checkedTemplate(
  request: FastifyRequest,
  body: unknown,
  { catalogue, clock }: TemplateRoutesDeps,
): Promise<TemplateDefinition> {
  const checked = checkTemplate(body, await catalogue.refresh(), clock.now());
  if (!checked.ok) throw invalidRequest(checked.problems, checked.more);
  requireCampaignInScope(request, literalReach(checked.value.campaign));
  return checked.value;
}

/** Stores the next revision. @throws {HttpProblem} 412 if the template has another revision by now */
export async function redefineTemplate(
  request: FastifyRequest,
  { templateId, revision }: TemplateRecord,
  wanted: unknown,
  deps: TemplateRoutesDeps,
): Promise<TemplateRecord> {
  const definition = await checkedTemplate(request, wanted, deps);
  const redefined = await deps.templates.redefine(templateId, definition, revision, callerOf(request).account);
  if (!redefined) throw notFound('template', publicId('template', templateId));
  return requireWritten('the template', redefined);
}

/**
 * Returns the template whose id is in the path of a request.
 * @throws {HttpProblem} 404
 */
export async function requireTemplate(id: string, templates: TemplateStore): Promise<TemplateRecord> {
  const record = await templates.get(requireId('template', id));
  if (!record) throw notFound('template', id);
  return record;
}
