import { describe, expect, it } from 'vitest';
import { createMemoryRunControl } from '../../../test/support/memory/run-control.ts';
import { doneOf, failed, waitingOf } from '../../../test/support/conformance/execution-subject.ts';
import { usersOf } from '../../../shared/domain/step/users-text.ts';
import type { RunState } from '../../../shared/domain/run/run-states.ts';
import { passTime, passTimeUntil } from '../../../test/support/pass-time.ts';
import { createTriggerFixture, userIds } from '../../../test/support/trigger-fixture.ts';
import { createTrigger } from '../trigger.ts';

function setUp(users: number, triggers = ['a']) {
  const world = createTriggerFixture();
  world.segmentation.users.set('SG', userIds(users));
  world.segmentation.users.set('ID', userIds(users));
  for (const owner of triggers) createTrigger(world.triggerDeps(owner)).start();
  const control = createMemoryRunControl({ database: world.database });
  const run = () => world.runs()[0];
  return {
    ...world,
    control,
    run,
    fed: () => world.feedRows().reduce((sum, row) => sum + row.fedUsers, 0),
    move: async (to: RunState) => {
      await control.change(run()?.id ?? '', () => ({ change: { to, events: [] } }));
    },
    kinds: async () => (await control.events(run()?.id ?? '', 100, null)).items.map(({ kind }) => kind),
    claim: async (limit: number) => {
      const open = world
        .references('SG')
        .flatMap(({ feedId, step, batchNos }) => batchNos.map((batchNo) => ({ feedId, step, batchNo })));
      return (await world.ledger.flush({ results: [], claims: open.slice(0, limit), begins: [] })).claimed;
    },
  };
}

describe('a run that is pausing', () => {
  it('is not fed any more, and is paused once its claimed steps have ended', async () => {
    const { clock, startCampaign, ledger, claim, move, run, fed, kinds } = setUp(500_000);
    await startCampaign();
    await passTime(clock, 1000);
    const claimed = await claim(3);
    await move('pausing');
    await passTime(clock, 200);
    const before = fed();
    await passTime(clock, 20_000);
    expect(fed()).toBe(before);
    expect(run()).toMatchObject({ state: 'pausing', inFlight: 3 });
    await ledger.flush({ results: claimed.map((step) => doneOf(step)), claims: [], begins: [] });
    await passTime(clock, 1100);
    expect(run()).toMatchObject({ state: 'paused', inFlight: 0 });
    expect(await kinds()).toEqual(['created', 'begun', 'paused']);
  });

  it("is paused although a killed worker holds a claim, once that worker's call must have ended", async () => {
    const { clock, startCampaign, claim, move, run } = setUp(300);
    await startCampaign();
    await passTime(clock, 1000);
    await claim(1);
    await move('pausing');
    await passTime(clock, 25_000);
    expect(run()?.state).toBe('pausing');
    await passTime(clock, 6000);
    expect(run()?.state).toBe('paused');
  });

  it('is paused only when every worker must have read its state, even without claims', async () => {
    const { clock, startCampaign, move, run } = setUp(300);
    await startCampaign();
    await passTime(clock, 1000);
    await move('pausing');
    await passTime(clock, 1900);
    expect(run()?.state).toBe('pausing');
    await passTime(clock, 1200);
    expect(run()?.state).toBe('paused');
  });

  it('continues at its cursor after it is resumed, and feeds every user once', async () => {
    const { clock, startCampaign, move, workOff, run, fedUsers } = setUp(2530);
    await startCampaign();
    await passTime(clock, 700);
    await move('pausing');
    await passTime(clock, 10_000);
    expect(run()?.state).toBe('paused');
    await move('running');
    await passTimeUntil(clock, () => fedUsers('SG').length === 2530);
    expect(fedUsers('SG')).toEqual(userIds(2530));
    await workOff();
    await passTime(clock, 5000);
    expect(run()?.state).toBe('completed');
  });

  it('has all steps that were released during the pause offered within a second after it is resumed', async () => {
    const { clock, startCampaign, move, claim, ledger, database } = setUp(200_000);
    await startCampaign();
    await passTime(clock, 1000);
    const claimed = await claim(Infinity);
    await move('pausing');
    const back = claimed.map((step) => waitingOf(step, { delayMs: 0, cause: null }));
    await ledger.flush({ results: back, claims: [], begins: [] });
    await passTime(clock, 5000);
    expect([...database.agenda.values()].every(({ offers }) => offers === 0)).toBe(true);
    await move('running');
    await passTime(clock, 1100);
    expect(claimed.length).toBeGreaterThan(250);
    expect([...database.agenda.values()].filter(({ offers }) => offers === 0)).toEqual([]);
  });

  it('stays paused after its deadline, and expires its users after it is resumed', async () => {
    const { clock, startCampaign, move, run } = setUp(300);
    await startCampaign({ deadlineSeconds: 60 });
    await passTime(clock, 1000);
    await move('pausing');
    await passTime(clock, 120_000);
    expect(run()?.state).toBe('paused');
    await move('running');
    await passTime(clock, 5000);
    expect(run()).toMatchObject({ state: 'expired' });
  });
});

