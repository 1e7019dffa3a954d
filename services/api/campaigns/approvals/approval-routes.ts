import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { approvalShape } from '../../../../shared/contracts/campaigns/approvals.ts';
import { approvalStates } from '../../../../shared/domain/approval/approval-states.ts';
import { callerOf, campaignsInScope } from '../../access/scopes.ts';
import { notFound } from '../../frame/http-problem.ts';
import { pageQuery, pageShape } from '../../frame/pages.contract.ts';
import { cursorInQuery, idInQuery, pageView, requireId } from '../../frame/public-ids.ts';
import { jsonAnswer } from '../../frame/document/answer-shapes.ts';
import type { HttpServer } from '../../frame/server/create-http-server.ts';
import type { ApprovalDesk } from './approval-desk.port.ts';
import { approvalView, type ApprovalReader } from './approval-view.ts';
import { idPattern } from '../../../../shared/domain/ids/ids.ts';

export interface ApprovalRoutesDeps {
  approvals: ApprovalDesk;
}

const tags = ['approvals'];

export function approvalRoutes(server: HttpServer, { approvals }: ApprovalRoutesDeps): void {
  server.route({
    method: 'GET',
    url: '/approvals',
    config: { role: 'viewer', scope: 'campaign' },
    schema: {
      operationId: 'listApprovals',
      summary: 'List approvals, newest first: waiting ones and decided ones',
      tags,
      querystring: pageQuery.extend({
        state: z.enum(approvalStates).optional(),
        campaignId: z
          .string()
          .optional()
          .describe('cmp_…')
          .meta({ pattern: idPattern('campaign') }),
        runId: z
          .string()
          .optional()
          .describe('run_…')
          .meta({ pattern: idPattern('run') }),
      }),
      response: { 200: jsonAnswer('A page of approvals', pageShape(approvalShape)) },
    },
    handler: async (request) => {
      const { state, campaignId, runId, limit, cursor } = request.query;
      const search = {
        state,
        campaignId: idInQuery('campaign', 'campaignId', campaignId),
        runId: idInQuery('run', 'runId', runId),
        within: campaignsInScope(request),
      };
      const page = await approvals.list(search, limit, cursorInQuery('approval', cursor));
      const reader = await readerOf(request);
      return pageView('approval', page, (listed) => approvalView(listed, reader));
    },
  });

  server.route({
    method: 'GET',
    url: '/approvals/:id',
    config: { role: 'viewer', scope: 'campaign' },
    schema: {
      operationId: 'getApproval',
      summary: 'Show what an approval covers, what the previous one covered, and who has approved it',
      tags,
      params: z.object({ id: z.string().describe('apr_…') }),
      response: { 200: jsonAnswer('The approval', approvalShape) },
    },
    handler: async (request) => {
      const { id } = request.params;
      const listed = await approvals.get(requireId('approval', id));
      if (!listed) throw notFound('approval', id);
      return approvalView(listed, await readerOf(request));
    },
  });

  async function readerOf(request: FastifyRequest): Promise<ApprovalReader> {
    const caller = callerOf(request);
    const [holder, { approversSignIn }] = await Promise.all([approvals.holder(caller.key), approvals.policy()]);
    return { caller, holder, approversSignIn };
  }
}
