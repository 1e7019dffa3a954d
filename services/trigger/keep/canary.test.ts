import { describe, expect, it } from 'vitest';
import { doneOf, failed } from '../../../test/support/conformance/execution-subject.ts';
import { createMemoryRunControl } from '../../../test/support/memory/run-control.ts';
import { passTime, passTimeUntil } from '../../../test/support/pass-time.ts';
import { startTrigger } from '../../../test/support/started-trigger.ts';
import { createTriggerFixture, mortal, userIds } from '../../../test/support/trigger-fixture.ts';
import type { CampaignDefinition, Canary } from '../../../shared/contracts/campaigns/campaigns.ts';

const enoughMs = 10_000;
const everybody = { SG: 400, ID: 800 };

/** Starts a run with 400 users in one country and 800 in another, and waits until its feeds stop. */
async function begun(
  canary: Omit<Canary, 'then'> & Partial<Canary>,
  changes: Partial<CampaignDefinition> = {},
  isOfStart = false,
) {
  const world = createTriggerFixture();
  const { clock, database, ledger } = world;
  for (const [country, users] of Object.entries(everybody)) world.segmentation.users.set(country, userIds(users));
  let isDead = false;
  startTrigger(world, 'a', ({ feedStore, runStore, leases }) => ({
    leases: mortal(leases, () => isDead),
    feedStore: mortal(feedStore, () => isDead),
    runStore: mortal(runStore, () => isDead),
  }));
  const killTrigger = () => (isDead = true);
  const ofOne = { canary: { then: 'pause' as const, ...canary } };
  const definition = { countries: ['SG', 'ID'], ...(isOfStart ? {} : ofOne), ...changes };
  const { runId } = await world.startCampaign(definition, isOfStart ? ofOne : {});
  await passTime(clock, enoughMs);
  const control = createMemoryRunControl({ database });
  const fed = () => ({ SG: world.fedUsers('SG').length, ID: world.fedUsers('ID').length });
  const run = () => database.runs.get(runId);

  /**
   * Serves all users that are fed and not claimed yet.
   * @param failing number of these users that fail
   */
  async function serve(failing = 0): Promise<void> {
    let left = failing;
    const claims = [...database.batches.values()].map(({ feedId, batchNo }) => ({ feedId, batchNo, step: 1 }));
    const { claimed } = await ledger.flush({ results: [], claims, begins: [] });
    const results = claimed.map((claim) => {
      const users = database.batches.get(`${claim.feedId}/${claim.batchNo}`)?.users ?? [];
      const failures = users.slice(0, left);
      left -= failures.length;
      return doneOf(claim, {
        failures: failures.map((user) => failed(user)),
        restUsers: users.length - failures.length,
      });
    });
    await ledger.flush({ results, claims: [], begins: [] });
    await passTime(clock, enoughMs);
  }

  const resume = () => control.change(runId, () => ({ change: { to: 'running', stateReason: null, events: [] } }));

  return { ...world, killTrigger, runId, fed, run, serve, resume };
}

