import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { approvalSummary, type ExpectedUsers } from '../../../shared/contracts/campaigns/approval-summary.ts';
import { approving, sendingBack, submission } from '../../../shared/contracts/campaigns/approvals.ts';
import type { FieldProblem } from '../../../shared/contracts/field-problems.ts';
import { withHeadroom, type UsersByCountry } from '../../../shared/domain/approval/user-bounds.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { budgetWords, isInSame, sizeOf } from '../../../shared/domain/run/budgets.ts';
import type { Budget } from '../../../shared/contracts/campaigns/budgets.ts';
import { callerOf } from '../access/scopes.ts';
import { estimateSources, type EstimateSourcesDeps } from '../audiences/estimates/estimate-sources.ts';
import { refuseArchived } from './refusals.ts';
import { refuseFields } from '../frame/server/refuse-fields.ts';
import type { CampaignRecord, CampaignStore } from './campaign-store.port.ts';
import { countryEstimates } from '../audiences/estimates/estimate-view.ts';
import { HttpProblem, invalidRequest, notFound, quoted } from '../frame/http-problem.ts';
import { idempotentHeaders } from '../frame/server/idempotency.ts';
import { requireId } from '../frame/public-ids.ts';
import { jsonAnswer, problems } from '../frame/document/answer-shapes.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import type { ApprovalDesk, Decision } from './approvals/approval-desk.port.ts';
import { decisionProblem } from './approvals/approval-problems.ts';
import { approvalSummaryView } from './approvals/approval-view.ts';

export interface ApprovalVerbsDeps extends EstimateSourcesDeps {
  approvals: ApprovalDesk;
  campaigns: CampaignStore;
}

const common = {
  tags: ['approvals'],
  headers: idempotentHeaders,
  params: z.object({ id: z.string().describe('cmp_…') }),
};
const answer = { 200: jsonAnswer('The approval as it is now', approvalSummary), ...problems(409) };

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
    config: {
      role: 'manager',
      scope: 'campaign',
      audit: 'submitted a campaign for approval',
      refusals: {
        'no-budget': 'the campaign has no budget for the country',
        'repeated-country': 'a country is named twice',
        'foreign-country': 'the campaign does not have the country',
        'no-raise': 'a budget is not raised',
        'other-budget': 'a budget is in the other measure, or in another currency',
        'unknown-size': 'the number of users in a country is unknown, and `usersAtMost` does not name the country',
      },
    },
    schema: {
      operationId: 'submitCampaign',
      summary: 'Submit a campaign for approval',
      description:
        'The approval covers everything except the name, and a maximum number of users in each country. ' +
        'Submitting the same content again changes nothing; with other numbers, the earlier submission ' +
        'becomes void. 409 `no-approval-needed` if no rule requires an approval. With `budgets`, it requests ' +
        'larger budgets for a started campaign. The earlier approval stays in force meanwhile, runs continue ' +
        'within it, and the last approval raises the budgets.',
      ...common,
      body: submission.nullish(),
      response: { ...answer, ...problems(422) },
    },
    handler: async (request) => {
      const { id } = request.params;
      const campaign = await campaigns.get(requireId('campaign', id));
      if (!campaign) throw notFound('campaign', id);
      refuseArchived(campaign);
      const { usersAtMost: requested = {}, budgets: wanted } = request.body ?? {};
      const raise = wanted && raiseOf(campaign, wanted);
      const { usersAtMost, expected } = await boundsOf(
        campaign,
        { ...(raise && coveredBy(campaign)), ...requested },
        deps,
      );
      request.auditDetail = { usersAtMost, ...(wanted && { budgets: wanted }) };
      const wantedCampaign = raise
        ? { ...campaign, definition: { ...campaign.definition, budgets: raise.after } }
        : campaign;
      const submission = { campaign: wantedCampaign, usersAtMost, expected, raise, by: callerOf(request) };
      return answerOf(request, id, await approvals.submit(submission));
    },
  });
}

/** Returns the approved numbers of users. A raise of budgets does not change them. */
function coveredBy({ approval }: CampaignRecord): UsersByCountry {
  return approval?.state === 'approved' ? approval.covers.usersAtMost : {};
}

/**
 * Returns the budgets of a started campaign before and after a raise.
 * @throws {HttpProblem} 409 if the campaign is not started, 422 for an invalid raise
 */
