import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { approvalSummary, type ExpectedUsers } from '../../../shared/contracts/campaigns/approval-summary.ts';
import { approving, sendingBack, submission } from '../../../shared/contracts/campaigns/approvals.ts';
import type { FieldProblem } from '../../../shared/contracts/field-problems.ts';
import { withHeadroom, type UsersByCountry } from '../../../shared/domain/approval/user-bounds.ts';
import { callerOf } from '../access/scopes.ts';
import { askSources, type AskSourcesDeps } from '../campaigns/ask-sources.ts';
import { refuseArchived, refuseFields } from '../campaigns/refusals.ts';
import type { CampaignRecord, CampaignStore } from '../campaigns/campaign-store.port.ts';
import { countryEstimates } from '../campaigns/estimate-view.ts';
import { invalidRequest, notFound, quoted } from '../frame/http-problem.ts';
import { idempotentHeaders } from '../frame/idempotency.ts';
import { requireId } from '../frame/public-ids.ts';
import { jsonAnswer, problems } from '../frame/server/answer-shapes.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import type { ApprovalDesk, Decided } from './approval-desk.port.ts';
import { refusalOf } from './approval-problems.ts';
import { approvalSummaryView } from './approval-view.ts';

export interface ApprovalVerbsDeps extends AskSourcesDeps {
  approvals: ApprovalDesk;
  campaigns: CampaignStore;
}

const common = {
  tags: ['approvals'],
  headers: idempotentHeaders,
  params: z.object({ id: z.string().describe('cmp_…') }),
};
const answer = { 200: jsonAnswer('The approval as it is now', approvalSummary), ...problems(409) };

/** Maker and checker: what people do with approvals of campaigns and their runs. */
export function approvalVerbs(server: HttpServer, deps: ApprovalVerbsDeps): void {
  submitRoute(server, deps);
  approveRoute(server, deps);
  sendBackRoute(server, deps);
  withdrawRoute(server, deps);
}

function submitRoute(server: HttpServer, deps: ApprovalVerbsDeps): void {
  const { approvals, campaigns } = deps;
  server.route({
    method: 'POST',
    url: '/campaigns/:id/submit',
    config: { role: 'manager', scope: 'campaign' },
    schema: {
      operationId: 'submitCampaign',
      summary: 'Ask for the approval of a campaign as it is',
      description:
        'It covers everything but the name, and so many users at most in each country. Submitting the same again changes nothing; with other ' +
        'numbers, what was submitted before is void. 409 `no-approval-needed` where no rule asks for any.',
      ...common,
      body: submission.nullish(),
      response: { ...answer, ...problems(422) },
    },
    handler: async (request) => {
      const { id } = request.params;
      const campaign = await campaigns.get(requireId('campaign', id));
      if (!campaign) throw notFound('campaign', id);
      refuseArchived(campaign);
      const { usersAtMost, expected } = await boundsOf(campaign, request.body?.usersAtMost ?? {}, deps);
      request.auditDetail = { usersAtMost };
      return answerOf(request, id, await approvals.submit({ campaign, usersAtMost, expected, by: callerOf(request) }));
    },
  });
}

function approveRoute(server: HttpServer, { approvals }: ApprovalVerbsDeps): void {
  server.route({
    method: 'POST',
    url: '/campaigns/:id/approve',
    config: { role: 'approver', scope: 'campaign' },
    schema: {
      operationId: 'approveCampaign',
      summary: 'Approve what was submitted, by its hash',
      description:
        'By a key whose owner has neither written nor submitted it; keys of one owner are one person. Where the last approval that it needs is ' +
        'of a run, that goes on. 409 `revision-changed` where something else waits by now.',
      ...common,
      body: approving,
      response: answer,
    },
    handler: async (request) => {
      const { id } = request.params;
      const { hash, word = null } = request.body;
      const wanted = { campaignId: requireId('campaign', id), hash, word, by: callerOf(request) };
      request.auditDetail = { hash };
      return answerOf(request, id, await approvals.approve(wanted));
    },
  });
}

function sendBackRoute(server: HttpServer, { approvals }: ApprovalVerbsDeps): void {
  server.route({
    method: 'POST',
    url: '/campaigns/:id/send-back',
    config: { role: 'approver', scope: 'campaign' },
    schema: {
      operationId: 'sendBackCampaign',
      summary: 'Send back what was submitted, with a word to its author',
      description: 'Also of what was approved: then nothing begins by it any more. What runs already goes on.',
      ...common,
      body: sendingBack,
      response: answer,
    },
    handler: async (request) => {
      const { id } = request.params;
      const { hash = null, word } = request.body;
      request.auditDetail = { word };
      return answerOf(request, id, await approvals.sendBack(requireId('campaign', id), hash, word));
    },
  });
}

function withdrawRoute(server: HttpServer, { approvals }: ApprovalVerbsDeps): void {
  server.route({
    method: 'POST',
    url: '/campaigns/:id/withdraw',
    config: { role: 'manager', scope: 'campaign' },
    schema: {
      operationId: 'withdrawCampaign',
      summary: 'Take back what was submitted',
      description: 'Also of what was approved: then nothing begins by it any more.',
      ...common,
      response: answer,
    },
    handler: async (request) => {
      refuseFields(request.body);
      const { id } = request.params;
      return answerOf(request, id, await approvals.withdraw(requireId('campaign', id)));
    },
  });
}

function answerOf(request: FastifyRequest, id: string, decided: Decided) {
  if (decided.kind !== 'done') throw refusalOf(decided, id);
  const view = approvalSummaryView(decided.approval);
  request.auditDetail = { ...request.auditDetail, approval: view.id, state: view.state, hash: view.hash };
  return view;
}

/**
 * Users at most by country: as it is said, else what is expected and a little more. With what is expected.
 * @throws {HttpProblem} 422
 */
async function boundsOf(
  { definition }: CampaignRecord,
  said: UsersByCountry,
  deps: AskSourcesDeps,
): Promise<{ usersAtMost: UsersByCountry; expected: ExpectedUsers }> {
  const { countries } = definition;
  const asked = await askSources(definition, deps);
  const estimates = new Map(countryEstimates(countries, asked.sources).map(({ country, users }) => [country, users]));
  const found = countries.map((country) => {
    const atMost = estimates.get(country)?.atMost ?? null;
    return [country, said[country] ?? (atMost === null ? null : withHeadroom(atMost))] as const;
  });
  const foreign = Object.keys(said).filter((country) => !countries.includes(country));
  const errors: FieldProblem[] = [
    ...asked.problems,
    ...foreign.map((country) => ({
      pointer: `/usersAtMost/${country}`,
      code: 'foreign-country',
      detail: `${quoted(country)} is none of the campaign's countries`,
    })),
    ...found.flatMap(([country, atMost]) =>
      atMost === null
        ? [
            {
              pointer: `/usersAtMost/${country}`,
              code: 'unknown-size',
              detail: `how many users there are in ${country} is not known: say how many may be`,
            },
          ]
        : [],
    ),
  ];
  if (errors.length > 0) throw invalidRequest(errors);
  return {
    usersAtMost: Object.fromEntries(found.map(([country, atMost]) => [country, atMost ?? 0])),
    expected: Object.fromEntries(estimates),
  };
}
