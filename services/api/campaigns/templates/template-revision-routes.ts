import { z } from 'zod';
import { listedRevision, revisionDiff } from '../../../../shared/contracts/campaigns/campaign-revisions.ts';
import { template, templateDefinition, templateRevision } from '../../../../shared/contracts/campaigns/templates.ts';
import { inFieldOrder, placeOfRevision, revisionNumber } from '../revision-parts.ts';
import { notFound } from '../../frame/http-problem.ts';
import { idempotentHeaders } from '../../frame/server/idempotency.ts';
import { entityTag, ifMatchHeaders } from '../../frame/if-match.ts';
import { pageQuery, pageShape } from '../../frame/pages.contract.ts';
import { jsonAnswer } from '../../frame/document/answer-shapes.ts';
import type { HttpServer } from '../../frame/server/create-http-server.ts';
import type { TemplateStore } from './postgres/template-store.ts';
import { redefined, requireRevision, requireTemplate, type TemplateRoutesDeps } from './template-routes.ts';
import { templateView } from './template-view.ts';

const byId = z.object({ id: z.string().describe('tpl_…') });
const byRevision = byId.extend({ revision: revisionNumber });
const tags = ['templates'];

export function templateRevisionRoutes(server: HttpServer, deps: TemplateRoutesDeps): void {
  listRoute(server, deps);
  showRoute(server, deps);
  diffRoute(server, deps);
  restoreRoute(server, deps);
}

function listRoute(server: HttpServer, { templates }: TemplateRoutesDeps): void {
  server.route({
    method: 'GET',
    url: '/templates/:id/revisions',
    config: { role: 'viewer', scope: 'campaign' },
    schema: {
      operationId: 'listTemplateRevisions',
      summary: 'List the revisions of a template, the newest first',
      tags,
      params: byId,
      querystring: pageQuery,
      response: { 200: jsonAnswer('A page of revisions', pageShape(listedRevision)) },
    },
    handler: async ({ params: { id }, query: { limit, cursor } }) => {
      const { templateId } = await requireTemplate(id, templates);
      const { items, next } = await templates.revisions(templateId, limit, placeOfRevision(cursor));
      return {
        items: items.map((item) => ({ ...item, createdAt: item.createdAt.toISOString() })),
        next: next === null ? null : String(next),
      };
    },
  });
}

function showRoute(server: HttpServer, { templates }: TemplateRoutesDeps): void {
  server.route({
    method: 'GET',
    url: '/templates/:id/revisions/:revision',
    config: { role: 'viewer', scope: 'campaign' },
    schema: {
      operationId: 'getTemplateRevision',
      summary: 'Show a revision of a template',
      tags,
      params: byRevision,
      response: { 200: jsonAnswer('The revision', templateRevision) },
    },
    handler: async ({ params: { id, revision } }) => {
      const { templateId } = await requireTemplate(id, templates);
      const { createdAt, ...found } = await revisionOf(templateId, revision, templates);
      return { ...found, createdAt: createdAt.toISOString() };
    },
  });
}

function diffRoute(server: HttpServer, { templates }: TemplateRoutesDeps): void {
  server.route({
    method: 'GET',
    url: '/templates/:id/revisions/:revision/diff',
    config: { role: 'viewer', scope: 'campaign' },
    schema: {
      operationId: 'diffTemplateRevisions',
      summary: 'What differs between two revisions of a template, field by field',
      tags,
      params: byRevision,
      querystring: z.strictObject({ to: revisionNumber.optional().describe('The newest one when absent') }),
      response: { 200: jsonAnswer('What differs', revisionDiff) },
    },
    handler: async ({ params: { id, revision: from }, query }) => {
      const { templateId, revision: newest } = await requireTemplate(id, templates);
      const to = query.to ?? newest;
      const before = await revisionOf(templateId, from, templates);
      const after = await revisionOf(templateId, to, templates);
      const fields = Object.keys(templateDefinition.shape);
      return { from, to, differences: inFieldOrder(fields, before.definition, after.definition) };
    },
  });
}

function restoreRoute(server: HttpServer, deps: TemplateRoutesDeps): void {
  server.route({
    method: 'POST',
    url: '/templates/:id/revisions/:revision/restore',
    config: { role: 'manager', scope: 'campaign', audit: 'restored a revision of a template' },
    schema: {
      operationId: 'restoreTemplateRevision',
      summary: 'Give a template what it was in an earlier revision',
      description: 'As its next revision, checked as a change is. Where it is so already, nothing is changed.',
      tags,
      params: byRevision,
      headers: idempotentHeaders.extend(ifMatchHeaders.shape),
      response: { 200: jsonAnswer('The template as it is now', template) },
    },
    handler: async (request, reply) => {
      const { id, revision } = request.params;
      const before = await requireTemplate(id, deps.templates);
      const { definition } = await revisionOf(before.templateId, revision, deps.templates);
      requireRevision(id, before, request.headers['if-match']);
      request.auditDetail = { restored: revision };
      const isSame = inFieldOrder([], before.definition, definition).length === 0;
      const view = templateView(isSame ? before : await redefined(request, before, definition, deps));
      return reply.header('etag', entityTag(view.revision)).send(view);
    },
  });
}

async function revisionOf(templateId: string, revision: number, templates: TemplateStore) {
  const found = await templates.revision(templateId, revision);
  if (!found) throw notFound('revision', String(revision));
  return found;
}
