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
import { publicId } from '../../../shared/domain/ids/ids.ts';
import type { ShardStore } from '../../../shared/ports/registry.ts';
import { createShardStore } from '../../../shared/postgres/registry/registry.ts';
import { requesterOf } from '../access/requester.ts';
import { callerOf } from '../access/scopes.ts';
import type { ApiParts } from '../api-parts.ts';
import { approvalNeeded } from '../campaigns/approvals/approval-problems.ts';
import { requireConfigured } from '../campaigns/campaign-routes.ts';
import type { CampaignRecord } from '../campaigns/campaign-store.port.ts';
import { campaignArchived } from '../campaigns/refusals.ts';
import { stateForbids, HttpProblem, quoted } from '../frame/http-problem.ts';
import { requireCampaign } from '../campaigns/require-campaign.ts';
import { findUnservedSteps } from '../campaigns/unserved-steps.ts';
import { jsonAnswer, problems } from '../frame/document/answer-shapes.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { idempotentHeaders } from '../frame/server/idempotency.ts';
import type { RunHeader } from '../runs/run-reports.port.ts';
import { createTrials, testRuns, type BegunTrial, type Trials } from './postgres/trials.ts';
import { judgedUsers, type TestVerdict, type WantedTest } from './postgres/judge-test.ts';
import { planTest, type PlannedTest } from './plan-test.ts';
import { testersRefusals, usersOfTest } from './test-users.ts';
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
      refusals: testersRefusals,
    },
    schema: {
      operationId: 'startTrial',
      summary: 'Try a campaign: a test with at most 200 users, or a dry run without calls',
      description:
        'Starts a separate run of the newest revision, draft or started. The figures of the campaign exclude ' +
        'it, and it can be paused and cancelled. Such runs are listed by `GET /v1/runs?kind=test` and ' +
        '`kind=dry-run`. A `test` calls the real endpoints, for users of one country or for a list of testers of ' +
        'several countries. If an action type supports tests, its endpoint ' +
        'is called with `Muster-Mode: test` and gives nothing. The other steps have a real effect: the ' +
        'response and each line of the report show which. Real spending counts in the budgets of the ' +
        'campaign, and needs the same approval as any run of so many users. Live tests count in the sums ' +
        'that the policy judges within 24 hours. With variants, each user gets all of them, in a run for each. A user whom a live test of the campaign has already reached ' +
        'is reached again only with `again` (409 `reached-by-test`). The campaign still serves that user. ' +
        'With `preview`, no run begins. A `dry-run` pages, merges and cuts the whole audience into batches ' +
        'as any run does, and each batch ends as soon as it is written. No endpoint is called, nothing goes ' +
        'to a topic, no unit of a budget is spent, and no approval is needed. Its report shows which users ' +
        'would get what, and `forecast` how long that would take. It pages at most 20,000 users a second, ' +
        'and ends after six hours at most; its users are stored for a day.',
      tags,
      headers: idempotentHeaders,
      params: byId,
      body: trialRequest,
      response: {
        200: jsonAnswer('The preview, with the steps that have a real effect', trial),
        201: jsonAnswer('The run that was begun', trial),
        ...problems(409),
      },
    },
    handler: async (request, reply) => {
      const { body, params } = request;
      request.auditDetail = { kind: body.kind };
      request.isPreview = body.kind === 'test' && body.preview;
      const record = await requireCampaign(params.id, deps.campaigns);
      if (record.archivedAt !== null) throw campaignArchived(record);
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
  test: TestRequest,
  deps: Deps,
): Promise<Trial> {
  const { trials } = deps;
  const config = await deps.catalogue.refresh();
  const { chain, countries } = record.definition;
  requireConfigured(record.definition, config);
  const users = await usersOfTest(request, test, countries, deps);
  const called = Object.keys(users);

  const planned = planTest(record, { users, again: test.again, by: callerOf(request).key }, config);
  if (test.preview) requireClear(await trials.checkTestApproval(planned.wanted), record, planned.wanted);
  const warnings = await findUnservedSteps({ chain, countries: called }, deps);
  const total = Object.values(users).flat().length;
  const seen = { users: total, chain, warnings };
  const { variants } = planned.wanted;
  const unstarted = variants.map((name) => ({ name, runId: null }));
  if (test.preview) return testView(null, planned.wanted.modes, { ...seen, variants: unstarted });

  const run = await beginTest(request, record, planned, deps);
  // Uses the modes stored with the run: a repeated request gets the answer of the first one.
  const begun = testRuns(run.runId, variants).flatMap(({ runId, name }) =>
    name === null ? [] : [{ name, runId: publicId('run', runId) }],
  );
  const view = testView(run, run.stepModes ?? [], { ...seen, variants: begun });
  request.auditDetail = { ...request.auditDetail, users: total, countries: called, isReal: view.isReal };
  return view;
}

async function beginTest(
  request: FastifyRequest,
  record: CampaignRecord,
  { wanted, actions, batchUsers }: PlannedTest,
  deps: Deps,
): Promise<RunHeader> {
  const { users } = wanted;
  const shards = Object.keys(users).flatMap((country) => actions.map((actionType) => ({ actionType, country })));
  await deps.shards.ensure(shards, deps.config.engine.partitionsPerShard);
  const trial = newTrial(request, record);
  const begun = await deps.trials.beginTest(trial, batchUsers, wanted);
  requireClear(begun, record, wanted);
  return requireBegun(begun, trial, deps);
}

async function startDryRun(request: FastifyRequest, record: CampaignRecord, deps: Deps): Promise<Trial> {
  requireConfigured(record.definition, await deps.catalogue.refresh());
  const warnings = await findUnservedSteps(record.definition, deps);
  const trial = newTrial(request, record);
  const run = await requireBegun(await deps.trials.beginDryRun(trial), trial, deps);
  return dryRunView(run, warnings);
}

function newTrial(request: FastifyRequest, { campaignId, revision }: CampaignRecord) {
  return { runId: request.begun?.createdId ?? uuidv7(), campaignId, revision, asker: requesterOf(request) };
}

/** @throws {HttpProblem} 409 if the test needs an approval, or if it names users whom an earlier test has reached */
function requireClear(judged: TestVerdict | BegunTrial, record: CampaignRecord, test: WantedTest): void {
  if (judged.kind === 'needed') throw approvalNeeded(record, judged, judgedUsers(test));
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
  throw stateForbids(`${id} was just changed or archived, or its approval has changed: check it, and try again`);
}

const namedUsers = 5;

function reachedBefore(campaignId: string, users: readonly string[]): HttpProblem {
  const others = users.length > namedUsers ? ` and ${users.length - namedUsers} others` : '';
  const named = users.slice(0, namedUsers).map((user) => quoted(user));
  const detail =
    `an earlier live test of ${publicId('campaign', campaignId)} has reached ${named.join(', ')}${others}: ` +
    'name other users, or set "again" to true to reach them again';
  return new HttpProblem({ status: 409, code: 'reached-by-test', detail });
}
