import type { FastifySchemaCompiler } from 'fastify';
import { z } from 'zod';
import {
  campaign,
  startRequest,
  writtenCampaign,
  type CampaignDefinition,
} from '../../../shared/contracts/campaigns/campaigns.ts';
import { campaignEstimate } from '../../../shared/contracts/campaigns/estimates.ts';
import { warning, type Warning } from '../../../shared/contracts/warnings.ts';
import type { Catalogue } from '../../../shared/contracts/endpoints/engine-config.ts';
import type { ClearedBy } from '../../../shared/domain/approval/clearance.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { jsonAnswer, problems } from '../frame/document/answer-shapes.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { etagOf } from '../frame/if-match.ts';
import { HttpProblem, invalidRequest, notFound, stateForbids } from '../frame/http-problem.ts';
import type { ApprovalDesk } from './approvals/approval-desk.port.ts';
import { approvalNeeded } from './approvals/approval-problems.ts';
import { callerOf, requireCampaignInScope } from '../access/scopes.ts';
import type { CampaignRecord, CampaignStore } from './campaign-store.port.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import { estimateSources, type EstimateSourcesDeps } from '../audiences/estimates/estimate-sources.ts';
import type { SourceEstimates } from '../audiences/estimates/source-estimates.ts';
import type { CatalogueReader } from '../frame/catalogue-reader.ts';
import { checkAgainstConfig, checkCampaign } from './check-campaign.ts';
import { checkMoney } from './check-money.ts';
import { canaryRefusals, requireCanaryAtStart, startCampaign } from './campaign-start.ts';
import { startsNow } from '../schedules/planned-start.ts';
import { idempotentHeaders } from '../frame/server/idempotency.ts';
import { requireId } from '../frame/public-ids.ts';
import { requesterOf } from '../access/requester.ts';
import { splitCampaign } from './about-parts.ts';
import { campaignView } from './campaign-view.ts';
import { countryEstimates, estimateView } from '../audiences/estimates/estimate-view.ts';
import { refuseArchived } from './refusals.ts';
import { refuseFields } from '../frame/server/refuse-fields.ts';
import { checkCopiedSources, type CopiedSourcesDeps } from './copied-sources.ts';
import { findUnservedSteps, type UnservedStepsDeps } from './unserved-steps.ts';

export interface CampaignRoutesDeps extends EstimateSourcesDeps, CopiedSourcesDeps, UnservedStepsDeps {
  approvals: Pick<ApprovalDesk, 'judge'>;
  campaigns: CampaignStore;
  catalogue: CatalogueReader;
  clock: Clock;
  currency: string | null;
}

export const campaignWithWarnings = campaign
  .extend({ warnings: z.array(warning) })
  .meta({ id: 'CheckedCampaign', description: 'The campaign, with warnings' });

const byId = z.object({ id: z.string().describe('cmp_…') });
const tags = ['campaigns'];

export function campaignRoutes(server: HttpServer, deps: CampaignRoutesDeps): void {
  createRoute(server, deps);
  showRoute(server, deps);
  startRoute(server, deps);
  estimateRoute(server, deps);
  unscheduleRoute(server, deps);
}

function createRoute(server: HttpServer, deps: CampaignRoutesDeps): void {
  const { campaigns, catalogue, clock } = deps;
  server.route({
    method: 'POST',
    url: '/campaigns',
    config: { role: 'manager', scope: 'campaign', audit: 'created a campaign' },
    schema: {
      operationId: 'createCampaign',
      summary: 'Create a campaign',
      description: 'It stays a draft until it is started. With an `Idempotency-Key`, a repeat creates nothing.',
      tags,
      headers: idempotentHeaders,
      body: writtenCampaign,
      response: {
        201: jsonAnswer('The campaign that was created', campaignWithWarnings),
      },
    },
    preValidation: async () => {
      await catalogue.refresh();
    },
    validatorCompiler: campaignValidator(catalogue, clock),
    handler: async (request, reply) => {
      const { body, begun } = request;
      requireCampaignInScope(request, body);
      const { written } = await checkCopiedSources(body, null, deps);
      const warnings = await requireSources(body, deps);
      const [definition, about] = splitCampaign(written);
      const record = await campaigns.create(definition, begun?.createdId, callerOf(request), about);
      const view = campaignView(record);
      return reply
        .code(201)
        .header('location', view.links.self)
        .send({ ...view, warnings });
    },
  });
}

