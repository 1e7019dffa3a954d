import type { ApiParts } from '../../frame/frame-module.ts';
import type { HttpServer } from '../../frame/server/create-http-server.ts';
import { approvalRoutes } from './approval-routes.ts';
import { approvalVerbs, type ApprovalVerbsDeps } from './approval-verbs.ts';
import { policyRoutes } from './policy-routes.ts';
import { createApprovalDesk } from './postgres/approval-desk.ts';

/** Who has to approve what, and who has. */
export function approvalsModule({ pool }: Pick<ApiParts, 'pool'>) {
  return { approvals: createApprovalDesk({ pool }) };
}

export function approvalsRoutes(server: HttpServer, deps: ApprovalVerbsDeps): void {
  policyRoutes(server, deps);
  approvalRoutes(server, deps);
  approvalVerbs(server, deps);
}
