import { beforeEach, describe, expect, it } from 'vitest';
import { campaignDefinition } from '../../shared/contracts/campaigns/campaigns.ts';
import { runProgress } from '../../shared/contracts/runs/runs.ts';
import { runEvent } from '../../shared/contracts/runs/run-history.ts';
import { publicId } from '../../shared/domain/ids/ids.ts';
import { createEndpointGuards } from '../../shared/postgres/registry/endpoint-guards.ts';
import { someCampaign } from '../support/api-deps.ts';
import { apiOnPostgres } from '../support/api-on-postgres.ts';
import type { RunSeed } from '../support/conformance/run-rows.ts';
import { createRunHistory } from '../../services/trigger/keep/postgres/run-history.ts';
import { createShardReports } from '../../services/worker/report/postgres/shard-reports.ts';
import { pageShape } from '../../services/api/frame/pages.contract.ts';
import { nextSteps } from '../../services/api/runs/run-view.ts';

const on = apiOnPostgres();

const startedAt = new Date('2025-12-31T23:59:00Z');
const award = 'award-reward';
const send = 'send-message';
const levels = { inFlight: 0, callLimit: 8, waiting: 0, breakerOpen: false, batchesPerSecond: 0, refusal: null };

let [campaignId, runId] = ['', ''];

beforeEach(async () => {
  ({ campaignId } = await on.deps.campaigns.create(campaignDefinition.parse(someCampaign)));
  runId = await run();
});

const run = (seed: Partial<RunSeed> = {}) =>
  on.deps.rows.addRun({ campaignId, revision: 1, scheduledFor: startedAt, state: 'running', startedAt, ...seed });

const feed = (country: string, of = runId) =>
  on.deps.rows.addFeed(of, { country, fedUsers: 1000, fedBatches: 10, complete: true });

const reports = () => createShardReports({ pool: on.pool });

/** Reports like a worker that it serves these shards, or why it does not. */
const serve = (worker: string, actionType: string, countries: string[], refusal: string | null = null) =>
  reports().report(
    worker,
    countries.map((country) => ({ actionType, country, ...levels, refusal })),
  );

const openBreaker = (actionType: string, country: string, cause: string) =>
  createEndpointGuards({ pool: on.pool, owner: 'w' }).open({
    shard: { actionType, country },
    cause: `${actionType} in ${country}: ${cause}`,
    retryAfterMs: 40_000,
    random: 0,
  });

async function progress(of = runId) {
  const answer = await on.ask('GET', `/v1/runs/${publicId('run', of)}/progress`);
  return runProgress.parse(answer.json());
}
const waits = async (of = runId) => (await progress(of)).waits;