function showRoute(server: HttpServer, { campaigns }: CampaignRoutesDeps): void {
  server.route({
    method: 'GET',
    url: '/campaigns/:id',
    config: { role: 'viewer', scope: 'campaign' },
    schema: {
      operationId: 'getCampaign',
      summary: 'Show a campaign',
      tags,
      params: byId,
      response: { 200: jsonAnswer('The campaign', campaign) },
    },
    handler: async ({ params: { id } }, reply) => {
      const record = await campaigns.get(requireId('campaign', id));
      if (!record) throw notFound('campaign', id);
      const view = campaignView(record);
      return reply.header('etag', etagOf(view)).send(view);
    },
  });
}

function startRoute(server: HttpServer, deps: CampaignRoutesDeps): void {
  const { campaigns, catalogue, clock } = deps;
  server.route({
    method: 'POST',
    url: '/campaigns/:id/start',
    config: { role: 'manager', scope: 'campaign', audit: 'started a campaign', refusals: canaryRefusals },
    schema: {
      operationId: 'startCampaign',
      summary: 'Start a campaign, now or at the time of its schedule',
      description:
        'Starting it again changes nothing. A time that has passed since the campaign was created means now. ' +
        '409 `approval-needed` while an approval that the policy requires is missing. With `canary`, the run ' +
        'serves its first users and pauses; such a start is refused for a campaign that was started before ' +
        '(409 `state-forbids`). To try a campaign without a start, use `startTrial`.',
      tags,
      headers: idempotentHeaders,
      params: byId,
      body: startRequest.nullish(),
      response: {
        200: jsonAnswer('The campaign, scheduled', campaignWithWarnings),
      },
    },
    handler: async (request) => {
      const { id } = request.params;
      const { canary = null } = request.body ?? {};
      request.auditDetail = canary && { canary };
      const uuid = requireId('campaign', id);
      const record = await campaigns.get(uuid);
      if (!record) throw notFound('campaign', id);
      refuseArchived(record);
      if (canary) requireCanaryAtStart(canary, record, clock.now());
      if (record.state !== 'draft') return { ...campaignView(record), warnings: [] };
      requireConfigured(record.definition, await catalogue.refresh());
      const sourceEstimates = await estimateWithWarnings(record.definition, deps);
      const starter = startsNow(record.definition, clock.now()) ? callerOf(request).key : null;
      const clearedBy = await requireApproval(record, { ...sourceEstimates, starter }, deps);
      const by = { now: clock.now(), clearedBy, asker: requesterOf(request), canary };
      const started = await startCampaign(campaigns, record, by);
      if (!started) throw notFound('campaign', id);
      refuseArchived(started);
      // The campaign is still a draft if, after the check above, the policy was changed or the approval was sent back.
      if (started.state === 'draft') throw approvalChanged(id);
      return { ...campaignView(started), warnings: sourceEstimates.warnings };
    },
  });
}

function estimateRoute(server: HttpServer, deps: CampaignRoutesDeps): void {
  const { campaigns, clock } = deps;
  server.route({
    method: 'POST',
    url: '/campaigns/:id/estimate',
    config: { role: 'manager', scope: 'campaign', audit: 'estimated the users of a campaign' },
    schema: {
      operationId: 'estimateCampaign',
      summary: 'Estimate how many users a campaign would have',
      description: 'The size of each source by country, and the bounds for all of them together. Nothing is changed.',
      tags,
      params: byId,
      response: { 200: jsonAnswer('The estimate', campaignEstimate), ...problems(422) },
    },
    handler: async (request) => {
      request.isPreview = true;
      const { id } = request.params;
      refuseFields(request.body);
      const record = await campaigns.get(requireId('campaign', id));
      if (!record) throw notFound('campaign', id);
      const sourceEstimates = await estimateSources(record.definition, deps);
      if (sourceEstimates.problems.length > 0) throw invalidRequest(sourceEstimates.problems);
      const { actionTypes } = await deps.catalogue.refresh();
      const prices = { actionTypes, currency: deps.currency };
      return estimateView(id, record.definition, sourceEstimates, { now: clock.now(), prices });
    },
  });
}

