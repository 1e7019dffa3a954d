import { get as httpGet, type IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { campaignDefinition } from '../../../shared/contracts/campaigns/campaigns.ts';
import { pageShape } from '../frame/pages.contract.ts';
import { problem } from '../frame/problems.contract.ts';
import { runRates } from '../../../shared/contracts/runs/run-history.ts';
import { runProgress, runReport, runSummary } from '../../../shared/contracts/runs/runs.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import type { RunSeed } from '../../../test/support/conformance/run-rows.ts';
import { authorized, someCampaign } from '../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import { judgeOperation } from '../../../test/support/fuzz/judge-operation.ts';
import { createPostgresExecutionStores } from '../../../test/support/postgres-execution-stores.ts';
import type { RunReports } from './run-reports.port.ts';
import { createApi } from '../api.ts';
import { nextSteps } from './run-view.ts';

const on = apiOnPostgres();

const startedAt = new Date('2025-12-31T23:59:00Z');

function get(url: string, headers: Record<string, string> = {}) {
  return on.api.server.inject({ method: 'GET', url, headers: { ...authorized, ...headers } });
}

async function campaignThere(): Promise<string> {
  const { campaignId } = await on.deps.campaigns.create(campaignDefinition.parse(someCampaign));
  return campaignId;
}

async function runThere(seed: Partial<RunSeed> = {}) {
  const campaignId = seed.campaignId ?? (await campaignThere());
  const facts = { revision: 1, scheduledFor: startedAt, state: 'running', startedAt, ...seed } as const;
  const runId = await on.deps.rows.addRun({ ...facts, campaignId });
  return { runId, id: publicId('run', runId), campaignId };
}

describe('the list of runs', () => {
  const runPage = pageShape(runSummary);

  it('shows the runs of one campaign in one state, newest first', async () => {
    const { campaignId, id: older } = await runThere({ state: 'completed', scheduledFor: new Date(0) });
    const { id: newer } = await runThere({ campaignId, state: 'completed' });
    await runThere({ campaignId, state: 'running', scheduledFor: new Date(1) });
    await runThere({ state: 'completed' });

    const response = await get(`/v1/runs?campaignId=${publicId('campaign', campaignId)}&state=completed`);

    expect(runPage.parse(response.json()).items.map(({ runId }) => runId)).toEqual([newer, older]);
  });

  it('has several pages', async () => {
    const { campaignId, id: older } = await runThere({ scheduledFor: new Date(0) });
    const { id: newer } = await runThere({ campaignId });

    const first = runPage.parse((await get('/v1/runs?limit=1')).json());
    const second = runPage.parse((await get(`/v1/runs?limit=1&cursor=${first.next ?? ''}`)).json());

    expect([...first.items, ...second.items].map(({ runId }) => runId)).toEqual([newer, older]);
    expect(second.next).toBeNull();
  });

  it('finds ended runs by a part of their campaign’s name, in pages', async () => {
    const campaignOf = async (name: string) =>
      (await on.deps.campaigns.create(campaignDefinition.parse({ ...someCampaign, name }))).campaignId;
    const [payday, other] = [await campaignOf('Payday 100 % top-up'), await campaignOf('Payday 1000 top-up')];
    const ended = { state: 'completed', endedAt: startedAt } as const;
    const { id: older } = await runThere({ ...ended, campaignId: payday, scheduledFor: new Date(0) });
    const { id: newer } = await runThere({ ...ended, campaignId: payday });
    const { id: going } = await runThere({ campaignId: payday, scheduledFor: new Date(1) });
    await runThere({ ...ended, campaignId: other });

    const found = async (query: string) => runPage.parse((await get(`/v1/runs?${query}`)).json());
    const first = await found('q=payday%20100%20%25&ended=true&limit=1');
    const second = await found(`q=payday%20100%20%25&ended=true&limit=1&cursor=${first.next ?? ''}`);
    expect([...first.items, ...second.items].map(({ runId }) => runId)).toEqual([newer, older]);
    expect(second.next).toBeNull();
    expect((await found('q=payday%20100%20%25&ended=false')).items.map(({ runId }) => runId)).toEqual([going]);
    expect((await found('q=PAYDAY&state=completed')).items).toHaveLength(3);
  });

  it.each([
    ['ended=perhaps', '/ended'],
    ['q=', '/q'],
    ['campaignId=17', '/campaignId'],
    ['campaignId=run_01jdyjm7sbfx2v4x0000000000', '/campaignId'],
    ['state=done', '/state'],
    ['cursor=cmp_01jdyjm7sbfx2v4x0000000000', '/cursor'],
    ['campaign=cmp_01jdyjm7sbfx2v4x0000000000', '/campaign'],
  ])('refuses the query ?%s', async (query, pointer) => {
    const response = await get(`/v1/runs?${query}`);

    expect(response.statusCode).toBe(422);
    expect(problem.parse(response.json()).errors).toMatchObject([{ pointer }]);
  });
});

describe('a run', () => {
  it('is shown with its state and times', async () => {
    const { id } = await runThere({ state: 'failed', stateReason: 'no such segment', endedAt: new Date(0) });

    expect(runSummary.parse((await get(`/v1/runs/${id}`)).json())).toMatchObject({
      runId: id,
      campaignName: someCampaign.name,
      state: 'failed',
      stateReason: 'no such segment',
      startedAt: startedAt.toISOString(),
      endedAt: '1970-01-01T00:00:00.000Z',
    });
  });

  it.each(['', '/progress', '/rates', '/report', '/failures'])('is not found for an unknown id: %s', async (below) => {
    for (const id of ['run_01jdyjm7sbfx2v4x0000000000', 'cmp_01jdyjm7sbfx2v4x0000000000', 'last']) {
      const response = await get(`/v1/runs/${id}${below}`);

      const { code, detail } = problem.parse(response.json());
      expect([response.statusCode, code]).toEqual([404, 'run-not-found']);
      expect(detail).toContain(id);
    }
  });
});

describe('the report of a run', () => {
  it('has consistent sums, and the failures by reason', async () => {
    const { runId, id } = await runThere({ state: 'completed_with_failures', endedAt: new Date() });
    const feedId = await on.deps.rows.addFeed(runId, {
      country: 'SG',
      fedUsers: 100,
      fedBatches: 1,
      complete: true,
    });
    await on.deps.rows.addTotals(feedId, 1, { step: 1, batches: 1, created: 1, succeeded: 98, failed: 2 });
    await on.deps.rows.addTotals(feedId, 1, { step: 2, batches: 1, succeeded: 98 });
    for (const user of ['u1', 'u2']) await on.deps.rows.addFailure(feedId, { user, step: 1, reason: 'out-of-stock' });

    const report = runReport.parse((await get(`/v1/runs/${id}/report`)).json());

    expect(report.balanced).toBe(true);
    expect(report.batches).toEqual({ fed: 1, retried: 1 });
    expect(report.steps).toMatchObject([
      { step: 1, action: 'award-reward', audience: 100, succeeded: 98, failed: 2, pending: 0 },
      { step: 2, action: 'send-message', audience: 100, succeeded: 98, skipped: 2, pending: 0 },
    ]);
    expect(report.failures).toEqual([
      {
        step: 1,
        country: 'SG',
        outcome: 'failed',
        reason: 'out-of-stock',
        users: 2,
        sample: ['u1', 'u2'],
        retryable: true,
      },
    ]);
  });
});

describe('the progress of a run', () => {
  it('includes numbers, speed and causes of waiting', async () => {
    const { runId, id } = await runThere({ inFlight: 3, waitingCause: 'rewards answer 503' });
    const feedId = await on.deps.rows.addFeed(runId, { country: 'SG', estimate: 1200, fedUsers: 600 });
    await on.deps.rows.addTotals(feedId, 1, { step: 1, succeeded: 600, waiting: 2 });

    const progress = runProgress.parse((await get(`/v1/runs/${id}/progress`)).json());

    expect(progress).toMatchObject({
      audience: { estimated: 1200, counted: 600, complete: false },
      usersPerSecond: { oneMinute: 10, tenMinutes: 10 },
      inFlight: 3,
      waitingForRetry: 2,
      stalled: 'rewards answer 503',
      // 600 steps of fed users and 1,200 steps of users who are not fed yet remain, at 10 steps a second.
      eta: { p50: '2026-01-01T00:03:00.000Z', p90: '2026-01-01T00:03:54.000Z' },
    });
  });
});

describe('the rates of a run', () => {
  it('are listed from its start, also after the run has ended', async () => {
    const { id, runId } = await runThere({ startedAt: on.deps.clock.now() });
    const feedId = await on.deps.rows.addFeed(runId, { country: 'SG', fedUsers: 1000 });
    const { runHistory, runs } = createPostgresExecutionStores(on);
    await on.deps.rows.addTotals(feedId, 0, { step: 1, succeeded: 600, cancelled: 50 });
    await on.passTime(6000);
    await runHistory.notePoints([{ runId, ended: 600 }]);
    await on.deps.rows.addTotals(feedId, 0, { step: 1, succeeded: 100 });
    await on.passTime(5000);
    await runs.finish(runId, 'expired', null);
    await on.passTime(86_400_000);
    expect(runRates.parse((await get(`/v1/runs/${id}/rates`)).json())).toEqual({
      notedSince: null,
      points: [
        { at: '2026-01-01T00:00:00.001Z', usersPerSecond: 100 },
        { at: '2026-01-01T00:00:06.000Z', usersPerSecond: 100 },
        { at: '2026-01-01T00:00:11.000Z', usersPerSecond: 20 },
      ],
    });
  });
});

describe('the causes that a run waits for', () => {
  it('are listed by step, country and cause', async () => {
    const { id } = await runThere();
    const since = new Date('2025-12-31T23:59:20Z');
    const cause = 'endpoint says 405 Method Not Allowed';
    const reports: RunReports = {
      ...on.deps.reports,
      snapshots: async (runIds) => {
        const snapshots = await on.deps.reports.snapshots(runIds);
        return snapshots.map((each) => ({
          ...each,
          waits: [{ step: 2, country: 'SG', cause, since, batches: 11, held: true, nextTryAt: null, blockedBy: null }],
        }));
      },
    };
    const { server } = await createApi({ ...on.deps, reports });

    const response = await server.inject({ method: 'GET', url: `/v1/runs/${id}/progress`, headers: authorized });

    expect(runProgress.parse(response.json()).waits).toEqual([
      {
        step: 2,
        action: 'send-message',
        country: 'SG',
        by: 'step',
        cause,
        since: since.toISOString(),
        batches: 11,
        held: true,
        nextTryAt: null,
        blockedBy: null,
        timeoutMs: 10_000,
        nextStep: nextSteps.held,
      },
    ]);
  });

  it('are an empty list while the run progresses', async () => {
    const { id } = await runThere();
    expect((await get(`/v1/runs/${id}/progress`)).json()).toMatchObject({ waits: [] });
  });
});

const eventData = z.looseObject({ state: z.string() });

function eventsOf(stream: string) {
  return [...stream.matchAll(/^event: (\w+)\ndata: (.*)\n\n/gm)].map(([, name, data]) => ({
    name,
    ...eventData.parse(JSON.parse(data ?? '')),
  }));
}

describe('the progress of a run as events', () => {
  const accept = 'text/event-stream';

  it('begins at once and ends with the run', async () => {
    const { id } = await runThere({ state: 'completed', endedAt: new Date() });

    const response = await get(`/v1/runs/${id}/progress`, { accept });

    expect(response.headers['content-type']).toContain('text/event-stream');
    expect(eventsOf(response.body)).toMatchObject([
      { name: 'progress', runId: id, state: 'completed' },
      { name: 'end', runId: id, state: 'completed' },
    ]);
  });

  it('sends events that the document describes', async () => {
    const { id, runId } = await runThere({ state: 'completed', endedAt: new Date() });
    const feedId = await on.deps.rows.addFeed(runId, { country: 'SG', fedUsers: 3 });
    await on.deps.rows.addTotals(feedId, 0, { step: 1, batches: 1, succeeded: 2, failed: 1 });

    const { headers, body } = await get(`/v1/runs/${id}/progress`, { accept });

    const judge = await judgeOperation(on.api.server, 'getRunProgress');
    const judged = (text: string) =>
      judge({ status: 200, contentType: String(headers['content-type']), headers, body: text });
    expect(eventsOf(body)).toHaveLength(2);
    expect(judged(body)).toEqual([]);
    expect(judged('event: end\ndata: {"runId":1}\n\n')).toEqual([expect.stringContaining('runId must be string')]);
    expect(judged('event: campaigns\ndata: {}\n\n')).toEqual(['the event campaigns is not declared']);
  });

  it('answers with a problem for an unknown run', async () => {
    const response = await get('/v1/runs/run_01jdyjm7sbfx2v4x0000000000/progress', { accept });
    expect(problem.parse(response.json()).code).toBe('run-not-found');
  });

  it('ends without an event `end` when the service stops, and does not delay the stop', async () => {
    const { id } = await runThere();
    const api = await createApi(on.deps);
    const stream = await open(`${await api.start()}/v1/runs/${id}/progress`);
    const read = stream.toArray();

    await api.stopIntake();
    await api.finishWork();

    const events = eventsOf((await read).map(String).join(''));
    expect(events.map(({ name }) => name)).toEqual(['progress']);
  });

  it('is no longer read after its last reader has left', async () => {
    const { id } = await runThere();
    const url = await on.start();
    const stream = await open(`${url}/v1/runs/${id}/progress`);
    await expect.poll(() => on.deps.clock.nextWakeMs()).toBeDefined();

    stream.destroy();

    await expect.poll(() => on.deps.clock.nextWakeMs()).toBeUndefined();
  });

  function open(url: string): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      httpGet(url, { headers: { ...authorized, accept } }, resolve).once('error', reject);
    });
  }
});