describe('a step that no worker serves', () => {
  it('is reported as waiting in countries with batches, and in no other', async () => {
    await feed('SG');
    expect(await progress()).toMatchObject({
      waits: [
        {
          step: 1,
          action: award,
          country: 'SG',
          by: 'step',
          blockedBy: 'no-worker',
          batches: 10,
          held: false,
          cause: 'no worker serves it',
          since: startedAt.toISOString(),
          nextTryAt: null,
          nextStep: nextSteps.noWorker,
        },
      ],
      stalled: 'no worker serves it',
      stall: { by: 'engine', cause: 'no worker serves it', nextStep: nextSteps.noWorker },
      eta: null,
    });
  });

  it('is reported by country and step until a worker serves it', async () => {
    const [sg] = [await feed('SG'), await feed('ID')];
    await on.deps.rows.addTotals(sg, 0, { step: 1, done: 10, survived: 7, succeeded: 700, failed: 300 });
    await serve('w', award, ['SG', 'ID']);
    expect(await waits()).toMatchObject([{ step: 2, action: send, country: 'SG', batches: 7 }]);
    await serve('w', send, ['SG']);
    expect(await waits()).toEqual([]);
  });

  it('is not reported in the first 30 s of a run, while the run is paused, or after all batches have ended', async () => {
    const young = await run({ startedAt: new Date(on.deps.clock.nowMs() - 29_000), scheduledFor: new Date(1) });
    await feed('SG', young);
    const paused = await run({ state: 'paused', scheduledFor: new Date(2) });
    await feed('SG', paused);
    const ended = await feed('SG');
    await on.deps.rows.addTotals(ended, 0, { step: 1, done: 10, survived: 0, failed: 1000 });
    expect([await waits(young), await waits(paused), await waits()]).toEqual([[], [], []]);
    await on.passTime(1000);
    expect(await waits(young)).toMatchObject([{ blockedBy: 'no-worker' }]);
  });

  it('is reported as waiting since its last worker left, or since the end of the minute in which it was silent', async () => {
    await feed('SG');
    await serve('w', award, ['SG']);
    await on.passTime(10_000);
    await reports().withdraw('w');
    await on.passTime(5000);
    expect(await waits()).toMatchObject([{ since: '2026-01-01T00:00:10.000Z' }]);
    await serve('x', award, ['SG']);
    expect(await waits()).toEqual([]);
    await on.passTime(59_000);
    expect(await waits()).toEqual([]);
    await on.passTime(20_000);
    expect(await waits()).toMatchObject([{ since: '2026-01-01T00:01:15.000Z' }]);
  });

  it('is reported with the reason why a worker cannot serve it', async () => {
    await feed('SG');
    await serve('w', award, ['SG'], 'it has no secret "token"');
    expect(await waits()).toMatchObject([{ cause: 'no worker can serve it: it has no secret "token"' }]);
  });
});

describe('a step whose breaker is open on all workers', () => {
  let sg = '';
  beforeEach(async () => {
    sg = await feed('SG');
    await serve('w', award, ['SG', 'ID']);
    await serve('w', send, ['SG', 'ID']);
  });

  it('is reported as waiting in countries with batches, with cause, start and next attempt', async () => {
    await feed('ID');
    await openBreaker(award, 'SG', 'endpoint says 503');
    await openBreaker(send, 'ID', 'endpoint says 500');
    expect(await waits()).toMatchObject([
      {
        step: 1,
        action: award,
        country: 'SG',
        by: 'step',
        blockedBy: 'breaker',
        batches: 10,
        held: false,
        cause: 'endpoint says 503',
        since: '2026-01-01T00:00:00.000Z',
        nextTryAt: '2026-01-01T00:00:40.000Z',
        nextStep: nextSteps.step,
      },
    ]);
  });

  it('is reported once together with its batches that wait for a retry', async () => {
    await on.deps.rows.addTotals(sg, 0, { step: 1, waiting: 2 });
    const cause = (text: string) => ({ step: 1, cause: text, batches: 1, ageMs: 5000, quietMs: 1000 });
    await on.deps.rows.addCause(sg, cause('endpoint says 503'));
    await on.deps.rows.addCause(sg, cause('no answer within 10 s'));
    await openBreaker(award, 'SG', 'endpoint says 503');
    expect((await waits()).map(({ cause: why, blockedBy }) => [why, blockedBy])).toEqual([
      ['no answer within 10 s', null],
      ['endpoint says 503', 'breaker'],
    ]);
  });

  it('is reported as held if it is held, and as without a worker if it has none', async () => {
    await openBreaker(award, 'SG', 'endpoint says 503');
    await reports().withdraw('w', [{ actionType: award, country: 'SG' }]);
    expect(await waits()).toMatchObject([{ blockedBy: 'no-worker' }]);
    await on.deps.rows.addHold(sg, { step: 1, cause: 'endpoint says 404', batches: 1, ageMs: 0 });
    expect(await waits()).toMatchObject([{ cause: 'endpoint says 404', held: true, blockedBy: null }]);
  });
});

