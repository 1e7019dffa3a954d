import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { runMuster } from '../../cli/test-muster.ts';
import {
  cancelRun,
  changeRun,
  createCampaign,
  getRun,
  listRuns,
  resumeRun,
  startCampaign,
} from '../../sdk/generated/sdk.gen.ts';
import { uuidOf } from '../../shared/domain/ids/ids.ts';
import { restoredReason } from '../../shared/domain/run/restored-runs.ts';
import { rewardThenMessage } from '../e2e/installation.ts';
import { startOwnPostgres, type OwnPostgres } from './support/own-postgres.ts';
import { startTrial, type Trial } from './support/trial.ts';
import { until } from './support/until.ts';

const segment = 'lapsed-riders';
const later = 'later-riders';
/** Output of `muster restored`. */
const notified = z.object({
  starts: z.number(),
  runs: z.array(
    z.object({ runId: z.string(), hasBegun: z.boolean(), classes: z.array(z.string()), mayGoOn: z.boolean() }),
  ),
});
/** Processes with a memory of Muster's state. The called services keep their own memory. */
const engine = ['api', 'scheduler', 'trigger', 'worker-1', 'worker-2'];

describe('row 67: a database restored to an earlier moment, with newer topics', () => {
  let postgres: OwnPostgres;
  let trial: Trial;
  beforeAll(async () => {
    postgres = await startOwnPostgres();
  });
  afterEach(() => trial.end());
  afterAll(() => postgres.end());

  const api = () => ({ client: trial.muster.api.client });
  const countries = () => [...trial.muster.countries];
  const databaseUrl = () => trial.muster.database.url;

  /**
   * Backs up the database while one campaign is in its second step. After the backup this campaign continues, and a
   * second campaign, whose start is due in the backup, begins and ends. Then all processes are killed and the backup is
   * restored.
   */
  async function loseWhatCameSince(): Promise<{ running: string; forgotten: string; campaignId: string }> {
    trial = await startTrial({
      workers: 2,
      servers: { databaseUrl: postgres.databaseUrl, kafkaBrokers: inject('kafkaBrokers') },
      sandbox: {
        SANDBOX_SEGMENTS: `${segment}=30000,${later}=1500`,
        // The sandbox is the witness, so its memory must not be restored with the database.
        SANDBOX_REWARDS_STORE: 'memory',
        SANDBOX_REWARDS_FAILURE_SHARE: '0.02',
        SANDBOX_REWARDS_LATENCY_MS: '200-400',
        SANDBOX_MESSAGES_LATENCY_MS: '200-400',
      },
      engine: { WORKER_CONCURRENCY: '10' },
    });
    const running = await trial.muster.api.run({
      name: 'Goes on',
      countries: countries(),
      segment,
      chain: rewardThenMessage,
      // At this pace, the run is still in its second step at the time of the backup, even on a fast machine.
      paceUsersPerSecond: 500,
    });
    const campaignId = await scheduleTomorrow();
    await trial.awaitCalls(running, 2, 20);
    await postgres.backUp();

    const dueAt = new Date(Math.floor(Date.now() / 1000) * 1000);
    await beDue(campaignId, dueAt);
    const forgotten = await until('the second campaign has begun', () => runOf(campaignId));
    await trial.awaitEnd(forgotten);
    const called = await trial.batchesCalled(running, 2);
    await trial.awaitCalls(running, 2, called + 40);

    await trial.kill(...engine);
    trial.injections.happened('restore', 'Postgres');
    await postgres.restoreBackup();
    await beDue(campaignId, dueAt);
    return { running, forgotten, campaignId };
  }

  async function scheduleTomorrow(): Promise<string> {
    const body = {
      name: 'Begins later',
      countries: countries(),
      audience: { include: [{ segment: later }] },
      chain: rewardThenMessage,
      schedule: { type: 'at' as const, time: new Date(Date.now() + 86_400_000).toISOString() },
    };
    const { id } = (await createCampaign({ ...api(), body })).data;
    await startCampaign({ ...api(), path: { id } });
    return id;
  }

  /** Makes the start of tomorrow due at this time, before and after the restore. */
  async function beDue(campaignId: string, at: Date): Promise<void> {
    const moved = await until('the start is due', () =>
      trial.database.rows(
        `with gone as (delete from run_starts where campaign = $1 returning *)
         insert into run_starts (partition_id, due_at, id, campaign, revision)
         select partition_id, $2, id, campaign, revision from gone returning id`,
        [uuidOf('campaign', campaignId), at],
      ),
    );
    expect(moved).toHaveLength(1);
  }

  async function runOf(campaignId: string): Promise<string | undefined> {
    return (await listRuns({ ...api(), query: { campaignId } })).data.items[0]?.runId;
  }

  /** Returns how often each user got a reward in these runs of the second campaign. */
  async function rewardsOf(runIds: readonly string[]): Promise<Map<string, number>> {
    const ledger = await trial.ledger();
    const times = new Map<string, number>();
    for (const runId of runIds) {
      for (const [user, count] of ledger.of(runId, 1).applied) times.set(user, (times.get(user) ?? 0) + count);
    }
    return times;
  }

  it('resumes nothing automatically, and a resumed run serves no user twice and has a balanced report', async () => {
    const { running, forgotten, campaignId } = await loseWhatCameSince();

    const reported = await runMuster(['restored', '--json'], { environment: { DATABASE_URL: databaseUrl() } });
    expect(reported.code).toBe(0);
    await trial.restart(...engine);
    const held = await until('the start is a run again', () => runOf(campaignId));
    const { starts, runs } = notified.parse(JSON.parse(reported.out));
    expect(starts).toBe(1);
    expect(runs).toContainEqual({ runId: running, hasBegun: true, classes: ['A', 'B'], mayGoOn: false });
    expect(runs).toContainEqual({ runId: held, hasBegun: false, classes: ['A', 'B'], mayGoOn: false });
    for (const runId of [running, held]) {
      const run = await until('it is paused', async () => {
        const { data } = await getRun({ ...api(), path: { id: runId } });
        return data.state === 'paused' && data;
      });
      expect(run.stateReason).toBe(restoredReason);
    }

    // The person has checked that no message was split and that the second campaign has had its run.
    await cancelRun({ ...api(), path: { id: held }, body: {} });
    await resumeRun({ ...api(), path: { id: running }, body: {} });
    await changeRun({ ...api(), path: { id: running }, body: { paceUsersPerSecond: null } });
    await trial.awaitEnd(running, 150_000);
    const judged = { rows: '67', scenario: 'restored to an earlier moment', segment };
    expect(await trial.judge(running, judged)).toEqual([]);
    expect((await trial.ledger()).of(running, 1).repeated).toBeGreaterThan(0);
    const rewards = await rewardsOf([forgotten, held]);
    expect(rewards.size).toBeGreaterThan(1000);
    expect([...rewards].filter(([, times]) => times > 1)).toEqual([]);
  });

  it('starts a due run again and serves its users again if the restore is not declared (control)', async () => {
    const { forgotten, campaignId } = await loseWhatCameSince();
    await trial.restart(...engine);
    const again = await until('the start has begun again', () => runOf(campaignId));
    await trial.awaitEnd(again);
    const rewards = await rewardsOf([forgotten, again]);
    expect([...rewards.values()].filter((times) => times > 1).length).toBeGreaterThan(1000);
    expect(again).not.toBe(forgotten);
  });

  it('is not changed by muster restored while a process still runs on it', async () => {
    trial = await startTrial({
      workers: 1,
      servers: { databaseUrl: postgres.databaseUrl, kafkaBrokers: inject('kafkaBrokers') },
      sandbox: { SANDBOX_SEGMENTS: `${segment}=${100 + randomBytes(1).readUInt8()}` },
    });
    const report = await runMuster(['restored'], { environment: { DATABASE_URL: databaseUrl() } });
    expect(report.code).toBe(1);
    expect(report.notes).toContain('stop every process of Muster first');
    expect(await trial.database.count('select 1 from installation where restored_at is not null')).toBe(0);
  });
});
