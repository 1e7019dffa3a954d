import type { ApiParts } from '../api-parts.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { revisionRoutes } from '../revisions/revision-routes.ts';
import { archiveRoutes } from './archive-routes.ts';
import { revisionsOfCampaigns } from './campaign-revisions.ts';
import { campaignRoutes } from './campaign-routes.ts';
import { cloneRoutes } from './clone-routes.ts';
import { draftRoutes } from './draft-routes.ts';
import { createCampaignArchive } from './postgres/campaign-archive.ts';

export const tags = [{ name: 'campaigns', description: 'Definition, start and archive of campaigns' }];

export function routes(server: HttpServer, parts: ApiParts): void {
  const { pool } = parts;
  campaignRoutes(server, parts);
  draftRoutes(server, parts);
  archiveRoutes(server, { ...parts, campaignArchive: createCampaignArchive({ pool }) });
  cloneRoutes(server, parts);
  revisionRoutes(server, 'campaign', revisionsOfCampaigns(parts));
}
