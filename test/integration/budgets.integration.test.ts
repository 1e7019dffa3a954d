import { describe, expect, it } from 'vitest';
import { createBudgetStore } from '../../services/api/runs/control/postgres/budget-store.ts';
import { createCampaignStore } from '../../services/api/campaigns/postgres/campaign-store.ts';
import { createDueJobs } from '../../services/scheduler/postgres/due-jobs.ts';
import { createFeedContexts } from '../../services/worker/claims/postgres/feed-contexts.ts';
import { createFeedStore } from '../../services/trigger/feed/postgres/feed-store.ts';
import { createRetentionStore } from '../../services/trigger/retain/postgres/retention.ts';
import { createRunStore } from '../../services/trigger/keep/postgres/run-store.ts';
import { segmentAlone } from '../../shared/contracts/runs/feed-audience.ts';
import { usersOf } from '../../shared/domain/step/users-text.ts';
import type { ClaimedStep, StepLedger, StepRef, StepResult } from '../../shared/ports/step-ledger.ts';
import { noteSettings } from '../../shared/postgres/registry/service-settings.ts';
import { createLeases } from '../../shared/postgres/registry/leases.ts';
import { createHotPathPool } from '../../shared/postgres/connection/pool.ts';
import { createStepLedger } from '../../shared/postgres/ledger/step-ledger.ts';
import { retryingDeadlocks } from '../../shared/postgres/connection/transaction.ts';
import { childOf, doneOf, failed, leaseMs, someBatches, waitingOf } from '../support/conformance/execution-subject.ts';
import { campaignDefinitionOf } from '../support/conformance/run-rows.ts';
import { databaseForFile } from '../support/file-database.ts';
import { untilOneWaits } from '../support/lock-waits.ts';
import { createChance, type Chance } from '../simulation/seeded.ts';
import { usualQuotas } from '../../shared/runtime/configuration/quotas.ts';

const database = databaseForFile(createHotPathPool);

const unitsPerUser = [2];

/** Rounds of each worker. The budgets are used up after a few rounds; the others try rarer orders. */
const rounds = process.env['MUSTER_TESTS'] === 'first' ? 20 : 60;

/** Creates a run with these batches in SG, whose users cost two units each. */
async function fedRun(budget: number | string, batches: readonly (readonly string[])[]) {
  const chain = [{ action: 'award-points', params: {}, unitsPerUser: unitsPerUser[0] ?? 0 }];
  const size = typeof budget === 'number' ? { units: budget } : { amount: budget, currency: 'EUR' };
  const definition = campaignDefinitionOf({ countries: ['SG'], chain, budgets: [{ country: 'SG', ...size }] });
  const campaigns = createCampaignStore({ pool: database.pool, quotas: usualQuotas });
  const { campaignId } = await campaigns.create(definition);
  await campaigns.start(campaignId, null);
  const lease = await createLeases({ pool: database.pool }).acquire('scheduler', 'a', 60_000);
  const fired = lease && (await createDueJobs({ pool: database.pool }).fire(lease, 100));
  const runId = fired?.runs.find((run) => run.campaignId === campaignId)?.runId ?? '';
  const audience = segmentAlone({ segment: 'all', snapshot: 's1', estimate: null });
  await createRunStore({ pool: database.pool }).begin(runId, [{ country: 'SG', audience }]);
  const feeds = createFeedStore({ pool: database.pool });
  const feed = (await feeds.claim('t', leaseMs, 1000, 'all')).find((each) => each.runId === runId);
  if (!feed) throw new Error('the run has no feed');
  const { feedId, token } = feed;
  const numbered = batches.map((users, index) => ({ batchNo: index + 1, users }));
  const pages = {
    feedId,
    token,
    batches: numbered,
    invalidUsers: [],
    cursor: 'z',
    complete: true,
    staysStalled: false,
  };
  await feeds.writePages(pages);
  return { campaignId, runId, feedId };
}

function ledgerOf(nth: number): StepLedger {
  return createStepLedger({ pool: database.pool, owner: `worker-${nth}`, slot: nth, leaseMs });
}

async function figuresOf(campaignId: string): Promise<number[]> {
  const [sg] = await createBudgetStore({ pool: database.pool }).list(campaignId);
  if (!sg) return [];
  // Money is converted into units of a quarter each.
  const of = ({ amount, used, reserved }: NonNullable<typeof sg.money>) =>
    [amount, used, reserved].map((each) => 4 * Number(each));
  return sg.money ? of(sg.money) : [sg.units ?? 0, sg.used ?? 0, sg.reserved ?? 0];
}

