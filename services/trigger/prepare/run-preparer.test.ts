import { describe, expect, it } from 'vitest';
import { passTime } from '../../../test/support/pass-time.ts';
import { createTriggerFixture, failureOf, userIds } from '../../../test/support/trigger-fixture.ts';
import type { Segmentation } from '../../../shared/ports/segmentation.ts';
import { createTrigger } from '../trigger.ts';

const hangsForMs = 10_000;

/** Creates a trigger whose segmentation service does not describe the segment `stuck` before its time-out. */
function setUp() {
  const world = createTriggerFixture();
  const { clock, segmentation } = world;
  segmentation.users.set('SG', userIds(3));
  const describing: Segmentation['describe'] = async (segment, country, signal) => {
    if (segment !== 'stuck') return segmentation.describe(segment, country, signal);
    await clock.sleep(hangsForMs, signal);
    return { ok: false, failure: failureOf('unavailable') };
  };
  const deps = world.triggerDeps('a');
  createTrigger({ ...deps, segmentation: { ...segmentation, describe: describing } }).start();
  const stateOf = (runId: string) => world.database.runs.get(runId)?.state;
  return { ...world, stateOf };
}

const stuck = { audience: { include: [{ segment: 'stuck' }] } };

describe('the preparation of concurrent runs', () => {
  it('begins a new run within a second beside 200 runs whose segments are never described', async () => {
    const { clock, startCampaign, stateOf } = setUp();
    for (let i = 0; i < 200; i++) await startCampaign(stuck);
    // Then the stuck runs have all places that they may have.
    await passTime(clock, 60_000);
    const { runId } = await startCampaign();
    await passTime(clock, 1000);
    expect(stateOf(runId)).toBe('running');
  });

  it('begins a new run at once beside 40 new runs and one with 200 countries that are never described', async () => {
    const { clock, startCampaign, stateOf } = setUp();
    for (let i = 0; i < 40; i++) await startCampaign(stuck);
    await startCampaign({ ...stuck, countries: Array.from({ length: 200 }, (_, i) => `C${i}`) });
    const { runId } = await startCampaign();
    await passTime(clock, 500);
    expect(stateOf(runId)).toBe('running');
  });

  it('reaches every run beside 200 runs that are never described', async () => {
    const { clock, startCampaign, stateOf } = setUp();
    for (let i = 0; i < 100; i++) await startCampaign(stuck);
    const { runId } = await startCampaign();
    for (let i = 0; i < 100; i++) await startCampaign(stuck);
    await passTime(clock, 60_000);
    expect(stateOf(runId)).toBe('running');
  });
});

describe('a run at a local time', () => {
  it('feeds each country at its local time, and counts its deadline from the last country', async () => {
    const { clock, segmentation, startCampaign, database } = setUp();
    segmentation.users.set('ID', userIds(2));
    const schedule = { type: 'local' as const, time: '2026-01-01T08:00:00', zones: { ID: 'Asia/Jakarta' } };
    const { runId } = await startCampaign({ countries: ['SG', 'ID'], schedule, deadlineSeconds: 3600 });
    await passTime(clock, 5000);
    const fed = () => [...database.feeds.values()].map(({ country, fedUsers }) => [country, fedUsers]);
    expect(fed()).toEqual([
      ['SG', 3],
      ['ID', 0],
    ]);
    await passTime(clock, 3_590_000);
    expect(fed()).toContainEqual(['ID', 0]);
    await passTime(clock, 10_000);
    expect(fed()).toContainEqual(['ID', 2]);
    expect(database.runs.get(runId)?.deadlineAtMs).toBe(Date.UTC(2026, 0, 1, 2));
  });
});

describe('a run that cannot be prepared', () => {
  it('has a waiting cause with segment and country until it begins', async () => {
    const { clock, segmentation, startCampaign, database } = setUp();
    segmentation.failure = failureOf('refused');
    const { runId } = await startCampaign();
    await passTime(clock, 500);
    const cause = () => database.runs.get(runId)?.waitingCause;
    expect(cause()).toMatch(/^segment "lapsed-riders" in SG: .*refuses.*scripted refused.*; correct the service/);
    segmentation.failure = null;
    await passTime(clock, 1500);
    expect(cause()).toBeNull();
  });

  it('waits with a cause while its topics cannot be created', async () => {
    const world = createTriggerFixture();
    const { clock, segmentation, startCampaign, database, triggerDeps } = world;
    segmentation.users.set('SG', userIds(3));
    let isDown = true;
    const deps = triggerDeps('a');
    const topicAdmin = {
      ...deps.topicAdmin,
      ensureTopics: () => (isDown ? Promise.reject(new Error('no broker')) : Promise.resolve()),
    };
    createTrigger({ ...deps, topicAdmin }).start();
    const { runId } = await startCampaign();
    await passTime(clock, 500);
    expect(database.runs.get(runId)?.state).toBe('preparing');
    expect(database.runs.get(runId)?.waitingCause).toContain('no broker');
    isDown = false;
    await passTime(clock, 1500);
    expect(database.runs.get(runId)?.state).toBe('running');
  });
});

describe('a run that begins', () => {
  it('has a topic for every step in every country', async () => {
    const { clock, startCampaign, bus, runs } = setUp();
    await startCampaign({
      countries: ['SG', 'TH'],
      chain: ['award-reward', 'send-message'].map((action) => ({ action, params: {} })),
    });
    await passTime(clock, 500);
    expect(runs()).toMatchObject([{ state: 'running' }]);
    const topics = ['award-reward', 'send-message'].flatMap((action) =>
      ['SG', 'TH'].map((c) => `muster.${action}.${c}`),
    );
    await expect(bus.publisher().publish(topics.map((topic) => ({ topic, value: '' })))).resolves.toBeUndefined();
  });
});
