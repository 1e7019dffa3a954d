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
import type { BudgetFigures, BudgetStore } from './budget-store.port.ts';
import type { CampaignRecord, CampaignStore, Writer } from '../../campaigns/campaign-store.port.ts';
import { requireId } from '../../frame/public-ids.ts';
import { publicId } from '../../../../shared/domain/ids/ids.ts';
import { askerOf } from '../../access/asker.ts';
import { campaignBudgetsView, saidBudget } from './budget-view.ts';
import type { ApprovalNeed } from '../../../../shared/domain/approval/approval-policy.ts';
import { budgetWords, isInSame, sizeOf } from '../../../../shared/domain/run/budgets.ts';
import { noPrices } from '../../../../shared/domain/approval/user-bounds.ts';
import { withChanges } from '../../campaigns/approvals/raised-budgets.ts';

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
      summary: 'What a campaign may spend in each country, and what its runs have spent and reserved',
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
        'other-budget': 'a budget is in the other measure, or in another currency',
      },
    },
    schema: {
      operationId: 'changeBudgets',
      summary: 'Raise or lower budgets of a campaign, while its runs go on',
      description:
        'What waits for a budget goes on by itself within seconds; a run that has paused itself is to be resumed. What is used or reserved ' +
        'already stays so: a budget that is lowered below it lets nobody be called. A country cannot get a budget later. ' +
        'Of a draft it is a change like others, with a revision. Once started, what the policy wants approved is raised no further than it was.',
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
      const { budgets: asked, reason } = request.body;
      const before = await budgetsOf(id);
      const found = checkChanges(asked, before);
      if (found.length > 0) throw invalidRequest(found);
      const said = reason === undefined ? {} : { reason };
      request.auditDetail = { ...said, from: unitsBefore(before, asked), to: asked };
      const wanted = asked.filter((budget) => sizeOf(budget) !== sizeIn(before, budget.country));
      const detail = { by: askerOf(request), ...said, ...changedUnits(before, wanted) };
      if (wanted.length > 0) {
        await change(requireId('campaign', id), { before, wanted, detail, by: callerOf(request) });
      }
      return { items: await budgetViews(id, await budgetsOf(id), callerOf(request).key) };
    },
  });

  /** @throws {HttpProblem} 409 if the change needs an approval, 412 if the campaign has changed meanwhile */
  async function change(campaignId: string, { before, wanted, detail, by }: Change) {
    const campaign = await campaigns.get(campaignId);
    if (!campaign) throw notFound('campaign', publicId('campaign', campaignId));
    if (campaign.state !== 'draft') {
      requireApproved(campaignId, await approvals.changeBudgets(campaign, { wanted, detail, by: by.key }));
      return;
    }
    const after = withChanges(before.map(saidBudget), wanted);
    const definition = { ...campaign.definition, budgets: after };
    const changed = await campaigns.redefine(campaignId, definition, campaign.revision, by);
    if (!changed) throw notFound('campaign', publicId('campaign', campaignId));
    requireWritten(publicId('campaign', campaignId), changed);
  }

  /** @throws {HttpProblem} 409 if the raise needs an approval */
  function requireApproved(campaignId: string, { approvers, why }: ApprovalNeed) {
    if (approvers === 0) return;
    const submitIt = `POST /v1/campaigns/${publicId('campaign', campaignId)}/submit with these budgets asks for it`;
    const detail = `this raise needs an approval (${why.join(', ')}): ${submitIt}`;
    throw new HttpProblem({ status: 409, code: 'approval-needed', detail });
  }

  async function budgetViews(id: string, list: readonly BudgetFigures[], by: string) {
    if (list.length === 0) return [];
    const [campaign, { rules }] = await Promise.all([campaigns.get(requireId('campaign', id)), approvals.policy()]);
    // A change of a draft creates a revision, which is approved when the campaign is started.
    const inForce = !campaign || campaign.state === 'draft' ? [] : rules;
    const terms = campaign ? await termsOf(campaign, inForce) : { approved: null, chain: [], prices: noPrices };
    const sums = campaign && inForce.length > 0 ? await approvals.sumsOfRaise(campaign, by) : [];
    return campaignBudgetsView(list, inForce, { ...terms, sums });
  }

  /** Prices are loaded only if a rule needs them. */
  async function termsOf({ campaignId, revision, definition, state }: CampaignRecord, rules: readonly unknown[]) {
    const prices = rules.length === 0 ? noPrices : await approvals.prices({ campaignId, revision });
    const approved = state === 'draft' ? null : await approvals.approvedBudgets(campaignId);
    return { approved, chain: definition.chain, prices };
  }

  /** @throws {HttpProblem} 404 if the campaign does not exist */
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
  return changed.map(saidBudget);
}

function sizeIn(figures: readonly BudgetFigures[], of: string): bigint | undefined {
  const known = figures.find(({ country }) => country === of);
  return known && sizeOf(saidBudget(known));
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
    if (now && isInSame(saidBudget(now), budget)) return [];
    if (now) {
      const detail = `the budget of ${country} is ${budgetWords(saidBudget(now))}, and stays in what it is in, not ${budgetWords(budget)}`;
      return [{ pointer: `/budgets/${index}`, code: 'other-budget', detail }];
    }
    const those = countries.length === 0 ? 'the campaign has none at all' : `there is one for ${countries.join(', ')}`;
    const detail = `there is no budget for ${quoted(country)}, and none can be added later; ${those}${didYouMean(country, countries)}`;
    return [{ pointer, code: 'no-budget', detail }];
  });
}
