import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { campaignDefinition } from '../../../../shared/contracts/campaigns/campaigns.ts';
import { cancelPreview, controlledRun } from '../../../../shared/contracts/runs/run-control.ts';
import { runEvent } from '../../../../shared/contracts/runs/run-history.ts';
import { runProgress, runReport, runSummary } from '../../../../shared/contracts/runs/runs.ts';
import { publicId, uuidOf } from '../../../../shared/domain/ids/ids.ts';
import { runStates, type RunState } from '../../../../shared/domain/run/run-states.ts';
import type { RunSeed } from '../../../../test/support/conformance/run-rows.ts';
import { authorized, someCampaign } from '../../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../../test/support/api-on-postgres.ts';
import { pageShape } from '../../frame/pages.contract.ts';
import { problem } from '../../frame/problems.contract.ts';

const on = apiOnPostgres();

const scheduledFor = new Date('2025-12-31T23:00:00Z');
const startedAt = new Date('2025-12-31T23:59:00Z');

type Method = 'GET' | 'POST' | 'PATCH';

function send(method: Method, url: string, payload?: object, headers: Record<string, string> = {}) {
  return on.api.server.inject({ method, url, headers: { ...authorized, ...headers }, ...(payload && { payload }) });
}

async function runThere(state: RunState, seed: Partial<RunSeed> = {}) {
  const { campaignId } = await on.deps.campaigns.create(campaignDefinition.parse(someCampaign));
  const begun = state === 'preparing' ? {} : { startedAt };
  const deadlineAt = new Date(scheduledFor.getTime() + 86_400_000);
  const runId = await on.deps.rows.addRun({
    campaignId,
    revision: 1,
    scheduledFor,
    state,
    deadlineAt,
    ...begun,
    ...seed,
  });
  return { runId, id: publicId('run', runId), campaignId };
}

const eventsOf = async (id: string) =>
  pageShape(runEvent).parse((await send('GET', `/v1/runs/${id}/events`)).json()).items;

/** Expected state after each request, by the state of the run; 409 means that the request is refused. */
const verbs: [string, Record<RunState, RunState | 409>][] = [
  [
    'pause',
    {
      preparing: 'paused',
      running: 'pausing',
      pausing: 'pausing',
      paused: 'paused',
      cancelling: 409,
      completed: 409,
      completed_with_failures: 409,
      cancelled: 409,
      expired: 409,
      failed: 409,
    },
  ],
  [
    'resume',
    {
      preparing: 'preparing',
      running: 'running',
      pausing: 'running',
      paused: 'running',
      cancelling: 409,
      completed: 409,
      completed_with_failures: 409,
      cancelled: 409,
      expired: 409,
      failed: 409,
    },
  ],
  [
    'cancel',
    {
      preparing: 'cancelled',
      running: 'cancelling',
      pausing: 'cancelling',
      paused: 'cancelling',
      cancelling: 'cancelling',
      completed: 409,
      completed_with_failures: 409,
      cancelled: 'cancelled',
      expired: 409,
      failed: 409,
    },
  ],
];

describe.each(verbs)('the action %s', (verb, becomes) => {
  it.each(runStates)('changes a run that is %s, and a repeat changes nothing', async (state) => {
    const { id } = await runThere(state);
    const expected = becomes[state];

    const first = await send('POST', `/v1/runs/${id}/${verb}`);
    const events = await eventsOf(id);
    const again = await send('POST', `/v1/runs/${id}/${verb}`);

    if (expected === 409) {
      const { status, code, detail } = problem.parse(first.json());
      expect([status, code]).toEqual([409, 'state-forbids']);
      expect(detail).toContain(`${id} is ${state} and cannot be `);
      expect(detail).toMatch(/a run can be while it is preparing, running|a run can be while it is pausing, paused/);
      expect(events).toEqual([]);
    } else {
      expect(controlledRun.parse(first.json()).run).toMatchObject({ runId: id, state: expected });
      expect(again.json()).toEqual(first.json());
      expect(await eventsOf(id)).toEqual(events);
    }
    expect(again.statusCode).toBe(first.statusCode);
  });

  it('returns 404 for an unknown run and 422 for an invalid body', async () => {
    const { id } = await runThere('running');
    expect((await send('POST', `/v1/runs/run_01jdyjm7sbfx2v4x0000000000/${verb}`)).statusCode).toBe(404);
    expect((await send('POST', `/v1/runs/${id}/${verb}`, { why: 'typo' })).statusCode).toBe(422);
    expect((await send('POST', `/v1/runs/${id}/${verb}`, { reason: '' })).statusCode).toBe(422);
    expect(runSummary.parse((await send('GET', `/v1/runs/${id}`)).json()).state).toBe('running');
  });
});

