import { afterEach, describe, expect, it } from 'vitest';
import { changeActionType, changeBudgets, resumeRun } from '../../sdk/generated/sdk.gen.ts';
import { startTrial, type Trial } from './support/trial.ts';
import { until } from './support/until.ts';

const segment = 'lapsed-riders';
const unitsPerUser = 3;
/** Units for four thousand users, and one more unit, which is too little for another user. */
const units = 12_001;
/** Amount for four thousand users at three units of 0.07 each, and ten cents more. */
const amount = '840.10';
const costOfUser = 0.21;

describe('a budget while workers are killed', () => {
  let trial: Trial;
  afterEach(() => trial.end());

  async function begin(): Promise<string> {
    trial = await startTrial({
      workers: 2,
      sandbox: {
        SANDBOX_SEGMENTS: `${segment}=18000`,
        SANDBOX_COUNTRIES: 'SG=1,ID=1,VN=1',
        SANDBOX_POINTS_LATENCY_MS: '200-400',
        // Units that failed users return are spent on other users.
        SANDBOX_POINTS_FAILURE_SHARE: '0.05',
      },
      engine: { WORKER_CONCURRENCY: '8', MUSTER_CURRENCY: 'SGD' },
    });
    const { client } = trial.muster.api;
    await changeActionType({ client, path: { name: 'award-points' }, body: { price: '0.07' } });
    return await trial.muster.api.run({
      name: 'Points while they last',
      countries: trial.muster.countries,
      segment,
      chain: [{ action: 'award-points', params: { points: 3 }, unitsPerUser }],
      budgets: [
        { country: 'SG', units },
        { country: 'ID', amount, currency: 'SGD' },
      ],
    });
  }

  /**
   * Returns the users served in the country, by the ledger of the called service. Effects are never undone, so a sum
   * within the budget now was within it before.
   */
  async function servedIn(runId: string, country: string): Promise<number> {
    const { applied, countries } = (await trial.ledger()).of(runId, 1);
    const there = [...applied].filter(([user]) => countries.get(user) === country);
    return there.reduce((sum, [, times]) => sum + times, 0);
  }

  async function killAndRestart(...names: string[]): Promise<void> {
    await trial.kill(...names);
    await trial.restart(...names);
  }

  it('row 2: is never exceeded by a unit or cent when workers are killed repeatedly', async () => {
    const runId = await begin();
    for (const victim of ['worker-1', 'worker-2', 'worker-1', 'worker-2']) {
      await trial.awaitCalls(runId, 1, (await trial.batchesCalled(runId, 1)) + 15);
      await killAndRestart(victim);
    }

    const paused = await until('the run has paused for its budget', async () => {
      const progress = await trial.muster.api.progress(runId);
      return progress.state === 'paused' && progress;
    });
    expect(paused.stateReason).toBe(
      'budget: 0.10 of the 840.10 SGD of ID are left, and a user costs 0.21; ' +
        '1 of the 12,001 units of SG are left, and a user costs 3',
    );
    expect(paused.budgets).toMatchObject([
      { country: 'ID', units: null, money: { amount, used: '840.00', reserved: '0.00', left: '0.10' } },
      { country: 'SG', units, used: units - 1, reserved: 0, left: 1 },
    ]);
    expect([await servedIn(runId, 'SG'), await servedIn(runId, 'ID')]).toEqual([4000, 4000]);
    // By then the third country, which has no budget, has ended.
    const pendingIn = paused.countries.map(({ country, steps }) => [country, (steps[0]?.pending ?? 0) > 0]);
    expect(Object.fromEntries(pendingIn)).toEqual({ SG: true, ID: true, VN: false });

    const raised = 20_000;
    const { client } = trial.muster.api;
    const budgets = [
      { country: 'SG', units: raised },
      { country: 'ID', amount: '2000.00', currency: 'SGD' },
    ];
    await changeBudgets({ client, path: { id: paused.campaignId }, body: { budgets } });
    const called = await trial.batchesCalled(runId, 1);
    await resumeRun({ client, path: { id: runId }, body: {} });
    await trial.awaitCalls(runId, 1, called + 3);
    await killAndRestart('worker-1', 'worker-2');

    const ended = await trial.awaitEnd(runId);
    expect(ended).toMatchObject({ state: 'completed_with_failures', balanced: true });
    const succeededIn = (of: string) => ended.countries.find(({ country }) => country === of)?.steps[0]?.succeeded ?? 0;
    const used = succeededIn('SG') * unitsPerUser;
    const spent = (succeededIn('ID') * costOfUser).toFixed(2);
    expect(ended.budgets).toMatchObject([
      { money: { amount: '2000.00', used: spent, reserved: '0.00' }, waitingBatches: 0 },
      { units: raised, used, reserved: 0, left: raised - used, waitingBatches: 0 },
    ]);
    expect([await servedIn(runId, 'SG'), await servedIn(runId, 'ID')]).toEqual([succeededIn('SG'), succeededIn('ID')]);
    expect(used).toBeLessThanOrEqual(raised);
    expect(await trial.judge(runId, { rows: '2', scenario: 'budget, workers killed', segment })).toEqual([]);
  });
});
