import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import type { ChainStep } from '../../../../shared/contracts/campaigns/campaigns.ts';
import { testFigures, testSend, testSendRequest, type TestSend } from '../../../../shared/contracts/runs/test-sends.ts';
import type { Catalogue } from '../../../../shared/contracts/endpoints/engine-config.ts';
import type { UsersByCountry } from '../../../../shared/domain/approval/user-bounds.ts';
import { publicId } from '../../../../shared/domain/ids/ids.ts';
import { modeOfStep, type StepMode } from '../../../../shared/domain/run/run-kinds.ts';
import { usualBatchUsers } from '../../../../shared/domain/step/batch.ts';
import type { ShardStore } from '../../../../shared/ports/registry.ts';
import { createShardStore } from '../../../../shared/postgres/registry/registry.ts';
import { approvalNeeded } from '../../campaigns/approvals/approval-problems.ts';
import { callerOf } from '../../access/scopes.ts';
import { requireConfigured } from '../../campaigns/campaign-routes.ts';
import type { CampaignRecord } from '../../campaigns/campaign-store.port.ts';
import { isArchived } from '../../campaigns/refusals.ts';
import { requireCampaign } from '../../campaigns/require-campaign.ts';
import { unservedSteps } from '../../campaigns/unserved-steps.ts';
import type { ApiParts } from '../../api-parts.ts';
import { HttpProblem, invalidRequest, quoted } from '../../frame/http-problem.ts';
import { idempotentHeaders } from '../../frame/server/idempotency.ts';
import { jsonAnswer, problems } from '../../frame/document/answer-shapes.ts';
import type { HttpServer } from '../../frame/server/create-http-server.ts';
import { askerOf } from '../../access/asker.ts';
import type { RunHeader } from '../../runs/run-reports.port.ts';
import { runSummaryView } from '../../runs/run-view.ts';
import type { JudgedTest } from './postgres/judge-test.ts';
import { createTestSends, type BegunTest, type TestSends } from './postgres/test-sends.ts';
import { chainThatGives, stepModesOf, summaryOf } from './step-modes.ts';

interface Deps extends ApiParts {
  shards: Pick<ShardStore, 'ensure'>;
  testSends: TestSends;
}

export function routes(server: HttpServer, parts: ApiParts): void {
  const deps = { ...parts, shards: createShardStore(parts), testSends: createTestSends(parts) };
  sendRoute(server, deps);
  figuresRoute(server, deps);
}

function figuresRoute(server: HttpServer, { campaigns, testSends }: Deps): void {
  server.route({
    method: 'GET',
    url: '/campaigns/:id/tests',
    config: { role: 'viewer', scope: 'campaign' },
    schema: {
      operationId: 'getTestFigures',
      summary: 'Show how often a campaign was tested, and how many users its live tests reached',
      tags: ['campaigns'],
      params: z.object({ id: z.string().describe('cmp_…') }),
      response: { 200: jsonAnswer('The figures of its tests', testFigures) },
    },
    handler: async ({ params }) => testSends.figures((await requireCampaign(params.id, campaigns)).campaignId),
  });
}

