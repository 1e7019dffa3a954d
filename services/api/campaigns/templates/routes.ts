import type { ApiParts } from '../../api-parts.ts';
import type { HttpServer } from '../../frame/server/create-http-server.ts';
import { createTemplateStore } from './postgres/template-store.ts';
import { templateCampaignRoutes } from './template-campaign-routes.ts';
import { templateRevisionRoutes } from './template-revision-routes.ts';
import { templateRoutes } from './template-routes.ts';

export const tags = [{ name: 'templates', description: 'What campaigns are made from' }];

export function routes(server: HttpServer, parts: ApiParts): void {
  const deps = { ...parts, templates: createTemplateStore(parts) };
  templateRoutes(server, deps);
  templateRevisionRoutes(server, deps);
  templateCampaignRoutes(server, deps);
}
