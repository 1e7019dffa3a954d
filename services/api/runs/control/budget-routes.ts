import { z } from 'zod';
import { budgetChanges, campaignBudgets } from '../../../../shared/contracts/campaigns/budgets.ts';
import type { Budget } from '../../../../shared/contracts/campaigns/campaigns.ts';
import type { FieldProblem } from '../../../../shared/contracts/field-problems.ts';
import { didYouMean } from '../../frame/did-you-mean.ts';
import { jsonAnswer } from '../../frame/server/answer-shapes.ts';
import type { HttpServer } from '../../frame/server/create-http-server.ts';
import { invalidRequest, notFound, quoted } from '../../frame/http-problem.ts';
import type { BudgetFigures, BudgetStore } from './budget-store.port.ts';
import type { CampaignStore } from '../../campaigns/campaign-store.port.ts';
import { requireId } from '../../frame/public-ids.ts';
import { budgetView } from './budget-view.ts';

export interface BudgetRoutesDeps {
  campaigns: CampaignStore;
  budgets: BudgetStore;
}

const byId = z.object({ id: z.string().describe('cmp_…') });
const tags = ['campaigns'];

export function budgetRoutes(server: HttpServer, { campaigns, budgets }: BudgetRoutesDeps): void {
  server.route({
    method: 'GET',
    url: '/campaigns/:id/budgets',
    config: { role: 'viewer', scope: 'none' },
    schema: {
      operationId: 'listBudgets',
      summary: 'What a campaign may spend in each country, and what its runs have spent and reserved',
      tags,
      params: byId,
      response: { 200: jsonAnswer('The budgets, by country', campaignBudgets) },
    },
    handler: async ({ params: { id } }) => ({ items: (await budgetsOf(id)).map(budgetView) }),
  });

  server.route({
    method: 'PATCH',
    url: '/campaigns/:id/budgets',
    config: { role: 'manager', scope: 'campaign' },
    schema: {
      operationId: 'changeBudgets',
      summary: 'Raise or lower budgets of a campaign, while its runs go on',
      description:
        'What waits for a budget goes on by itself within seconds; a run that has paused itself is to be resumed. What is used or reserved ' +
        'already stays so: a budget that is lowered below it lets nobody be called. A country cannot get a budget later.',
      tags,
      params: byId,
      body: budgetChanges,
      response: {
        200: jsonAnswer('The budgets as they are now', campaignBudgets),
      },
    },
    handler: async (request) => {
      const { id } = request.params;
      const before = await budgetsOf(id);
      const found = checkChanges(request.body.budgets, before);
      if (found.length > 0) throw invalidRequest(found);
      const changed = before.filter(({ country }) => request.body.budgets.some((wanted) => wanted.country === country));
      request.auditDetail = {
        from: changed.map(({ country, units }) => ({ country, units })),
        to: request.body.budgets,
      };
      await budgets.change(requireId('campaign', id), request.body.budgets);
      return { items: (await budgetsOf(id)).map(budgetView) };
    },
  });

  /** @throws {HttpProblem} 404 */
  async function budgetsOf(id: string): Promise<BudgetFigures[]> {
    const campaignId = requireId('campaign', id);
    const list = await budgets.list(campaignId);
    if (list.length === 0 && !(await campaigns.get(campaignId))) throw notFound('campaign', id);
    return list;
  }
}

function checkChanges(wanted: readonly Budget[], known: readonly BudgetFigures[]): FieldProblem[] {
  const countries = known.map(({ country }) => country);
  return wanted.flatMap(({ country }, index): FieldProblem[] => {
    const pointer = `/budgets/${index}/country`;
    if (wanted.findIndex((each) => each.country === country) < index)
      return [{ pointer, code: 'repeated-country', detail: `${quoted(country)} is in the list already` }];
    if (countries.includes(country)) return [];
    const those = countries.length === 0 ? 'the campaign has none at all' : `there is one for ${countries.join(', ')}`;
    const detail = `there is no budget for ${quoted(country)}, and none can be added later; ${those}${didYouMean(country, countries)}`;
    return [{ pointer, code: 'no-budget', detail }];
  });
}
