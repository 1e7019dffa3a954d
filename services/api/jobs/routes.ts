import type { ApiParts } from '../api-parts.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { acceptRoutes } from './accept/accept-routes.ts';
import { jobChangeRoutes } from './job-change-routes.ts';
import { jobListRoutes } from './job-list-routes.ts';
import { jobRoutes } from './job-routes.ts';
import { reportRoutes } from './report-routes.ts';

export const tags = [{ name: 'jobs', description: 'One-off callbacks' }];

export async function routes(server: HttpServer, parts: ApiParts): Promise<void> {
  await acceptRoutes(server, parts);
  jobRoutes(server, parts);
  jobListRoutes(server, parts);
  jobChangeRoutes(server, parts);
  reportRoutes(server, parts);
}