describe('the history of a run', () => {
  beforeEach(async () => {
    await on.pool.query(
      `insert into shards (action_type, country, partitions) select unnest($1::text[]), 'SG', 1 on conflict do nothing`,
      [[award, send]],
    );
  });

  const read = async (of = runId) => {
    const notified = await createRunHistory({ pool: on.pool }).noteTroubles([of]);
    return notified.map(({ kind }) => kind);
  };
  const events = async () => {
    const answer = await on.ask('GET', `/v1/runs/${publicId('run', runId)}/events`);
    return pageShape(runEvent)
      .parse(answer.json())
      .items.map(({ kind, detail }) => ({ kind, ...detail }));
  };
  const setState = (state: string) => on.pool.query(`update runs set state = $2 where id = $1`, [runId, state]);

  it('records once that a step with batches has no worker, and once that a worker is back', async () => {
    await feed('SG');
    await serve('w', award, ['SG']);
    expect(await read()).toEqual([]);
    await reports().withdraw('w');
    expect(await read()).toEqual(['worker-missing']);
    await on.passTime(5000);
    expect(await read()).toEqual([]);
    await serve('w', award, ['SG']);
    expect(await read()).toEqual(['worker-back']);
    expect(await read()).toEqual([]);
    const place = { step: 1, action: award, country: 'SG', cause: 'no worker serves it' };
    expect(await events()).toEqual([
      { kind: 'worker-missing', ...place },
      { kind: 'worker-back', ...place, forMs: 5000 },
    ]);
  });

  it('records why a worker cannot serve a step', async () => {
    await feed('SG');
    await serve('w', award, ['SG'], 'it has no secret "token"');
    expect(await read()).toEqual(['worker-missing']);
    expect(await events()).toMatchObject([{ cause: 'no worker can serve it: it has no secret "token"' }]);
  });

  it('records a later step without a worker only once the step has batches', async () => {
    const sg = await feed('SG');
    await serve('w', award, ['SG']);
    expect(await read()).toEqual([]);
    await on.deps.rows.addTotals(sg, 0, { step: 1, done: 1, survived: 1, succeeded: 100 });
    expect(await read()).toEqual(['worker-missing']);
    expect(await events()).toMatchObject([{ step: 2, action: send }]);
  });

  it('records no missing worker in the first 30 s of the run', async () => {
    const young = await run({ startedAt: new Date(on.deps.clock.nowMs() - 29_000), scheduledFor: new Date(1) });
    await feed('SG', young);
    expect(await read(young)).toEqual([]);
    await on.passTime(1000);
    expect(await read(young)).toEqual(['worker-missing']);
  });

  it('records no missing worker while the run is paused, and the same missing worker only once', async () => {
    await feed('SG');
    await setState('paused');
    expect(await read()).toEqual([]);
    await setState('running');
    expect(await read()).toEqual(['worker-missing']);
    for (const state of ['paused', 'running']) {
      await setState(state);
      expect(await read()).toEqual([]);
    }
  });

  it('does not record the return of a worker if no batch waits for it', async () => {
    const sg = await feed('SG');
    expect(await read()).toEqual(['worker-missing']);
    await on.deps.rows.addTotals(sg, 0, { step: 1, done: 10, expired: 1000 });
    expect(await read()).toEqual([]);
    await serve('w', award, ['SG']);
    expect(await read()).toEqual([]);
  });
});

it('the wait report takes as many SQL statements for forty countries as for one', async () => {
  const statements = async () => {
    let requested = 0;
    const count = () => void requested++;
    on.pool.on('acquire', count);
    await waits();
    on.pool.off('acquire', count);
    return requested;
  };
  await feed('SG');
  // The caller's key is read once and cached.
  await waits();
  const ofOne = await statements();
  for (const letter of 'ABCDEFGHIJKLMNOPQRST') for (const first of ['X', 'Y']) await feed(`${first}${letter}`);
  expect(await waits()).toHaveLength(41);
  expect(await statements()).toBe(ofOne);
});