describe('a run with a canary', () => {
  it('feeds its first users, and no further user until all of them have ended', async () => {
    const { fed, run } = await begun({ users: 300 });
    expect(fed()).toEqual({ SG: 100, ID: 200 });
    expect(run()).toMatchObject({ state: 'running', canary: 'serving' });
  });

  it('uses the canary that was given at its start if its definition has none', async () => {
    const { fed, run } = await begun({ users: 300 }, {}, true);
    expect(fed()).toEqual({ SG: 100, ID: 200 });
    expect(run()).toMatchObject({ state: 'running', canary: 'serving' });
  });

  it('feeds exactly the number of canary users, for any batch size', async () => {
    const { fed, database } = await begun({ users: 100 });
    expect(fed()).toEqual({ SG: 33, ID: 67 });
    expect([...database.batches.values()].map(({ users }) => users.length).toSorted()).toEqual([33, 67]);
  });

  it('does not count held-out users as canary users', async () => {
    const audience = { include: [{ segment: 'all' }], holdOutPercent: 50, holdOutSeed: 'half' };
    const { feedRows } = await begun({ users: 30 }, { audience });
    const served = feedRows().map(({ country, fedUsers, heldOutUsers }) => [country, fedUsers - heldOutUsers]);
    expect(Object.fromEntries(served)).toEqual({ SG: 10, ID: 20 });
  });

  it('pauses after its canary users, with their result in the reason', async () => {
    const { serve, run, fed, clock } = await begun({ percent: 10 });
    await serve(6);
    expect(run()).toMatchObject({
      state: 'paused',
      canary: 'waits',
      stateReason: 'canary: 120 users have ended, 5 % failed in step 1',
    });
    await passTime(clock, enoughMs);
    expect(fed()).toEqual({ SG: 40, ID: 80 });
  });

  it('feeds all other users after it is resumed, and serves no user twice', async () => {
    const { serve, resume, run, fed, fedUsers, clock } = await begun({ users: 100 });
    await serve();
    await resume();
    await passTime(clock, enoughMs);
    expect(run()).toMatchObject({ state: 'running', canary: 'over' });
    expect(fed()).toEqual(everybody);
    expect(fedUsers('SG')).toEqual(userIds(everybody.SG));
    await serve();
    expect(run()).toMatchObject({ state: 'completed' });
  });

  it('gives its variants only to the canary if a person chooses one afterwards, and then all others the chosen one', async () => {
    const weights = { A: 6000, B: 4000 };
    const variants = Object.entries(weights).map(([name, weight]) => ({ name, weight, params: {} }));
    const chain = [{ action: 'award-reward', params: {}, variants }];
    const canary = { percent: 30, then: 'choose-variant' } as const;
    const { serve, run, runId, database, clock, fed, fedUsers, feedRows } = await begun(canary, { chain });
    const parts = () => feedRows().map(({ variant, audience: { split } }) => [variant, split?.from, split?.to]);
    const tried = [
      [1, 0, 1800],
      [2, 1800, 3000],
    ];
    expect(new Set(parts().map(String))).toEqual(new Set([...tried, [null, 3000, 10_000]].map(String)));
    const { SG, ID } = fed();
    expect(Math.abs((SG + ID) / 1200 - 0.3)).toBeLessThan(0.1);
    await serve();
    const stateReason = `canary: ${SG + ID} users have ended, none failed; a person has to choose a variant`;
    expect(run()).toMatchObject({ state: 'paused', canary: 'waits', stateReason });
    expect(fed()).toEqual({ SG, ID });

    const control = createMemoryRunControl({ database });
    await control.change(runId, () => ({ change: { to: 'running', stateReason: null, variant: 2, events: [] } }));
    await passTime(clock, enoughMs);
    expect(new Set(parts().map(String))).toEqual(new Set([...tried, [2, 3000, 10_000]].map(String)));
    expect(fedUsers('SG').toSorted()).toEqual(userIds(everybody.SG));
    await serve();
    expect(run()).toMatchObject({ state: 'completed', canary: 'over' });
  });

  it('continues by itself if the failed canary users are within the limit', async () => {
    const { serve, fed, run } = await begun({ users: 300, maxFailedPercent: 2 });
    await serve(6);
    expect(run()).toMatchObject({ state: 'running', canary: 'over' });
    expect(fed()).toEqual(everybody);
  });

  it('pauses if the failed canary users exceed the limit', async () => {
    const { serve, fed, run } = await begun({ users: 300, maxFailedPercent: 2 });
    await serve(7);
    expect(run()).toMatchObject({
      state: 'paused',
      stateReason: 'canary: 300 users have ended, 2.3 % failed in step 1, limit 2 %',
    });
    expect(fed()).toEqual({ SG: 100, ID: 200 });
  });

  it('waits for its canary users even after a person has paused and resumed it', async () => {
    const { database, runId, serve, resume, run, fed, clock } = await begun({ users: 300 });
    const control = createMemoryRunControl({ database });
    await control.change(runId, () => ({ change: { to: 'paused', stateReason: 'paused by Mei', events: [] } }));
    await serve();
    expect(run()).toMatchObject({ stateReason: 'paused by Mei', canary: 'serving' });
    await resume();
    await passTime(clock, enoughMs);
    expect(run()).toMatchObject({ state: 'paused', canary: 'waits' });
    expect(fed()).toEqual({ SG: 100, ID: 200 });
  });

  it('keeps its canary state if another trigger takes over', async () => {
    const world = await begun({ users: 300 });
    world.killTrigger();
    startTrigger(world, 'b');
    await passTime(world.clock, 60_000);
    expect(world.fed()).toEqual({ SG: 100, ID: 200 });
    await world.serve();
    await passTimeUntil(world.clock, () => world.run()?.state === 'paused');
    expect(world.run()).toMatchObject({ canary: 'waits' });
  });

  it('ends without a pause if it has no other users', async () => {
    const { serve, run, fed } = await begun({ users: 5000 });
    expect(fed()).toEqual(everybody);
    await serve();
    expect(run()).toMatchObject({ state: 'completed' });
  });
});
