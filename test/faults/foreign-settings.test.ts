import { afterEach, describe, expect, it } from 'vitest';
import { faultControls } from '../mutations/fault-controls.ts';
import { rewardThenMessage } from '../e2e/installation.ts';
import { startCallbackTrial, type CallbackTrial, type CallbackTrialOptions } from './support/callback-trial.ts';
import { recreateInGerman, setForeignDefaults, setForeignRoles } from './support/foreign-settings.ts';
import { patientCalls } from './support/trial.ts';

/** This segment has user ids with blanks, umlauts, quotes and similar characters. */
const segment = 'odd-riders';
const users = 4000;
const jobs = 200;

describe('row 76: an installation on a database with other settings', () => {
  let trial: CallbackTrial;
  const ends: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
  });

  async function begin(options: CallbackTrialOptions): Promise<void> {
    trial = await startCallbackTrial({
      workers: 2,
      triggers: 1,
      schedulers: 1,
      sandbox: {
        SANDBOX_SEGMENTS: `${segment}=${users}:odd`,
        SANDBOX_REWARDS_FAILURE_SHARE: '0.02',
        SANDBOX_REWARDS_LATENCY_MS: '400-600',
      },
      engine: { ...patientCalls, WORKER_CONCURRENCY: '4' },
      ...options,
    });
    ends.push(() => trial.end());
  }

  async function campaignAndCallbacks(scenario: string, during?: () => Promise<void>): Promise<void> {
    const { api, countries } = trial.muster;
    const fromMs = Date.now();
    const over = trial.injections.begin(scenario, 'database');
    const runId = await api.run({ name: 'Elsewhere', countries, segment, chain: rewardThenMessage });
    await trial.schedule({ count: jobs, spreadMs: 5000, relevancySeconds: 60 });
    await during?.();
    await trial.awaitEnd(runId);
    await trial.awaitEnded();
    over();
    const untilMs = Date.now();

    const report = await api.report(runId);
    expect(report).toMatchObject({ balanced: true, audience: { complete: true, counted: users } });
    expect(report.steps).toMatchObject([
      { unknown: 0, pending: 0 },
      { failed: 0, unknown: 0, pending: 0 },
    ]);
    const times = [report.startedAt, report.endedAt].map((time) => Date.parse(time ?? ''));
    for (const timeMs of times) {
      expect(timeMs).toBeGreaterThan(fromMs - 1000);
      expect(timeMs).toBeLessThan(untilMs + 1000);
    }
    expect(await trial.judge(runId, { rows: '76', scenario, segment })).toEqual([]);
    expect(await trial.judgeCallbacks({ rows: '76', scenario: `${scenario}, callbacks` })).toEqual([]);
    expect(trial.receiver.calls()).toHaveLength(jobs);
  }

  it('runs a campaign and callbacks with German dates, other time zones and short time-outs as database defaults', async () => {
    await begin({ alterDatabase: setForeignDefaults });
    await campaignAndCallbacks('settings of the database');
  });

  it('continues if its roles get such settings at run time and all sessions reconnect', async () => {
    await begin({});
    await campaignAndCallbacks('settings of the roles', () => setForeignRoles(trial.muster.database.url));
  });

  it('runs a campaign and callbacks in a database with the German collation', async () => {
    await begin({ alterDatabase: recreateInGerman });
    await campaignAndCallbacks('German collation');
  });

  it('does not start with German dates if its sessions do not set their own date style (control)', async () => {
    const without = faultControls.sessionsSetTheirDates;
    const started = begin({ alterDatabase: setForeignDefaults, without });
    await expect(started).rejects.toThrow('an internal error occurred');
  });
});
