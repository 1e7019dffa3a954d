import type { FastifyRequest } from 'fastify';
import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import {
  trial,
  trialCounts,
  trialRequest,
  type TestRequest,
  type Trial,
} from '../../../shared/contracts/runs/trials.ts';
import type { UsersByCountry } from '../../../shared/domain/approval/user-bounds.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import type { ShardStore } from '../../../shared/ports/registry.ts';
import { createShardStore } from '../../../shared/postgres/registry/registry.ts';
import { askerOf } from '../access/asker.ts';
import { callerOf } from '../access/scopes.ts';
import type { ApiParts } from '../api-parts.ts';
import { approvalNeeded } from '../campaigns/approvals/approval-problems.ts';
import { requireConfigured } from '../campaigns/campaign-routes.ts';
import type { CampaignRecord } from '../campaigns/campaign-store.port.ts';
import { isArchived } from '../campaigns/refusals.ts';
import { stateForbids, HttpProblem, invalidRequest, quoted } from '../frame/http-problem.ts';
import { requireCampaign } from '../campaigns/require-campaign.ts';
import { unservedSteps } from '../campaigns/unserved-steps.ts';
import { jsonAnswer, problems } from '../frame/document/answer-shapes.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { idempotentHeaders } from '../frame/server/idempotency.ts';
import type { RunHeader } from '../runs/run-reports.port.ts';
import { createTrials, type BegunTrial, type Trials } from './postgres/trials.ts';
import type { JudgedTest } from './postgres/judge-test.ts';
import { testOf, type Test } from './test-of.ts';
import { dryRunView, testView } from './trial-view.ts';

interface Deps extends ApiParts {
  shards: Pick<ShardStore, 'ensure'>;
  trials: Trials;
}

const byId = z.object({ id: z.string().describe('cmp_…') });
const tags = ['campaigns'];

export function routes(server: HttpServer, parts: ApiParts): void {
  const deps = { ...parts, shards: createShardStore(parts), trials: createTrials(parts) };
  startRoute(server, deps);
  countsRoute(server, deps);
}

function countsRoute(server: HttpServer, { campaigns, trials }: Deps): void {
  server.route({
    method: 'GET',
    url: '/campaigns/:id/trials/counts',
    config: { role: 'viewer', scope: 'campaign' },
    schema: {
      operationId: 'countTrials',
      summary: 'Show how often a campaign was tried, and how many users its live tests reached',
      tags,
      params: byId,
      response: { 200: jsonAnswer('The numbers of its trials', trialCounts) },
    },
    handler: async ({ params }) => trials.counts((await requireCampaign(params.id, campaigns)).campaignId),
  });
}

function startRoute(server: HttpServer, deps: Deps): void {
  server.route({
    method: 'POST',
    url: '/campaigns/:id/trials',
    config: {
      role: 'manager',
      scope: 'campaign',
      audit: 'started a test or a dry run of a campaign',
      refusals: { 'foreign-country': 'the country is none of the campaign' },
    },
    schema: {
      operationId: 'startTrial',
      summary: 'Try a campaign: on at most 50 users, or on everybody without calling anybody',
      description:
        'A run of its own of the newest revision, draft or started, which is in no figures of the campaign, and may be paused and cancelled. ' +
        'Its runs: `GET /v1/runs?kind=test` and `kind=dry-run`. ' +
        'A `test` calls the real endpoints. Where an action type says that it understands it, the endpoint is called with ' +
        '`Muster-Mode: test` and gives nothing; the other steps really give: the answer and each line of the report say which. What it really ' +
        'spends counts in the budgets of the campaign, and asks for the same approval as any run of so many users. Live tests count in the ' +
        'sums that the policy judges within 24 hours. A user whom a live test of the campaign has reached is reached again with `again` alone ' +
        '(409 `reached-by-test`), and is served by the campaign all the same. With `preview`, nothing is begun. ' +
        'A `dry-run` pages, merges and cuts the whole audience into batches as any run does, and each batch ends as it is written. No endpoint ' +
        'is called, nothing goes to a topic, no unit of a budget is spent, and no approval is needed. Its report says who would get what, and ' +
        '`forecast` how long that would take. It pages at most 20,000 users a second, and ends after six hours at most; whom it has seen is ' +
        'kept for a day.',
      tags,
      headers: idempotentHeaders,
      params: byId,
      body: trialRequest,
      response: {
        200: jsonAnswer('What would be real', trial),
        201: jsonAnswer('The run that was begun', trial),
        ...problems(409),
      },
    },
    handler: async (request, reply) => {
      const { body, params } = request;
      request.auditDetail = { kind: body.kind };
      request.isPreview = body.kind === 'test' && body.preview;
      const record = await requireCampaign(params.id, deps.campaigns);
      if (record.archivedAt !== null) throw isArchived(record);
      const answer =
        body.kind === 'test' ? await startTest(request, record, body, deps) : await startDryRun(request, record, deps);
      const { run, links } = answer;
      if (run === null) return reply.code(200).send(answer);
      request.auditDetail = { ...request.auditDetail, created: run.runId };
      return reply
        .code(201)
        .header('location', links.self ?? '')
        .send(answer);
    },
  });
}