describe('the answer to a pause', () => {
  it('adds caller and reason to the run, its history and the audit log', async () => {
    const { id } = await runThere('running');

    const answer = controlledRun.parse((await send('POST', `/v1/runs/${id}/pause`, { reason: 'wrong reward' })).json());

    expect(answer.run).toMatchObject({ state: 'pausing', stateReason: 'paused by a test: wrong reward' });
    expect(answer.run.stateSince).toBe(on.deps.clock.now().toISOString());
    const by = { keyId: publicId('apiKey', on.key), keyName: 'a test' };
    expect(await eventsOf(id)).toMatchObject([{ kind: 'pausing', detail: { by, reason: 'wrong reward' } }]);
    const { items } = await on.deps.audit.list({}, 10, null);
    expect(items).toMatchObject([
      { route: '/v1/runs/:id/pause', subject: id, status: 200, detail: { reason: 'wrong reward', state: 'pausing' } },
    ]);
  });

  it('includes the calls in progress, and the time until the last of them has ended', async () => {
    const { id, runId } = await runThere('running');
    const feedId = await on.deps.rows.addFeed(runId, { country: 'SG', fedUsers: 900, fedBatches: 9 });
    await on.deps.rows.addTotals(feedId, 0, { step: 1, batches: 2, succeeded: 200, done: 2, survived: 2, waiting: 1 });

    const answer = controlledRun.parse((await send('POST', `/v1/runs/${id}/pause`)).json());

    // Two of nine batches have completed step 1, and one waits.
    expect(answer).toMatchObject({ inFlight: { batches: 0, users: 0, steps: [] }, waiting: 1, ready: 8 });
    expect(answer.timeToStopMs).toBe(2000 + 10_000);
  });

  it('is repeated unchanged with the same Idempotency-Key, even if the run was resumed meanwhile', async () => {
    const { id } = await runThere('running');
    const key = { 'idempotency-key': 'k' };
    const first = await send('POST', `/v1/runs/${id}/pause`, {}, key);
    await send('POST', `/v1/runs/${id}/resume`);

    const again = await send('POST', `/v1/runs/${id}/pause`, {}, key);

    expect(again.json()).toEqual(first.json());
    expect(runSummary.parse((await send('GET', `/v1/runs/${id}`)).json()).state).toBe('running');
  });
});

describe('a run that is resumed', () => {
  it('no longer has the reason of the pause', async () => {
    const { id } = await runThere('paused', { stateReason: '12 % of 4,000 users failed in step 1, limit 5 %' });
    const { run } = controlledRun.parse((await send('POST', `/v1/runs/${id}/resume`)).json());
    expect(run).toMatchObject({ state: 'running', stateReason: null });
  });

  it('is preparing again if it had not begun', async () => {
    const { id } = await runThere('preparing');
    await send('POST', `/v1/runs/${id}/pause`);
    const { run } = controlledRun.parse((await send('POST', `/v1/runs/${id}/resume`)).json());
    expect(run.state).toBe('preparing');
  });
});

describe('a cancellation', () => {
  it('immediately ends a run that had not begun', async () => {
    const { id } = await runThere('preparing');
    const { run } = controlledRun.parse((await send('POST', `/v1/runs/${id}/cancel`)).json());
    expect(run).toMatchObject({ state: 'cancelled', stateReason: 'cancelled by a test' });
    expect(run.endedAt).not.toBeNull();
    expect((await eventsOf(id)).map(({ kind }) => kind)).toEqual(['cancelling', 'ended']);
  });

  it('has a preview of the users who would get nothing, who would stop half-way, and who have completed', async () => {
    const { id, runId } = await runThere('running');
    const sg = await on.deps.rows.addFeed(runId, { country: 'SG', estimate: 1500, fedUsers: 1000, fedBatches: 10 });
    await on.deps.rows.addTotals(sg, 0, { step: 1, succeeded: 570, failed: 30 });
    await on.deps.rows.addTotals(sg, 0, { step: 2, succeeded: 300, failed: 20 });

    const preview = cancelPreview.parse((await send('GET', `/v1/runs/${id}/cancel-preview`)).json());

    expect(preview).toEqual({
      runId: id,
      state: 'running',
      notFedUsers: 500,
      notStartedUsers: 400,
      halfWayUsers: 250,
      finishingUsers: 0,
      endedUsers: 350,
      inFlight: { batches: 0, users: 0 },
      waiting: 0,
      timeToStopMs: 12_000,
      countries: [
        {
          country: 'SG',
          notFedUsers: 500,
          steps: [
            { step: 1, action: 'award-reward', notStartedUsers: 400, halfWayUsers: 0, inFlightUsers: 0 },
            { step: 2, action: 'send-message', notStartedUsers: 0, halfWayUsers: 250, inFlightUsers: 0 },
          ],
        },
      ],
    });
    expect((await send('GET', '/v1/runs/run_01jdyjm7sbfx2v4x0000000000/cancel-preview')).statusCode).toBe(404);
  });
});

