import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { approvalSummary, type ExpectedUsers } from '../../../../shared/contracts/campaigns/approval-summary.ts';
import { approving, sendingBack, submission } from '../../../../shared/contracts/campaigns/approvals.ts';
import type { FieldProblem } from '../../../../shared/contracts/field-problems.ts';
import { withHeadroom, type UsersByCountry } from '../../../../shared/domain/approval/user-bounds.ts';
import { publicId } from '../../../../shared/domain/ids/ids.ts';
import { budgetWords, isInSame, sizeOf } from '../../../../shared/domain/run/budgets.ts';
import type { Budget } from '../../../../shared/contracts/campaigns/budgets.ts';
import { callerOf } from '../../access/scopes.ts';
import { askSources, type AskSourcesDeps } from '../../audiences/ask/ask-sources.ts';
import { refuseArchived } from '../refusals.ts';
import { refuseFields } from '../../frame/server/refuse-fields.ts';
import type { CampaignRecord, CampaignStore } from '../campaign-store.port.ts';
import { countryEstimates } from '../../audiences/ask/estimate-view.ts';
import { HttpProblem, invalidRequest, notFound, quoted } from '../../frame/http-problem.ts';
import { idempotentHeaders } from '../../frame/server/idempotency.ts';
import { requireId } from '../../frame/public-ids.ts';
import { jsonAnswer, problems } from '../../frame/document/answer-shapes.ts';
import type { HttpServer } from '../../frame/server/create-http-server.ts';
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
        'foreign-country': 'a country is none of the campaign',
        'no-raise': 'a budget is not raised',
        'other-budget': 'a budget is in the other measure, or in another currency',
        'unknown-size': 'how many users a country has is not known, and `usersAtMost` does not name it',
      },
    },
    schema: {
      operationId: 'submitCampaign',
      summary: 'Ask for the approval of a campaign as it is',
      description:
        'It covers everything but the name, and so many users at most in each country. Submitting the same again changes nothing; with other ' +
        'numbers, what was submitted before is void. 409 `no-approval-needed` where no rule asks for any. With `budgets`, a raise of those of a ' +
        'campaign that was started: what was approved stays meanwhile, runs go on within it, and the last approval raises them.',
      ...common,
      body: submission.nullish(),
      response: { ...answer, ...problems(422) },
    },
    handler: async (request) => {
      const { id } = request.params;
      const campaign = await campaigns.get(requireId('campaign', id));
      if (!campaign) throw notFound('campaign', id);
      refuseArchived(campaign);
      const { usersAtMost: said = {}, budgets: wanted } = request.body ?? {};
      const raise = wanted && raiseOf(campaign, wanted);
      const { usersAtMost, expected } = await boundsOf(campaign, { ...(raise && coveredBy(campaign)), ...said }, deps);
      request.auditDetail = { usersAtMost, ...(wanted && { budgets: wanted }) };
      const asked = raise ? { ...campaign, definition: { ...campaign.definition, budgets: raise.after } } : campaign;
      const submission = { campaign: asked, usersAtMost, expected, raise, by: callerOf(request) };
      return answerOf(request, id, await approvals.submit(submission));
    },
  });
}

/** Returns the approved numbers of users: a raise of budgets does not raise them. */
function coveredBy({ approval }: CampaignRecord): UsersByCountry {
  return approval?.state === 'approved' ? approval.covers.usersAtMost : {};
}

/** Returns the budgets of a started campaign before and after a raise. @throws {HttpProblem} 409, 422 */
function raiseOf({ campaignId, state, definition }: CampaignRecord, wanted: readonly Budget[]) {
  const before = definition.budgets ?? [];
  if (state === 'draft') {
    const detail = `${publicId('campaign', campaignId)} is a draft: change its budgets, and submit it as it is then`;
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
    const detail = `the budget of ${country} is ${budgetWords(now)}: ${budgetWords(budget)} is no more of that`;
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
        'foreign-country': 'a country is none of the campaign',
        'no-raise': 'a budget is not raised',
        'other-budget': 'a budget is in the other measure, or in another currency',
      },
    },
    schema: {
      operationId: 'approveCampaign',
      summary: 'Approve what was submitted, by its hash',
      description:
        'By a key whose owner has neither written nor submitted it; keys of one owner are one person. Where the last approval that it needs is ' +
        'of a run, that goes on; where it is of a raise, budgets are raised. 409 `revision-changed` where something else waits by now.',
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
    config: { role: 'approver', scope: 'campaign', audit: 'sent a campaign back unapproved' },
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
    config: { role: 'manager', scope: 'campaign', audit: 'withdrew a campaign from approval' },
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
 * Returns the upper bounds of users by country, from the request, else the estimate with headroom; and the estimates.
 * @throws {HttpProblem} 422
 */
async function boundsOf(
  { definition }: CampaignRecord,
  said: UsersByCountry,
  deps: AskSourcesDeps,
): Promise<{ usersAtMost: UsersByCountry; expected: ExpectedUsers }> {
  const { countries } = definition;
  const asked = await askSources(definition, deps);
  const estimates = new Map(countryEstimates(countries, asked).map(({ country, users }) => [country, users]));
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