/** Starts a test, or only judges it if the request is for a preview. */
async function startTest(
  request: FastifyRequest,
  record: CampaignRecord,
  { users, country, preview, again }: TestRequest,
  deps: Deps,
): Promise<Trial> {
  const { trials } = deps;
  const config = await deps.catalogue.refresh();
  const { chain, countries } = record.definition;
  requireConfigured(record.definition, config);
  if (!countries.includes(country)) throw foreignCountry(country, countries);

  const test = testOf(record, { country, users, again, by: callerOf(request).key }, config);
  if (preview) requireClear(await trials.judgeTest(test.wanted), record, { [country]: users.length });
  const warnings = await unservedSteps({ chain, countries: [country] }, deps);
  const seen = { users: users.length, chain, warnings };
  if (preview) return testView(null, test.wanted.modes, seen);

  const run = await begunTest(request, record, test, deps);
  // Uses the modes stored with the run: a repeated request gets the answer of the first one.
  const view = testView(run, run.stepModes ?? [], seen);
  request.auditDetail = { ...request.auditDetail, users: users.length, country, isReal: view.isReal };
  return view;
}

async function begunTest(
  request: FastifyRequest,
  record: CampaignRecord,
  { wanted, actions, batchUsers }: Test,
  deps: Deps,
): Promise<RunHeader> {
  const { country, users } = wanted;
  const shards = actions.map((actionType) => ({ actionType, country }));
  await deps.shards.ensure(shards, deps.config.engine.partitionsPerShard);
  const trial = newTrial(request, record);
  const begun = await deps.trials.beginTest(trial, batchUsers, wanted);
  requireClear(begun, record, { [country]: users.length });
  return requireBegun(begun, trial, deps);
}

async function startDryRun(request: FastifyRequest, record: CampaignRecord, deps: Deps): Promise<Trial> {
  requireConfigured(record.definition, await deps.catalogue.refresh());
  const warnings = await unservedSteps(record.definition, deps);
  const trial = newTrial(request, record);
  const run = await requireBegun(await deps.trials.beginDryRun(trial), trial, deps);
  return dryRunView(run, warnings);
}

function newTrial(request: FastifyRequest, { campaignId, revision }: CampaignRecord) {
  return { runId: request.begun?.createdId ?? uuidv7(), campaignId, revision, asker: askerOf(request) };
}

/** @throws {HttpProblem} 409 if the test needs an approval, or if it names users whom an earlier test has reached */
function requireClear(judged: JudgedTest | BegunTrial, record: CampaignRecord, users: UsersByCountry): void {
  if (judged.kind === 'needed') throw approvalNeeded(record, judged, users);
  if (judged.kind === 'reached') throw reachedBefore(record.campaignId, judged.users);
}

/** Returns the run. @throws {HttpProblem} 409 if it was not begun */
async function requireBegun(
  begun: BegunTrial,
  { runId, campaignId }: { runId: string; campaignId: string },
  { reports }: Deps,
): Promise<RunHeader> {
  const run = begun.kind === 'begun' ? await reports.snapshot(runId) : undefined;
  if (run) return run;
  const id = publicId('campaign', campaignId);
  throw stateForbids(`${id} was changed, put away, or judged anew this moment: look at it, and try again`);
}

const namedUsers = 5;

function reachedBefore(campaignId: string, users: readonly string[]): HttpProblem {
  const others = users.length > namedUsers ? ` and ${users.length - namedUsers} others` : '';
  const named = users.slice(0, namedUsers).map((user) => quoted(user));
  const detail =
    `an earlier live test of ${publicId('campaign', campaignId)} has reached ${named.join(', ')}${others}: ` +
    'name other users, or ask to reach them again ("again": true)';
  return new HttpProblem({ status: 409, code: 'reached-by-test', detail });
}

function foreignCountry(country: string, countries: readonly string[]): HttpProblem {
  const detail = `${quoted(country)} is none of the campaign's countries: ${countries.slice(0, 20).join(', ')}`;
  return invalidRequest([{ pointer: '/country', code: 'foreign-country', detail }]);
}
