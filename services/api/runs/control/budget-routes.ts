import { z } from 'zod';
import { budgetChanges, campaignBudgets, type Budget } from '../../../../shared/contracts/campaigns/budgets.ts';
import type { FieldProblem } from '../../../../shared/contracts/field-problems.ts';
import { didYouMean } from '../../frame/did-you-mean.ts';
import { jsonAnswer, problems } from '../../frame/document/answer-shapes.ts';
import type { HttpServer } from '../../frame/server/create-http-server.ts';
import { HttpProblem, invalidRequest, notFound, quoted } from '../../frame/http-problem.ts';
import { requireWritten } from '../../frame/if-match.ts';
import { callerOf } from '../../access/scopes.ts';
import type { ApprovalDesk } from '../../campaigns/approvals/approval-desk.port.ts';
import type { BudgetFigures, BudgetStore } from '../budget-store.port.ts';
import type { CampaignRecord, CampaignStore, Writer } from '../../campaigns/campaign-store.port.ts';
import { requireId } from '../../frame/public-ids.ts';
import { publicId } from '../../../../shared/domain/ids/ids.ts';
import { requesterOf } from '../../access/requester.ts';
import { campaignBudgetsView, budgetLimitOf } from './campaign-budgets-view.ts';
import type { ApprovalNeed } from '../../../../shared/domain/approval/approval-policy.ts';
import { budgetWords, isInSame, sizeOf } from '../../../../shared/domain/run/budgets.ts';
import { noPrices } from '../../../../shared/domain/approval/user-bounds.ts';
import { applyBudgets } from '../../campaigns/approvals/raised-budgets.ts';

export interface BudgetRoutesDeps {
  campaigns: CampaignStore;
  budgets: BudgetStore;
  approvals: Pick<ApprovalDesk, 'policy' | 'prices' | 'approvedBudgets' | 'sumsOfRaise' | 'changeBudgets'>;
}

const byId = z.object({ id: z.string().describe('cmp_…') });
const tags = ['campaigns'];

