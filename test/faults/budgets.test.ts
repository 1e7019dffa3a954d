import { afterEach, describe, expect, it } from 'vitest';
import { changeBudgets, resumeRun } from '../../sdk/generated/sdk.gen.ts';
import { startTrial, type Trial } from './support/trial.ts';
import { until } from './support/until.ts';

const segment = 'lapsed-riders';
const unitsPerUser = 3;
/** Four thousand users, and one unit that is too little for the next one. */
const units = 12_001;

describe('a budget under fire', () => {
  let trial: Trial;
  afterEach(() => trial.end());

  async function begin(): Promise<string> {
    trial = await startTrial({
      workers: 2,
      sandbox: {
        SANDBOX_SEGMENTS: `${segment}=18000`,
        SANDBOX_COUNTRIES: 'SG=1,ID=1,VN=1',
        SANDBOX_POINTS_LATENCY_MS: '200-400',
        // What they give back is spent on others.
        SANDBOX_POINTS_FAILURE_SHARE: '0.05',
      },
      engine: { WORKER_CONCURRENCY: '8' },
    });
    return await trial.muster.api.run({
      name: 'Points while they last',
      countries: trial.muster.countries,
      segment,
      chain: [{ action: 'award-points', params: { points: 3 }, unitsPerUser }],
      budgets: [{ country: 'SG', units }],
    });
  }

  /**
   * By the ledger of who spends them. Effects only grow: what they cost at one moment they never cost more before it.
   */
  async function unitsSpent(runId: string): Promise<number> {
    const { applied, countries } = (await trial.ledger()).of(runId, 1);
    const inSingapore = [...applied].filter(([user]) => countries.get(user) === 'SG');
    return inSingapore.reduce((sum, [, times]) => sum + times * unitsPerUser, 0);
  }

  async function killAndRestart(...names: string[]): Promise<void> {
    await trial.kill(...names);
    await trial.restart(...names);
  }

  it('row 2: workers are killed again and again, and not one unit more than the budget is ever spent', async () => {
    const runId = await begin();
    for (const victim of ['worker-1', 'worker-2', 'worker-1', 'worker-2']) {
      await trial.awaitCalls(runId, 1, (await trial.batchesCalled(runId, 1)) + 15);
      await killAndRestart(victim);
    }

    const paused = await until('the run has paused for its budget', async () => {
      const progress = await trial.muster.api.progress(runId);
      return progress.state === 'paused' && progress;
    });
    expect(paused.stateReason).toBe('budget: 1 of the 12,001 units of SG are left, and a user costs 3');
    expect(paused.budgets).toMatchObject([{ country: 'SG', units, used: units - 1, reserved: 0, left: 1 }]);
    expect(await unitsSpent(runId)).toBe(units - 1);
    // The others have ended meanwhile.
    const pendingIn = paused.countries.map(({ country, steps }) => [country, (steps[0]?.pending ?? 0) > 0]);
    expect(Object.fromEntries(pendingIn)).toEqual({ SG: true, ID: false, VN: false });

    const raised = 20_000;
    const { client } = trial.muster.api;
    const budgets = [{ country: 'SG', units: raised }];
    await changeBudgets({ client, path: { id: paused.campaignId }, body: { budgets } });
    const called = await trial.batchesCalled(runId, 1);
    await resumeRun({ client, path: { id: runId }, body: {} });
    await trial.awaitCalls(runId, 1, called + 3);
    await killAndRestart('worker-1', 'worker-2');

    const ended = await trial.awaitEnd(runId);
    expect(ended).toMatchObject({ state: 'completed_with_failures', balanced: true });
    const [line] = ended.countries.find(({ country }) => country === 'SG')?.steps ?? [];
    const used = (line?.succeeded ?? 0) * unitsPerUser;
    expect(ended.budgets).toMatchObject([{ units: raised, used, reserved: 0, left: raised - used, waitingBatches: 0 }]);
    expect(await unitsSpent(runId)).toBe(used);
    expect(used).toBeLessThanOrEqual(raised);
    expect(await trial.judge(runId, { rows: '2', scenario: 'budget, workers killed', segment })).toEqual([]);
  });
});
