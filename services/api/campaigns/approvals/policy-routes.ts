import { approvalPolicy, writtenPolicy } from '../../../../shared/contracts/campaigns/approvals.ts';
import { callerOf } from '../../access/scopes.ts';
import { entityTag, expectedRevision, ifMatchHeaders, revisedSince } from '../../frame/if-match.ts';
import { jsonAnswer, problems } from '../../frame/document/answer-shapes.ts';
import type { HttpServer } from '../../frame/server/create-http-server.ts';
import type { ApprovalRoutesDeps } from './approval-routes.ts';
import type { PolicyRecord } from './approval-desk.port.ts';

const tags = ['approvals'];

export function policyRoutes(server: HttpServer, { approvals }: ApprovalRoutesDeps): void {
  server.route({
    method: 'GET',
    url: '/approval-policy',
    config: { role: 'viewer', scope: 'none' },
    schema: {
      operationId: 'getApprovalPolicy',
      summary: 'Show the approval policy: from which size on, how many people have to approve',
      tags,
      response: { 200: jsonAnswer('The policy', approvalPolicy) },
    },
    handler: async (_request, reply) => {
      const policy = await approvals.policy();
      return reply.header('etag', entityTag(policy.revision)).send(policyView(policy));
    },
  });

  server.route({
    method: 'PUT',
    url: '/approval-policy',
    config: { role: 'operator', scope: 'installation', audit: 'set the approval policy' },
    schema: {
      operationId: 'setApprovalPolicy',
      summary: 'Set the approval policy',
      description:
        'A run is judged by the policy that is in force when it begins; runs that are under way are not ' +
        'judged again. Without rules, no approval is required.',
      tags,
      headers: ifMatchHeaders,
      body: writtenPolicy,
      response: { 200: jsonAnswer('The policy as it is now', approvalPolicy), ...problems(412) },
    },
    handler: async (request, reply) => {
      const expected = expectedRevision(request.headers['if-match']);
      const { rules, approversSignIn } = request.body;
      const before = await approvals.policy();
      const isOther = before.approversSignIn !== approversSignIn;
      request.auditDetail = { from: before.rules, to: rules, ...(isOther && { approversSignIn }) };
      const policy = await approvals.setPolicy({ rules, approversSignIn }, expected, callerOf(request).key);
      if (!policy) throw revisedSince('the policy', (await approvals.policy()).revision);
      return reply.header('etag', entityTag(policy.revision)).send(policyView(policy));
    },
  });
}

function policyView({ revision, rules, approversSignIn, madeAt }: PolicyRecord) {
  const ruleViews = rules.map(({ countries, ...rule }) => ({
    ...rule,
    ...(countries && { countries: [...countries] }),
  }));
  return { revision, rules: ruleViews, approversSignIn, madeAt: madeAt?.toISOString() ?? null };
}