function sendRoute(server: HttpServer, deps: Deps): void {
  const { campaigns, catalogue, testSends, reports } = deps;
  server.route({
    method: 'POST',
    url: '/campaigns/:id/test-send',
    config: {
      role: 'manager',
      scope: 'campaign',
      audit: 'sent a test of a campaign',
      refusals: { 'foreign-country': 'the country is none of the campaign' },
    },
    schema: {
      operationId: 'testSendCampaign',
      summary: 'Try a campaign on at most 50 users',
      description:
        'A run of its own (`kind: "test"`) of the newest revision, draft or started, through the real endpoints. Where an action type says ' +
        'that it understands it, the endpoint is called with `Muster-Mode: test` and gives nothing; the other steps really give: the answer ' +
        'and each line of the report say which. It is in no figures of the campaign; what it really spends counts in its budgets, and asks ' +
        'for the same approval as any run of so many users. Live tests count in the sums that the policy judges within 24 hours. A user whom ' +
        'a live test of the campaign has reached is reached again with `again` alone (409 `reached-by-test`), and is served by the campaign ' +
        'all the same. With `preview`, nothing is begun.',
      tags: ['campaigns'],
      headers: idempotentHeaders,
      params: z.object({ id: z.string().describe('cmp_…') }),
      body: testSendRequest,
      response: {
        200: jsonAnswer('What would be real', testSend),
        201: jsonAnswer('The run that was begun', testSend),
        ...problems(409),
      },
    },
    handler: async (request, reply) => {
      const { begun, body, params } = request;
      const { users, country, preview, again } = body;
      request.isPreview = preview;
      const record = await requireCampaign(params.id, campaigns);
      if (record.archivedAt !== null) throw isArchived(record);
      const config = await catalogue.refresh();
      const { chain, countries } = record.definition;
      requireConfigured(record.definition, config);
      if (!countries.includes(country)) throw foreignCountry(country, countries);

      const modes = stepModesOf(chain, config);
      const given = { ...record.definition, chain: chainThatGives(chain, modes) };
      const real = chain.flatMap(({ action }, index) => (modes[index] === 'live' ? [action] : []));
      const wanted = {
        ...{ campaign: { ...record, definition: given }, country, users, modes, again },
        ...{ actions: [...new Set(real)], by: callerOf(request).key },
      };
      if (preview) requireClear(await testSends.judge(wanted), record, { [country]: users.length });
      const warnings = await unservedSteps({ chain, countries: [country] }, deps);
      const said = { users: users.length, chain, warnings };
      if (preview) return reply.code(200).send(viewOf(null, modes, said));

      const actions = [...new Set(chain.map(({ action }) => action))];
      const shards = actions.map((actionType) => ({ actionType, country }));
      await deps.shards.ensure(shards, deps.config.engine.partitionsPerShard);
      const runId = begun?.createdId ?? uuidv7();
      const { campaignId, revision } = record;
      const checks = chain.flatMap(({ check }) => check?.type ?? []);
      const batchUsers = batchUsersOf([...actions, ...checks], config);
      const asker = askerOf(request);
      const test = { runId, campaignId, revision, country, users, modes, batchUsers, asker };
      const begunTest = await testSends.begin(test, wanted);
      requireClear(begunTest, record, { [country]: users.length });
      const run = begunTest.kind === 'begun' ? await reports.snapshot(runId) : undefined;
      if (!run) throw changedMeanwhile(params.id);
      // Uses the modes stored with the run: a repeated request gets the answer of the first one.
      const view = viewOf(run, run.stepModes ?? [], said);
      const created = publicId('run', runId);
      request.auditDetail = { users: users.length, country, isReal: view.isReal, created };
      return reply.code(201).header('location', `/v1/runs/${created}`).send(view);
    },
  });
}

interface Said extends Pick<TestSend, 'users' | 'warnings'> {
  chain: readonly Pick<ChainStep, 'action'>[];
}

function viewOf(run: RunHeader | null, modes: readonly StepMode[], { users, chain, warnings }: Said): TestSend {
  const self = run && `/v1/runs/${publicId('run', run.runId)}`;
  const steps = chain.map(({ action }, index) => ({ step: index + 1, action, mode: modeOfStep(modes, index + 1) }));
  return {
    run: run && runSummaryView(run),
    users,
    steps,
    isReal: steps.some(({ mode }) => mode === 'live'),
    summary: summaryOf(users, steps),
    warnings,
    links: { self, report: self && `${self}/report` },
  };
}

/** @throws {HttpProblem} 409 if the test needs an approval, or if it names users whom an earlier test has reached */
function requireClear(judged: JudgedTest | BegunTest, record: CampaignRecord, users: UsersByCountry): void {
  if (judged.kind === 'needed') throw approvalNeeded(record, judged, users);
  if (judged.kind === 'reached') throw reachedBefore(record.campaignId, judged.users);
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

/** Returns the batch size of any run with this chain: the smallest of its action types. */
function batchUsersOf(actions: readonly string[], { actionTypes }: Catalogue): number {
  return Math.min(...actions.map((action) => actionTypes[action]?.batchSize ?? usualBatchUsers));
}

function foreignCountry(country: string, countries: readonly string[]): HttpProblem {
  const detail = `${quoted(country)} is none of the campaign's countries: ${countries.slice(0, 20).join(', ')}`;
  return invalidRequest([{ pointer: '/country', code: 'foreign-country', detail }]);
}

function changedMeanwhile(id: string): HttpProblem {
  const detail = `${id} was changed, put away, or judged anew this moment: look at it, and try again`;
  return new HttpProblem({ status: 409, code: 'state-forbids', detail });
}