describe('a cancelled run', () => {
  it.each<RunState>(['running', 'pausing', 'paused'])('ends without any worker if it was %s', async (from) => {
    const { clock, startCampaign, move, run, database } = setUp(300);
    await startCampaign();
    await passTime(clock, 1000);
    if (from !== 'running') await move('pausing');
    if (from === 'paused') await move('paused');
    await move('cancelling');
    await passTime(clock, 3000);
    expect(run()).toMatchObject({ state: 'cancelled' });
    expect([...database.totals.values()]).toMatchObject([{ step: 1, cancelled: 300 }]);
  });

  it("keeps the reason of the cancellation, and ends the users of a killed worker's call as unknown", async () => {
    const { clock, startCampaign, claim, move, run } = setUp(300);
    await startCampaign();
    await passTime(clock, 1000);
    await claim(1);
    await move('cancelling');
    Object.assign(run() ?? {}, { stateReason: 'cancelled by a test' });
    await passTime(clock, 20_000);
    expect(run()?.state).toBe('cancelling');
    await passTime(clock, 15_000);
    expect(run()).toMatchObject({
      state: 'cancelled',
      stateReason: 'cancelled by a test; the outcome of 100 users is unknown',
    });
  });
});

describe('a run with a limit of failed users', () => {
  const limited = { pauseAtFailedPercent: 5, pauseAtFailedMinUsers: 200 };

  it('pauses with the cause, and pauses again after it is resumed only if further users exceed the limit', async () => {
    const { clock, startCampaign, ledger, claim, control, run, kinds } = setUp(2000);
    const workOff = async (batches: number, failures: number) => {
      const results = (await claim(batches)).map((step) =>
        doneOf(step, {
          failures: usersOf(step.users)
            .slice(0, failures)
            .map((user) => failed(user)),
        }),
      );
      await ledger.flush({ results, claims: [], begins: [] });
    };
    await startCampaign(limited);
    await passTime(clock, 1000);
    await workOff(1, 10);
    await passTime(clock, 2000);
    expect(run()?.state).toBe('running');
    await workOff(3, 10);
    await passTime(clock, 1100);
    const stateReason = '10 % of 300 users failed in step 1, limit 5 %';
    expect(run()).toMatchObject({ state: 'pausing', stateReason });
    await passTime(clock, 4000);
    expect(run()).toMatchObject({ state: 'paused', stateReason });
    expect(await kinds()).toEqual(['created', 'begun', 'auto-paused', 'paused']);

    await control.change(run()?.id ?? '', () => ({
      change: { to: 'running', stateReason: null, judgeFromHere: true, events: [] },
    }));
    await passTime(clock, 5000);
    expect(run()?.state).toBe('running');
    await workOff(6, 10);
    await passTime(clock, 1100);
    expect(run()?.state).toBe('pausing');
  });

  it('ends without a pause if no user is left', async () => {
    const { clock, startCampaign, ledger, claim, run } = setUp(300);
    await startCampaign(limited);
    await passTime(clock, 1000);
    const results = (await claim(3)).map((step) =>
      doneOf(step, { failures: usersOf(step.users).map((user) => failed(user)) }),
    );
    await ledger.flush({ results, claims: [], begins: [] });
    await passTime(clock, 3000);
    expect(run()?.state).toBe('completed_with_failures');
  });
});

describe('a run with a pace', () => {
  it.each([[['a']], [['a', 'b']]])(
    'is fed at its pace, over all countries together, by triggers %j',
    async (triggers) => {
      const { clock, startCampaign, fed, workOff } = setUp(100_000, triggers);
      await startCampaign({ countries: ['SG', 'ID'], paceUsersPerSecond: 1000 });
      await passTime(clock, 2000);
      const before = fed();
      for (let second = 0; second < 20; second++) {
        await passTime(clock, 1000);
        await workOff();
      }
      const rate = (fed() - before) / 20;
      expect(rate).toBeGreaterThan(850);
      expect(rate).toBeLessThan(1050);
    },
  );

  it('feeds its countries equally fast', async () => {
    const { clock, startCampaign, feedRows, workOff } = setUp(100_000, ['a', 'b']);
    await startCampaign({ countries: ['SG', 'ID'], paceUsersPerSecond: 500 });
    for (let second = 0; second < 30; second++) {
      await passTime(clock, 1000);
      await workOff();
    }
    const [one, two] = feedRows().map(({ fedUsers }) => fedUsers);
    expect(Math.abs((one ?? 0) - (two ?? 0))).toBeLessThan(0.25 * ((one ?? 0) + (two ?? 0)));
  });

  it('follows a changed or removed pace within seconds', async () => {
    const { clock, startCampaign, control, run, fed, workOff } = setUp(100_000);
    await startCampaign({ paceUsersPerSecond: 100 });
    await passTime(clock, 10_000);
    expect(fed()).toBeLessThan(1300);
    const setPace = (paceUsersPerSecond: number | null) =>
      control.change(run()?.id ?? '', () => ({ change: { settings: { paceUsersPerSecond }, events: [] } }));
    await setPace(2000);
    const before = fed();
    for (let second = 0; second < 10; second++) {
      await passTime(clock, 1000);
      await workOff();
    }
    const rate = (fed() - before) / 10;
    expect(rate).toBeGreaterThan(1600);
    expect(rate).toBeLessThan(2200);
    await setPace(null);
    await passTime(clock, 1000);
    expect(fed() - before).toBeGreaterThan(30_000);
  });
});
