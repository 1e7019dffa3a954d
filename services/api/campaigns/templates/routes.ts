import type { ApiParts } from '../../api-parts.ts';
import type { HttpServer } from '../../frame/server/create-http-server.ts';
import { revisionRoutes } from '../../revisions/revision-routes.ts';
import { createTemplateStore } from './postgres/template-store.ts';
import { templateCampaignRoutes } from './template-campaign-routes.ts';
import { revisionsOfTemplates } from './template-revisions.ts';
import { templateRoutes } from './template-routes.ts';

export const tags = [{ name: 'templates', description: 'Definitions of campaigns with variables' }];

export function routes(server: HttpServer, parts: ApiParts): void {
  const deps = { ...parts, templates: createTemplateStore(parts) };
  templateRoutes(server, deps);
  revisionRoutes(server, 'template', revisionsOfTemplates(deps));
  templateCampaignRoutes(server, deps);
}