/** Sets the price of a unit of points. */
async function setPrice(price: string): Promise<void> {
  await noteSettings(database.pool, 'api', { MUSTER_CURRENCY: 'EUR' });
  await database.pool.query(
    `insert into action_types (name, config, origin)
     values ('award-points', jsonb_build_object('price', $1::text), 'api')
     on conflict (name) do update set config = excluded.config`,
    [price],
  );
}

describe('budgets with many workers', () => {
  it.each<[string, number | string]>([
    ['to the last unit', 407],
    // At a quarter for each unit, this budget has as many units.
    ['to the last cent that covers a user', '101.75'],
  ])(
    'are used up %s and never exceeded while workers claim, lose, release and crash concurrently',
    async (_, budget) => {
      const units = 407;
      await setPrice('0.25');
      const { campaignId, feedId } = await fedRun(budget, someBatches(40, 10));
      // Runs keep the price from their beginning.
      await setPrice('99');
      const served = new Set<string>();
      const late: number[] = [];
      const [context] = await createFeedContexts({ pool: database.pool }).load([feedId]);
      const costs = new Map([[feedId, context?.unitsPerUser ?? []]]);
      expect(costs.get(feedId)).toEqual(typeof budget === 'number' ? unitsPerUser : [500_000]);

      /** Works like a worker on all open steps: each call is served before the next statement. */
      async function work(nth: number, chance: Chance): Promise<void> {
        const ledger = ledgerOf(nth);
        for (let round = 0; round < rounds; round++) {
          const claims = await someOpen(feedId, chance);
          const { claimed } = await ledger.flush({ results: [], claims, begins: [], unitsPerUser: costs });
          const results = claimed.flatMap((claim) => outcomeOf(claim, chance));
          if (2 * served.size > units) late.push(served.size);
          await ledger.flush({ results, claims: [], begins: [], unitsPerUser: costs });
          if (chance.happens(0.3)) await lapse();
        }
      }

      function outcomeOf(claim: ClaimedStep, chance: Chance): StepResult[] {
        const users = usersOf(claim.users);
        if (claim.fits !== undefined) return [partsOf(claim, users, claim.fits)];
        const fate = chance.next();
        // The call has no effect: it was refused, or some users failed.
        if (fate < 0.15 && !claim.open) return [waitingOf(claim, { open: false, delayMs: 0 })];
        if (fate < 0.3 && !claim.open) {
          for (const user of users.slice(1)) served.add(user);
          return [doneOf(claim, { failures: users.slice(0, 1).map((user) => failed(user)) })];
        }
        for (const user of users) served.add(user);
        // The call has an effect, but its answer or its worker is lost, or some users are missing in the answer.
        if (fate < 0.45) return [waitingOf(claim, { open: true, delayMs: 0 })];
        if (fate < 0.6) return [];
        if (fate < 0.7) return [doneOf(claim, { children: [childOf(users.slice(0, 2), { open: true })] })];
        return [doneOf(claim)];
      }

      await Promise.all(Array.from({ length: 6 }, (_, nth) => work(nth, createChance(nth + 1))));
      // The units that the last workers returned are used for the remaining users.
      await lapse();
      const last = ledgerOf(0);
      for (let round = 0; round < 20; round++) {
        const claims = await allBatches(feedId);
        const { claimed } = await last.flush({ results: [], claims, begins: [], unitsPerUser: costs });
        const results = claimed.map((claim) => {
          const users = usersOf(claim.users);
          if (claim.fits !== undefined) return partsOf(claim, users, claim.fits);
          for (const user of users) served.add(user);
          return doneOf(claim);
        });
        await last.flush({ results, claims: [], begins: [], unitsPerUser: costs });
        await lapse();
      }
      expect(late).toEqual([]);
      const [, used = 0, reserved = 0] = await figuresOf(campaignId);
      expect(2 * served.size).toBeLessThanOrEqual(used + reserved);
      // The last unit does not suffice for any user.
      expect(used + reserved).toBe(406);
    },
  );

  it('prevent a call whose reservation was removed between the check and the claim', async () => {
    const { campaignId, feedId } = await fedRun(100, someBatches(1, 10));
    const costs = new Map([[feedId, unitsPerUser]]);
    const ref = { feedId, batchNo: 1, step: 1 };
    await ledgerOf(0).flush({ results: [], claims: [ref], begins: [], unitsPerUser: costs });
    // Another session returns the step, and has not committed yet.
    const rival = await database.pool.connect();
    await rival.query('begin');
    await rival.query(`update batch_steps set state = 2, next_attempt_at = now() where feed = $1`, [feedId]);
    await rival.query('delete from budget_reservations where feed = $1', [feedId]);
    const flush = ledgerOf(1).flush({ results: [], claims: [ref], begins: [], unitsPerUser: costs });
    await untilOneWaits(database.pool);
    await rival.query('commit');
    rival.release();
    expect((await flush).claimed).toEqual([]);
    expect(await figuresOf(campaignId)).toEqual([100, 0, 0]);
    const again = await ledgerOf(1).flush({ results: [], claims: [ref], begins: [], unitsPerUser: costs });
    expect(again.claimed).toHaveLength(1);
    expect(await figuresOf(campaignId)).toEqual([100, 0, 20]);
  });

  it('return busy for steps of a locked budget and let the rest of the flush continue', async () => {
    const { campaignId, feedId } = await fedRun(20, someBatches(2, 10));
    const neighbour = await fedRun(20, someBatches(1, 10));
    const free = await fedRun(20, someBatches(1, 10));
    // The third campaign costs nothing.
    const costs = new Map([feedId, neighbour.feedId].map((feed) => [feed, unitsPerUser]));
    const [ref, ...others] = [feedId, neighbour.feedId, free.feedId].map((feed) => {
      return { feedId: feed, batchNo: feed === feedId ? 2 : 1, step: 1 };
    });
    if (!ref) throw new Error('there are three');
    const claims = [ref, ...others];
    const first = await database.pool.connect();
    try {
      await first.query('begin');
      await first.query('select * from reserve_budgets($1, $2, $3)', [[feedId], [1], [1]]);
      const flushed = await ledgerOf(1).flush({ results: [], claims, begins: [], unitsPerUser: costs });
      expect(flushed.busy).toEqual([ref]);
      expect(new Set(flushed.claimed.map((claim) => claim.feedId))).toEqual(new Set(others.map((each) => each.feedId)));
      await first.query('commit');
    } finally {
      first.release(true);
    }
    // Together with what the other has reserved, this one would overspend.
    const again = await ledgerOf(1).flush({ results: [], claims: [ref], begins: [], unitsPerUser: costs });
    expect([again.claimed, again.busy]).toEqual([[], []]);
    expect(await figuresOf(campaignId)).toEqual([20, 0, 20]);
    expect(await figuresOf(neighbour.campaignId)).toEqual([20, 0, 20]);
  });

  it('keep the reservation of a worker that died, for the worker that claims the step next', async () => {
    const { campaignId, feedId } = await fedRun(20, someBatches(2, 10));
    await database.pool.query('select * from reserve_budgets($1, $2, $3)', [[feedId], [1], [1]]);
    const costs = new Map([[feedId, unitsPerUser]]);
    const claims = [1, 2].map((batchNo) => ({ feedId, batchNo, step: 1 }));
    const { claimed } = await ledgerOf(0).flush({ results: [], claims, begins: [], unitsPerUser: costs });
    expect(claimed.map(({ batchNo }) => batchNo)).toEqual([1]);
    expect(await figuresOf(campaignId)).toEqual([20, 0, 20]);
  });

  it('are charged in money at the prices that applied when the run began', async () => {
    await setPrice('0.25');
    const { campaignId, runId, feedId } = await fedRun('10.00', someBatches(1, 10));
    await setPrice('0.30');
    const costs = new Map([[feedId, [500_000]]]);
    const claims = [{ feedId, batchNo: 1, step: 1 }];
    const ledger = ledgerOf(0);
    const [claim] = (await ledger.flush({ results: [], claims, begins: [], unitsPerUser: costs })).claimed;
    if (!claim) throw new Error('the step was free');
    expect(await figuresOf(campaignId)).toEqual([40, 0, 20]);
    await ledger.flush({ results: [doneOf(claim)], claims: [], begins: [], unitsPerUser: costs });
    expect(await figuresOf(campaignId)).toEqual([40, 20, 0]);
    await createRunStore({ pool: database.pool }).finish(runId, 'completed', null);
    const [sg] = await createBudgetStore({ pool: database.pool }).list(campaignId);
    expect(sg).toEqual({
      country: 'SG',
      units: null,
      used: null,
      reserved: null,
      waitingBatches: 0,
      money: { currency: 'EUR', amount: '10.00', used: '5.00', reserved: '0.00', left: '5.00' },
    });
  });

  it('prevent a run from beginning if they are in money and an action has no price in that currency', async () => {
    await setPrice('0.25');
    const { runId } = await fedRun('10.00', someBatches(1, 10));
    const runs = createRunStore({ pool: database.pool });
    expect(await runs.unpriced(runId)).toBeNull();
    // Resets the run, as if it had not begun.
    await database.pool.query(`update runs set prices = null, state = 'preparing' where id = $1`, [runId]);
    await database.pool.query(`update action_types set config = '{}'`);
    expect(await runs.unpriced(runId)).toBe('"award-points" has no price that a budget in EUR can count');
    const audience = segmentAlone({ segment: 'all', snapshot: 's1', estimate: null });
    await expect(runs.begin(runId, [{ country: 'SG', audience }])).rejects.toThrow(/feeds_have_prices/);
    await setPrice('0.25');
    await noteSettings(database.pool, 'api', { MUSTER_CURRENCY: 'USD' });
    expect(await runs.unpriced(runId)).toBe('the budget of SG is in EUR, and prices are in USD');
  });

  it('report the remaining money and the cost of a user if a batch does not fit', async () => {
    await setPrice('0.25');
    const { runId, feedId } = await fedRun('1234.25', someBatches(1, 10));
    await database.pool.query(`update budgets set past_units = 1234000000`);
    const costs = new Map([[feedId, [500_000]]]);
    const claims = [{ feedId, batchNo: 1, step: 1 }];
    expect((await ledgerOf(0).flush({ results: [], claims, begins: [], unitsPerUser: costs })).claimed).toEqual([]);
    const { rows } = await database.pool.query<{ cause: string }>('select cause from batch_steps where feed = $1', [
      feedId,
    ]);
    expect(rows).toEqual([{ cause: 'budget: too little of the 1,234.25 EUR of SG is left' }]);
    expect(await createRunStore({ pool: database.pool }).shortages([runId])).toEqual([
      {
        runId,
        country: 'SG',
        left: 250_000,
        batches: 1,
        leastUnits: 500_000,
        budgetText: '1,234.25 EUR',
        leftText: '0.25',
        leastText: '0.50',
      },
    ]);
  });

  it('keep the units spent by runs that retention has deleted', async () => {
    const { campaignId, runId, feedId } = await fedRun(100, someBatches(1, 10));
    const ledger = ledgerOf(0);
    const costs = new Map([[feedId, unitsPerUser]]);
    const claims = [{ feedId, batchNo: 1, step: 1 }];
    const [claim] = (await ledger.flush({ results: [], claims, begins: [], unitsPerUser: costs })).claimed;
    if (!claim) throw new Error('the step was free');
    await ledger.flush({ results: [doneOf(claim)], claims: [], begins: [], unitsPerUser: costs });
    await createRunStore({ pool: database.pool }).finish(runId, 'completed', null);
    await database.pool.query(`update runs set ended_at = now() - interval '2 days' where id = $1`, [runId]);
    await createRetentionStore({ pool: database.pool }).deleteRuns(1, 100);
    expect(await figuresOf(campaignId)).toEqual([100, 20, 0]);
  });
});

