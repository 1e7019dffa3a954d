import type { ApiParts } from '../../frame/frame-module.ts';
import type { HttpServer } from '../../frame/server/create-http-server.ts';
import { createTemplateStore } from './postgres/template-store.ts';
import { templateCampaignRoutes, type TemplateCampaignRoutesDeps } from './template-campaign-routes.ts';
import { templateRevisionRoutes } from './template-revision-routes.ts';
import { templateRoutes } from './template-routes.ts';

/** Definitions of campaigns with variables (docs/decisions/0081-templates.md). */
export function templatesModule({ pool, config }: Pick<ApiParts, 'pool' | 'config'>) {
  return { templates: createTemplateStore({ pool, quotas: config.quotas }) };
}

export function templatesRoutes(server: HttpServer, deps: TemplateCampaignRoutesDeps): void {
  templateRoutes(server, deps);
  templateRevisionRoutes(server, deps);
  templateCampaignRoutes(server, deps);
}