describe('changing an active run', () => {
  const change = (id: string, body: object, headers = {}) => send('PATCH', `/v1/runs/${id}`, body, headers);

  it('changes deadline, priority and pace of only this run, and its history has the old and new values', async () => {
    const { id, campaignId } = await runThere('running');

    const response = await change(id, { deadlineSeconds: 172_800, priority: 'high', paceUsersPerSecond: 500 });

    const { run } = controlledRun.parse(response.json());
    const deadlineAt = new Date(scheduledFor.getTime() + 172_800_000).toISOString();
    expect(run).toMatchObject({ deadlineAt, settings: { priority: 'high', paceUsersPerSecond: 500 } });
    expect((await on.deps.campaigns.get(campaignId))?.definition.priority).toBe('normal');
    const was = new Date(scheduledFor.getTime() + 86_400_000).toISOString();
    const from = { deadlineAt: was, priority: 'normal', paceUsersPerSecond: null };
    const to = { deadlineAt, priority: 'high', paceUsersPerSecond: 500 };
    expect(await eventsOf(id)).toMatchObject([{ kind: 'changed', detail: { from, to, by: { keyName: 'a test' } } }]);
    const [audited] = (await on.deps.audit.list({}, 1, null)).items;
    expect(audited).toMatchObject({ method: 'PATCH', route: '/v1/runs/:id', subject: id, detail: { from, to } });
  });

  it('removes a limit with null, and accepts an instant as the deadline', async () => {
    const { id } = await runThere('paused', { settings: { paceUsersPerSecond: 7, pauseAtFailedPercent: 5 } });
    const deadlineAt = '2026-01-02T08:00:00+08:00';
    const body = { paceUsersPerSecond: null, pauseAtFailedPercent: null, deadlineAt };
    const { run } = controlledRun.parse((await change(id, body)).json());
    expect(run).toMatchObject({
      state: 'paused',
      deadlineAt: '2026-01-02T00:00:00.000Z',
      settings: { paceUsersPerSecond: null, pauseAtFailedPercent: null },
    });
  });

  it('changes nothing if the run already has all values', async () => {
    const { id } = await runThere('running');
    await change(id, { priority: 'normal', paceUsersPerSecond: null });
    await change(id, {});
    expect(await eventsOf(id)).toEqual([]);
  });

  it.each<[object, string]>([
    [{ deadlineAt: '2025-12-31T23:59:59Z' }, '/deadlineAt'],
    [{ deadlineSeconds: 60 }, '/deadlineSeconds'],
    [{ deadlineAt: '2026-03-01T00:00:00Z' }, '/deadlineAt'],
    [{ deadlineAt: '2026-01-02T00:00:00Z', deadlineSeconds: 90_000 }, '/deadlineAt'],
    [{ deadlineAt: 'tomorrow' }, '/deadlineAt'],
    [{ priority: 'urgent' }, '/priority'],
    [{ paceUsersPerSecond: 0 }, '/paceUsersPerSecond'],
    [{ pauseAtFailedPercent: 101 }, '/pauseAtFailedPercent'],
    [{ pace: 5 }, '/pace'],
  ])('refuses %j', async (body, pointer) => {
    const { id } = await runThere('running');
    const response = await change(id, body);
    expect(response.statusCode).toBe(422);
    expect(problem.parse(response.json()).errors).toMatchObject([{ pointer }]);
    expect(await eventsOf(id)).toEqual([]);
  });

  it.each<[RunState, number]>([
    ['preparing', 200],
    ['running', 200],
    ['pausing', 200],
    ['paused', 200],
    ['cancelling', 409],
    ['completed', 409],
    ['expired', 409],
  ])('returns for a run that is %s the status %i', async (state, status) => {
    const { id } = await runThere(state);
    expect((await change(id, { priority: 'high' })).statusCode).toBe(status);
  });

  it('is refused if the run has changed since the caller read it', async () => {
    const { id } = await runThere('running');
    const etag = String((await send('GET', `/v1/runs/${id}`)).headers.etag);
    await change(id, { priority: 'high' });

    const refused = await change(id, { priority: 'low' }, { 'if-match': etag });

    expect(refused.statusCode).toBe(412);
    expect(problem.parse(refused.json()).code).toBe('precondition-failed');
    const now = String((await send('GET', `/v1/runs/${id}`)).headers.etag);
    expect((await change(id, { priority: 'low' }, { 'if-match': now })).statusCode).toBe(200);
    expect((await change(id, { priority: 'low' }, { 'if-match': '*' })).statusCode).toBe(200);
  });
});