function partsOf(claim: ClaimedStep, users: readonly string[], fits: number): StepResult {
  return doneOf(claim, { children: [childOf(users.slice(0, fits)), childOf(users.slice(fits))] });
}

/** Returns some of the batches in random order, with child batches. */
async function someOpen(feedId: string, chance: Chance): Promise<StepRef[]> {
  const all = await allBatches(feedId);
  return Array.from({ length: 8 }, () => chance.pick(all));
}

async function allBatches(feedId: string): Promise<StepRef[]> {
  const text = 'select batch_no as "batchNo" from batches where feed = $1 order by 1';
  const { rows } = await database.pool.query<{ batchNo: number }>(text, [feedId]);
  return rows.map(({ batchNo }) => ({ feedId, batchNo, step: 1 }));
}

/**
 * Ends the leases of dead workers, and makes waiting steps due. Leases of living workers are newer, because these
 * record soon.
 */
async function lapse(): Promise<void> {
  const leases = `update batch_steps set lease_until = now() - interval '1 second'
     where state = 1 and lease_until < now() + interval '29.8 seconds'`;
  const waits = 'update batch_steps set next_attempt_at = now() where state = 2 and next_attempt_at > now()';
  for (const text of [leases, waits]) await retryingDeadlocks(() => database.pool.query(text));
}
