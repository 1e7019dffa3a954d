import type { ApiParts } from '../../api-parts.ts';
import type { HttpServer } from '../../frame/server/create-http-server.ts';
import { approvalRoutes } from './approval-routes.ts';
import { approvalVerbs } from '../approval-verbs.ts';
import { policyRoutes } from './policy-routes.ts';

export const tags = [{ name: 'approvals', description: 'The approval policy, and approvals of campaigns and runs' }];

export function routes(server: HttpServer, parts: ApiParts): void {
  policyRoutes(server, parts);
  approvalRoutes(server, parts);
  approvalVerbs(server, parts);
}