export function budgetRoutes(server: HttpServer, { campaigns, budgets, approvals }: BudgetRoutesDeps): void {
  server.route({
    method: 'GET',
    url: '/campaigns/:id/budgets',
    config: { role: 'viewer', scope: 'campaign' },
    schema: {
      operationId: 'listBudgets',
      summary: 'Show the budgets of a campaign by country, with used and reserved amounts',
      tags,
      params: byId,
      response: { 200: jsonAnswer('The budgets, by country', campaignBudgets) },
    },
    handler: async (request) => {
      const { id } = request.params;
      return { items: await budgetViews(id, await budgetsOf(id), callerOf(request).key) };
    },
  });

  server.route({
    method: 'PATCH',
    url: '/campaigns/:id/budgets',
    config: {
      role: 'manager',
      scope: 'campaign',
      audit: 'changed budgets of a campaign',
      refusals: {
        'no-budget': 'the campaign has no budget for the country',
        'repeated-country': 'a country is named twice',
        'other-budget': 'a budget changes between units and money, or its currency',
      },
    },
    schema: {
      operationId: 'changeBudgets',
      summary: 'Raise or lower budgets of a campaign, also while it runs',
      description:
        'Batches that wait for a budget continue within seconds; a run that paused itself has to be resumed. Used and reserved amounts ' +
        'do not change: with a budget below them, no further user is called. A country without a budget cannot get one later. ' +
        'For a draft this is a change with a revision. For a started campaign, raises beyond the approved budgets need an approval if the policy requires one.',
      tags,
      params: byId,
      body: budgetChanges,
      response: {
        200: jsonAnswer('The budgets as they are now', campaignBudgets),
        ...problems(409),
      },
    },
    handler: async (request) => {
      const { id } = request.params;
      const { budgets: requested, reason } = request.body;
      const before = await budgetsOf(id);
      const found = checkChanges(requested, before);
      if (found.length > 0) throw invalidRequest(found);
      const reasonField = reason === undefined ? {} : { reason };
      request.auditDetail = { ...reasonField, from: unitsBefore(before, requested), to: requested };
      const wanted = requested.filter((budget) => sizeOf(budget) !== sizeIn(before, budget.country));
      const detail = { by: requesterOf(request), ...reasonField, ...changedUnits(before, wanted) };
      if (wanted.length > 0) {
        await change(requireId('campaign', id), { before, wanted, detail, by: callerOf(request) });
      }
      return { items: await budgetViews(id, await budgetsOf(id), callerOf(request).key) };
    },
  });

  /**
   * Changes budgets.
   * @throws {HttpProblem} 409 if the change needs an approval, 412 if the campaign has changed meanwhile
   */
  async function change(campaignId: string, { before, wanted, detail, by }: Change) {
    const campaign = await campaigns.get(campaignId);
    if (!campaign) throw notFound('campaign', publicId('campaign', campaignId));
    if (campaign.state !== 'draft') {
      requireApproved(campaignId, await approvals.changeBudgets(campaign, { wanted, detail, by: by.key }));
      return;
    }
    const after = applyBudgets(before.map(budgetLimitOf), wanted);
    const definition = { ...campaign.definition, budgets: after };
    const changed = await campaigns.redefine(campaignId, definition, campaign.revision, by);
    if (!changed) throw notFound('campaign', publicId('campaign', campaignId));
    requireWritten(publicId('campaign', campaignId), changed);
  }

  /**
   * Checks that a raise needs no approval.
   * @throws {HttpProblem} 409 otherwise
   */
  function requireApproved(campaignId: string, { approvers, why }: ApprovalNeed) {
    if (approvers === 0) return;
    const submitIt = `POST /v1/campaigns/${publicId('campaign', campaignId)}/submit with these budgets requests it`;
    const detail = `this raise needs an approval (${why.join(', ')}): ${submitIt}`;
    throw new HttpProblem({ status: 409, code: 'approval-needed', detail });
  }

  async function budgetViews(id: string, list: readonly BudgetFigures[], by: string) {
    if (list.length === 0) return [];
    const [campaign, { rules }] = await Promise.all([campaigns.get(requireId('campaign', id)), approvals.policy()]);
    // A change of a draft needs no approval, because it creates a revision, which is approved when the campaign is
    // started.
    const inForce = !campaign || campaign.state === 'draft' ? [] : rules;
    const terms = campaign ? await termsOf(campaign, inForce) : { approved: null, chain: [], prices: noPrices };
    const unapprovedStarts = campaign && inForce.length > 0 ? await approvals.sumsOfRaise(campaign, by) : [];
    return campaignBudgetsView(list, inForce, { ...terms, unapprovedStarts });
  }

  /** Returns the terms by which a raise is checked. Prices are read only if a rule needs them. */
  async function termsOf({ campaignId, revision, definition, state }: CampaignRecord, rules: readonly unknown[]) {
    const prices = rules.length === 0 ? noPrices : await approvals.prices({ campaignId, revision });
    const approved = state === 'draft' ? null : await approvals.approvedBudgets(campaignId);
    return { approved, chain: definition.chain, prices };
  }

  /**
   * Returns the budgets of a campaign.
   * @throws {HttpProblem} 404 if it does not exist
   */
  async function budgetsOf(id: string): Promise<BudgetFigures[]> {
    const campaignId = requireId('campaign', id);
    const list = await budgets.list(campaignId);
    if (list.length === 0 && !(await campaigns.get(campaignId))) throw notFound('campaign', id);
    return list;
  }
}

interface Change {
  before: readonly BudgetFigures[];
  wanted: readonly Budget[];
  detail: Readonly<Record<string, unknown>>;
  by: Writer;
}

function unitsBefore(before: readonly BudgetFigures[], wanted: readonly Budget[]): Budget[] {
  const changed = before.filter(({ country }) => wanted.some((each) => each.country === country));
  return changed.map(budgetLimitOf);
}

function sizeIn(figures: readonly BudgetFigures[], of: string): bigint | undefined {
  const known = figures.find(({ country }) => country === of);
  return known && sizeOf(budgetLimitOf(known));
}

function changedUnits(before: readonly BudgetFigures[], wanted: readonly Budget[]) {
  return { from: { budgets: unitsBefore(before, wanted) }, to: { budgets: wanted } };
}

function checkChanges(wanted: readonly Budget[], known: readonly BudgetFigures[]): FieldProblem[] {
  const countries = known.map(({ country }) => country);
  return wanted.flatMap((budget, index): FieldProblem[] => {
    const { country } = budget;
    const pointer = `/budgets/${index}/country`;
    if (wanted.findIndex((each) => each.country === country) < index)
      return [{ pointer, code: 'repeated-country', detail: `${quoted(country)} is in the list already` }];
    const now = known.find((each) => each.country === country);
    if (now && isInSame(budgetLimitOf(now), budget)) return [];
    if (now) {
      const detail = `the budget of ${country} is ${budgetWords(budgetLimitOf(now))} and cannot change its measure or currency to ${budgetWords(budget)}`;
      return [{ pointer: `/budgets/${index}`, code: 'other-budget', detail }];
    }
    const existing = countries.length === 0 ? 'the campaign has none' : `there is one for ${countries.join(', ')}`;
    const detail = `there is no budget for ${quoted(country)}, and none can be added later; ${existing}${didYouMean(country, countries)}`;
    return [{ pointer, code: 'no-budget', detail }];
  });
}
