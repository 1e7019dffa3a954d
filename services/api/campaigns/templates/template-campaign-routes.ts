import { z } from 'zod';
import { campaignOfTemplate, templateRefusals } from '../../../../shared/contracts/campaigns/templates.ts';
import type { FieldProblem } from '../../../../shared/contracts/field-problems.ts';
import {
  filled,
  placesOfVariables,
  variableAt,
  type VariablePlace,
} from '../../../../shared/domain/template-variables.ts';
import { callerOf, requireCampaignInScope } from '../../access/scopes.ts';
import { splitCampaign } from '../about-parts.ts';
import { estimateSources } from '../../audiences/estimates/estimate-sources.ts';
import { campaignWithWarnings, type CampaignRoutesDeps } from '../campaign-routes.ts';
import { campaignView } from '../campaign-view.ts';
import { checkCampaign } from '../check-campaign.ts';
import { findUnservedSteps } from '../unserved-steps.ts';
import { invalidRequest, quoted } from '../../frame/http-problem.ts';
import { idempotentHeaders } from '../../frame/server/idempotency.ts';
import { jsonAnswer } from '../../frame/document/answer-shapes.ts';
import type { HttpServer } from '../../frame/server/create-http-server.ts';
import type { Revisions } from '../../revisions/revisions.port.ts';
import { findRevision } from '../../revisions/revision-routes.ts';
import { defaultsOf, valueProblems } from './check-template.ts';
import { requireTemplate, type TemplateRoutesDeps } from './template-routes.ts';

export type TemplateCampaignRoutesDeps = TemplateRoutesDeps & CampaignRoutesDeps & { revisions: Revisions };

const byId = z.object({ id: z.string().describe('tpl_…') });

export function templateCampaignRoutes(server: HttpServer, deps: TemplateCampaignRoutesDeps): void {
  const { templates, revisions, campaigns, catalogue, clock } = deps;
  server.route({
    method: 'POST',
    url: '/templates/:id/campaigns',
    config: {
      role: 'manager',
      scope: 'campaign',
      refusals: templateRefusals,
      audit: 'created a campaign from a template',
    },
    schema: {
      operationId: 'createCampaignOfTemplate',
      summary: 'Create a campaign from a template, with values for its variables',
      description:
        'The campaign is a draft, and later changes of the template do not change it. An error in a value names its variable. ' +
        'Any other error names its pointer in the definition of the campaign.',
      tags: ['templates'],
      headers: idempotentHeaders,
      params: byId,
      body: campaignOfTemplate,
      response: { 201: jsonAnswer('The campaign that was created', campaignWithWarnings) },
    },
    handler: async (request, reply) => {
      const { name, variables: given, revision } = request.body;
      const config = await catalogue.refresh();
      const newest = await requireTemplate(request.params.id, templates);
      const { templateId } = newest;
      const used = revision === undefined ? newest : await findRevision(templateId, revision, revisions.template);
      const { variables, campaign } = used.definition;
      const wrong = valueProblems(variables, given);
      if (wrong.length > 0) throw invalidRequest(wrong);

      const values = new Map([...defaultsOf(variables), ...Object.entries(given)]);
      const places = placesOfVariables(campaign);
      const atVariables = (problems: readonly FieldProblem[]) =>
        problems.map((each) => atVariable(each, places, values));
      const wanted = { ...objectOf(filled(campaign, values)), name };
      const checked = checkCampaign(wanted, config, clock.now());
      if (!checked.ok) throw invalidRequest(atVariables(checked.problems), checked.more);
      const [definition, about] = splitCampaign(checked.value);
      requireCampaignInScope(request, definition);
      const { problems, warnings } = await estimateSources(definition, deps);
      if (problems.length > 0) throw invalidRequest(atVariables(problems));

      const origin = { templateId, revision: used.revision, variables: Object.fromEntries(values) };
      const view = campaignView(
        await campaigns.create(definition, request.begun?.createdId, callerOf(request), about, origin),
      );
      request.auditDetail = { campaign: view.id, revision: used.revision };
      const all = [...warnings, ...(await findUnservedSteps(definition, deps))];
      return reply
        .code(201)
        .header('location', view.links.self)
        .send({ ...view, warnings: all });
    },
  });
}

/** Returns the problem with a pointer to the variable that caused it. A problem of a fixed value keeps its pointer. */
function atVariable(
  problem: FieldProblem,
  places: readonly VariablePlace[],
  values: ReadonlyMap<string, unknown>,
): FieldProblem {
  const { pointer, code, detail } = problem;
  const place = variableAt(pointer, places);
  if (place?.name === undefined) return problem;
  const value = quoted(values.get(place.name));
  return { pointer: `/variables/${place.name}`, code, detail: `${value}, used at ${pointer}: ${detail}` };
}

function objectOf(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}