describe('the history of a run', () => {
  it('is listed in pages, and is not found for an unknown run', async () => {
    const { id } = await runThere('running');
    for (const verb of ['pause', 'resume', 'cancel']) await send('POST', `/v1/runs/${id}/${verb}`);
    const page = (query: string) => send('GET', `/v1/runs/${id}/events${query}`);
    const first = pageShape(runEvent).parse((await page('?limit=2')).json());
    const second = pageShape(runEvent).parse((await page(`?limit=2&cursor=${first.next ?? ''}`)).json());
    expect([...first.items, ...second.items].map(({ kind }) => kind)).toEqual(['pausing', 'resumed', 'cancelling']);
    expect((await page('?cursor=run_01jdyjm7sbfx2v4x0000000000')).statusCode).toBe(422);
    expect((await send('GET', '/v1/runs/run_01jdyjm7sbfx2v4x0000000000/events')).statusCode).toBe(404);
  });
});

describe('the progress and the report of a run', () => {
  async function previewOf(state: RunState, seed: Partial<RunSeed> = {}) {
    const { id, runId } = await runThere(state, seed);
    const segment = { segment: 'lapsed-riders', estimate: 1000, fedUsers: 500, complete: true };
    await on.deps.rows.addFeed(runId, { country: 'SG', ...segment });
    return {
      runId,
      progress: runProgress.parse((await send('GET', `/v1/runs/${id}/progress`)).json()),
      report: runReport.parse((await send('GET', `/v1/runs/${id}/report`)).json()),
    };
  }

  it.each<RunState>(['pausing', 'paused'])(
    'show the cause for a run that is %s, and no expected end',
    async (state) => {
      const stateSince = new Date('2025-12-31T23:59:30Z');
      const { progress, report } = await previewOf(state, { stateReason: 'paused by a test', stateSince, inFlight: 3 });
      const facts = { stalled: 'paused by a test', waitingSince: stateSince.toISOString() };
      expect(progress).toMatchObject({ state, ...facts, eta: null, inFlight: 3 });
      expect(report).toMatchObject({ state, ...facts });
    },
  );

  it('show the time since which the run waits', async () => {
    const { progress, report } = await previewOf('running', { waitingCause: 'no worker handles the messages on x' });
    const facts = { stalled: 'no worker handles the messages on x', waitingSince: on.deps.clock.now().toISOString() };
    expect(progress).toMatchObject(facts);
    expect(report).toMatchObject(facts);
    expect((await previewOf('running')).progress).toMatchObject({ stalled: null, waitingSince: null });
  });

  it('show that a segment ended far before its estimate', async () => {
    const { progress, report } = await previewOf('running');
    const note = 'segment "lapsed-riders" in SG ended after 500 users, and 1000 were estimated';
    expect(progress.notes).toEqual([note]);
    expect(report.notes).toEqual([note]);
  });
});

describe('a campaign that is scheduled', () => {
  const start = { schedule: { type: 'at', time: '2027-01-15T09:00:00Z' } };

  async function scheduled() {
    const created = await send('POST', '/v1/campaigns', { ...someCampaign, ...start });
    const { id } = z.object({ id: z.string() }).parse(created.json());
    await send('POST', `/v1/campaigns/${id}/start`);
    return id;
  }

  it('can be unscheduled and started again', async () => {
    const id = await scheduled();
    const back = await send('POST', `/v1/campaigns/${id}/unschedule`);
    expect(back.json()).toMatchObject({ state: 'draft', nextRunAt: null });
    expect((await send('POST', `/v1/campaigns/${id}/unschedule`)).json()).toEqual(back.json());
    expect((await send('POST', `/v1/campaigns/${id}/start`)).json()).toMatchObject({ state: 'scheduled' });
  });

  it('cannot be unscheduled once it has a run, and the problem contains the id of the run', async () => {
    const id = await scheduled();
    const campaignId = uuidOf('campaign', id) ?? expect.fail('no id of a campaign');
    await on.pool.query('delete from run_starts');
    const runId = await on.deps.rows.addRun({ campaignId, revision: 1, scheduledFor, state: 'running' });
    const response = await send('POST', `/v1/campaigns/${id}/unschedule`);
    expect(response.statusCode).toBe(409);
    expect(problem.parse(response.json()).detail).toContain(`${publicId('run', runId)} is running`);
    expect((await send('POST', '/v1/campaigns/cmp_01jdyjm7sbfx2v4x0000000000/unschedule')).statusCode).toBe(404);
  });
});