function unscheduleRoute(server: HttpServer, { campaigns }: CampaignRoutesDeps): void {
  server.route({
    method: 'POST',
    url: '/campaigns/:id/unschedule',
    config: { role: 'manager', scope: 'campaign', audit: 'unscheduled a campaign' },
    schema: {
      operationId: 'unscheduleCampaign',
      summary: 'Unschedule a campaign before its run begins',
      description:
        'The campaign is a draft again, and may be started again. If its run has begun, cancel the run ' + 'instead.',
      tags,
      headers: idempotentHeaders,
      params: byId,
      response: {
        200: jsonAnswer('The campaign, a draft', campaign),
      },
    },
    handler: async ({ params: { id }, body }) => {
      refuseFields(body);
      const record = await campaigns.unschedule(requireId('campaign', id));
      if (!record) throw notFound('campaign', id);
      if (record.state !== 'draft') throw alreadyRuns(record);
      return campaignView(record);
    },
  });
}

/**
 * Checks that all sources of the audience exist.
 * @throws {HttpProblem} 422 otherwise
 */
export async function requireSources(definition: CampaignDefinition, deps: CampaignRoutesDeps): Promise<Warning[]> {
  return (await estimateWithWarnings(definition, deps)).warnings;
}

/**
 * Returns the estimate and the warnings.
 * @throws {HttpProblem} 422 if a source of the audience does not exist
 */
async function estimateWithWarnings(
  definition: CampaignDefinition,
  deps: CampaignRoutesDeps,
): Promise<Omit<SourceEstimates, 'problems'>> {
  const { problems: found, warnings, ...sourceEstimates } = await estimateSources(definition, deps);
  if (found.length > 0) throw invalidRequest(found);
  return { ...sourceEstimates, warnings: [...warnings, ...(await findUnservedSteps(definition, deps))] };
}

/**
 * Requires an approval of the start, if the policy needs one. A source of unknown size counts as zero users; the number
 * of its users is checked when the run begins.
 * @param starter key that starts the campaign at once; null if the campaign begins later
 * @throws {HttpProblem} 409 if an approval is needed
 */
async function requireApproval(
  campaign: CampaignRecord,
  { starter, ...sourceEstimates }: Omit<SourceEstimates, 'problems' | 'warnings'> & { starter: string | null },
  { approvals }: CampaignRoutesDeps,
): Promise<ClearedBy> {
  const estimates = countryEstimates(campaign.definition.countries, sourceEstimates);
  const users = Object.fromEntries(estimates.map(({ country, users: { atMost } }) => [country, atMost ?? 0]));
  const { clearance, ...clearedBy } = await approvals.judge(campaign, users, starter);
  if (clearance.kind === 'needed') throw approvalNeeded(campaign, clearance, users);
  return clearedBy;
}

function approvalChanged(id: string): HttpProblem {
  const detail = `the policy or the approval of ${id} has just changed: check its approval, and start it again`;
  return new HttpProblem({ status: 409, code: 'approval-needed', detail });
}

/**
 * Validates a body by its shape and by the configuration, and reports all problems at once. It does not check headers.
 */
export function campaignValidator(catalogue: CatalogueReader, clock: Clock): FastifySchemaCompiler<unknown> {
  return ({ httpPart }) =>
    (value: unknown) => {
      if (httpPart !== 'body') return { value };
      const checked = checkCampaign(value, catalogue.current(), clock.now());
      return checked.ok ? { value: checked.value } : { error: invalidRequest(checked.problems, checked.more) };
    };
}

/**
 * Checks a campaign against the current configuration, which may have changed since the campaign was written.
 * @throws {HttpProblem} 409
 */
export function requireConfigured(definition: CampaignDefinition, catalogue: Catalogue): void {
  const { budgets = [], chain } = definition;
  const errors = [...checkAgainstConfig(definition, catalogue), ...checkMoney(budgets, chain, catalogue)];
  if (errors.length === 0) return;
  const detail = 'the campaign does not match the current configuration';
  throw new HttpProblem({ status: 409, code: 'no-longer-configured', detail, errors });
}

function alreadyRuns({ campaignId, latestRun, scheduleId }: CampaignRecord): HttpProblem {
  if (scheduleId !== null) {
    const schedule = publicId('schedule', scheduleId);
    const detail = `${publicId('campaign', campaignId)} has fired before: POST /v1/schedules/${schedule}/disable ends it`;
    return stateForbids(detail);
  }
  const run = latestRun
    ? `${publicId('run', latestRun.runId)} is ${latestRun.state}: cancel it`
    : 'its run is being created';
  const detail = `${publicId('campaign', campaignId)} cannot be unscheduled any more, only while it is scheduled and has no run; ${run}`;
  return stateForbids(detail);
}