function raiseOf({ campaignId, state, definition }: CampaignRecord, wanted: readonly Budget[]) {
  const before = definition.budgets ?? [];
  if (state === 'draft') {
    const detail = `${publicId('campaign', campaignId)} is a draft: change its budgets, then submit it`;
    throw new HttpProblem({ status: 409, code: 'state-forbids', detail });
  }
  const errors = wanted.flatMap((budget, index): FieldProblem[] => {
    const { country } = budget;
    const now = before.find((each) => each.country === country);
    const pointer = `/budgets/${index}`;
    if (wanted.findIndex((each) => each.country === country) < index)
      return [{ pointer, code: 'repeated-country', detail: `${quoted(country)} is in the list already` }];
    if (!now) return [{ pointer, code: 'no-budget', detail: `there is no budget for ${quoted(country)}` }];
    if (isInSame(now, budget) && sizeOf(budget) > sizeOf(now)) return [];
    const detail = `the budget of ${country} is ${budgetWords(now)}: ${budgetWords(budget)} does not raise it`;
    return [{ pointer, code: 'no-raise', detail }];
  });
  if (errors.length > 0) throw invalidRequest(errors);
  const after = before.map((each) => wanted.find(({ country }) => country === each.country) ?? each);
  return { before, wanted, after };
}

function approveRoute(server: HttpServer, { approvals }: ApprovalVerbsDeps): void {
  server.route({
    method: 'POST',
    url: '/campaigns/:id/approve',
    config: {
      role: 'approver',
      scope: 'campaign',
      audit: 'approved a campaign',
      refusals: {
        'no-budget': 'the campaign has no budget for the country',
        'repeated-country': 'a country is named twice',
        'foreign-country': 'the campaign does not have the country',
        'no-raise': 'a budget is not raised',
        'other-budget': 'a budget is in the other measure, or in another currency',
      },
    },
    schema: {
      operationId: 'approveCampaign',
      summary: 'Approve a submission, by its hash',
      description:
        'The owner of the key must have neither written nor submitted it; keys of one owner are one person. ' +
        'If the last required approval is for a run, the run resumes; if it is for a raise, the budgets are ' +
        'raised. 409 `revision-changed` if another submission waits by now.',
      ...common,
      body: approving,
      response: answer,
    },
    handler: async (request) => {
      const { id } = request.params;
      const { hash, comment = null } = request.body;
      const wanted = { campaignId: requireId('campaign', id), hash, comment, by: callerOf(request) };
      request.auditDetail = { hash };
      return answerOf(request, id, await approvals.approve(wanted));
    },
  });
}

function sendBackRoute(server: HttpServer, { approvals }: ApprovalVerbsDeps): void {
  server.route({
    method: 'POST',
    url: '/campaigns/:id/send-back',
    config: { role: 'approver', scope: 'campaign', audit: 'sent a campaign back unapproved' },
    schema: {
      operationId: 'sendBackCampaign',
      summary: 'Send a submission back, with a comment for its author',
      description:
        'Also possible after the approval: then no further run begins under it. Runs that are under way ' + 'continue.',
      ...common,
      body: sendingBack,
      response: answer,
    },
    handler: async (request) => {
      const { id } = request.params;
      const { hash = null, comment } = request.body;
      request.auditDetail = { comment };
      return answerOf(request, id, await approvals.sendBack(requireId('campaign', id), hash, comment));
    },
  });
}

function withdrawRoute(server: HttpServer, { approvals }: ApprovalVerbsDeps): void {
  server.route({
    method: 'POST',
    url: '/campaigns/:id/withdraw',
    config: { role: 'manager', scope: 'campaign', audit: 'withdrew a campaign from approval' },
    schema: {
      operationId: 'withdrawCampaign',
      summary: 'Withdraw a submission',
      description: 'Also possible after the approval: then no further run begins under it.',
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

function answerOf(request: FastifyRequest, id: string, decided: Decision) {
  if (decided.kind !== 'done') throw decisionProblem(decided, id);
  const view = approvalSummaryView(decided.approval);
  request.auditDetail = { ...request.auditDetail, approval: view.id, state: view.state, hash: view.hash };
  return view;
}

/**
 * Returns the upper bounds of users by country, and the estimates. A bound is taken from the request, otherwise from
 * the estimate with some headroom.
 * @throws {HttpProblem} 422 if a country has neither
 */
async function boundsOf(
  { definition }: CampaignRecord,
  requested: UsersByCountry,
  deps: EstimateSourcesDeps,
): Promise<{ usersAtMost: UsersByCountry; expected: ExpectedUsers }> {
  const { countries } = definition;
  const sourceEstimates = await estimateSources(definition, deps);
  const estimates = new Map(countryEstimates(countries, sourceEstimates).map(({ country, users }) => [country, users]));
  const found = countries.map((country) => {
    const atMost = estimates.get(country)?.atMost ?? null;
    return [country, requested[country] ?? (atMost === null ? null : withHeadroom(atMost))] as const;
  });
  const foreign = Object.keys(requested).filter((country) => !countries.includes(country));
  const errors: FieldProblem[] = [
    ...sourceEstimates.problems,
    ...foreign.map((country) => ({
      pointer: `/usersAtMost/${country}`,
      code: 'foreign-country',
      detail: `${quoted(country)} is not a country of the campaign`,
    })),
    ...found.flatMap(([country, atMost]) =>
      atMost === null
        ? [
            {
              pointer: `/usersAtMost/${country}`,
              code: 'unknown-size',
              detail: `the number of users in ${country} is unknown: set a maximum`,
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
