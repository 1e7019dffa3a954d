import { afterEach, describe, expect, it } from 'vitest';
import { rewardThenMessage } from '../e2e/installation.ts';
import { bestRate } from './support/measure-run.ts';
import { patientCalls, startTrial, type Trial } from './support/trial.ts';
import { lasting, until } from './support/until.ts';

const segment = 'lapsed-riders';
/** Calls of one worker in flight at once. */
const concurrency = 8;
/** The lease (5 s), the session (2 s), and time to detect the loss and call again on a busy machine. */
const backWithinSeconds = 15;
/** Keys in doubt after a kill: calls in flight, and answers that the current flush had not recorded. */
const inDoubt = 2 * concurrency;

/** Slow endpoints without memory in both steps: they apply whatever comes, and their ledger shows it. */
const naiveSinks = {
  SANDBOX_REWARDS_MEMORY: 'none',
  SANDBOX_MESSAGES_MEMORY: 'none',
  SANDBOX_REWARDS_LATENCY_MS: '200-400',
  SANDBOX_MESSAGES_LATENCY_MS: '200-400',
};

describe('workers that are killed or stopped', () => {
  let trial: Trial;
  afterEach(() => trial.end());

  async function begin(
    workers: number,
    users: number,
    sandbox: Record<string, string> = {},
    engine: Record<string, string> = {},
  ): Promise<string> {
    trial = await startTrial({
      workers,
      sandbox: { ...naiveSinks, SANDBOX_SEGMENTS: `${segment}=${users}`, ...sandbox },
      engine: { WORKER_CONCURRENCY: String(concurrency), ...engine },
    });
    return await trial.muster.api.run({
      name: 'Under fire',
      countries: trial.muster.countries,
      segment,
      chain: rewardThenMessage,
    });
  }

  it('row 1: make no call if killed in a claim (W2), and the run continues after their restart', async () => {
    trial = await startTrial({ workers: 1, sandbox: { ...naiveSinks, SANDBOX_SEGMENTS: `${segment}=3000` } });
    const lock = await trial.database.hold('lock table batch_steps in exclusive mode');
    const runId = await trial.muster.api.run({
      name: 'Claims',
      countries: trial.muster.countries,
      segment,
      chain: rewardThenMessage,
    });
    await lock.awaitWaiting('batch_steps');
    await trial.kill('worker-1');
    await lock.release();
    expect((await trial.ledger()).of(runId, 1).calls).toBe(0);
    await trial.restart('worker-1');

    await trial.awaitEnd(runId);
    expect(await trial.judge(runId, { rows: '1', scenario: 'killed in W2', segment })).toEqual([]);
  });

  it('row 1: cause a repeat of exactly their keys if killed with calls in flight (W4)', async () => {
    const runId = await begin(1, 6000);
    await trial.awaitCalls(runId, 1, 20);
    await trial.kill('worker-1');
    await trial.restart('worker-1');

    await trial.awaitEnd(runId);
    expect(await trial.slowestRepeat(runId)).toBeLessThan(backWithinSeconds);
    const verdict = { rows: '1', scenario: 'killed in W4', segment, allow: { appliedAgain: inDoubt } };
    expect(await trial.judge(runId, verdict)).toEqual([]);
  });

  it('row 1: cause a repeat of unrecorded calls under their keys if killed during a record (W5)', async () => {
    const runId = await begin(1, 6000);
    await trial.awaitCalls(runId, 1, 10);
    const lock = await trial.database.hold('lock table batch_steps in exclusive mode');
    const injected = trial.injections.begin('lock', 'batch_steps');
    await lock.awaitWaiting('batch_steps');
    await trial.kill('worker-1');
    await lock.release();
    injected();
    await trial.restart('worker-1');

    await trial.awaitEnd(runId);
    // While no record could be written, a second round of calls was answered.
    const verdict = { rows: '1', scenario: 'killed in W5', segment, allow: { appliedAgain: 2 * inDoubt } };
    expect(await trial.judge(runId, verdict)).toEqual([]);
  });

  it('row 1: leave the next steps to the sweeper if killed between record and publication (W6)', async () => {
    const runId = await begin(1, 6000);
    const unwritable = trial.muster.countries.map((country) => trial.topic('send-message', country));
    const healed = trial.injections.begin('unwritable', 'send-message');
    await Promise.all(unwritable.map((topic) => trial.topics.writable(topic, false)));
    await until('a step is recorded and cannot be published', async () => {
      return (await trial.database.count('select 1 from batch_steps where step = 1 and state = 3')) > 0;
    });
    await trial.kill('worker-1');
    await Promise.all(unwritable.map((topic) => trial.topics.writable(topic, true)));
    healed();
    await trial.restart('worker-1');

    await trial.awaitEnd(runId);
    const verdict = { rows: '1', scenario: 'killed in W6', segment, allow: { appliedAgain: inDoubt } };
    expect(await trial.judge(runId, verdict)).toEqual([]);
  });

  it('row 2: slow down the run only until 30 s after the last kill if one of three is killed every 4 s', async () => {
    // Enough users for the kills, and for ten seconds of work afterwards.
    const runId = await begin(3, 110_000);
    const kills = 3;
    await trial.awaitCalls(runId, 1, 10);
    const beginMs = Date.now();
    await lasting(4000);
    const firstKillMs = Date.now();
    for (let kill = 0; kill < kills; kill++) {
      const name = `worker-${(kill % 3) + 1}`;
      await trial.kill(name);
      await trial.restart(name);
      await lasting(4000);
    }
    const lastKillMs = Date.now();
    await trial.awaitEnd(runId, 150_000);

    const ledger = await trial.ledger();
    const before = bestRate(ledger, runId, beginMs, firstKillMs, 3000);
    const after = bestRate(ledger, runId, lastKillMs, lastKillMs + 30_000, 3000);
    const measured = { 'batches/s before': before, 'batches/s after': after };
    const allow = { appliedAgain: kills * inDoubt };
    const verdict = { rows: '2', scenario: 'one of three every 4 s', segment, allow, measured };
    expect(await trial.judge(runId, verdict)).toEqual([]);
    expect(after).toBeGreaterThanOrEqual(0.9 * before);
  });

  it('row 3: interrupt the run if all are killed, and the run resumes automatically after a restart', async () => {
    const runId = await begin(3, 20_000);
    await trial.awaitCalls(runId, 2, 20);
    await trial.kill('worker-1', 'worker-2', 'worker-3');
    await trial.restart('worker-1', 'worker-2', 'worker-3');

    await trial.awaitEnd(runId);
    const allow = { appliedAgain: 3 * inDoubt };
    expect(await trial.judge(runId, { rows: '3', scenario: 'all killed', segment, allow })).toEqual([]);
  });

  it('row 4: drain and send no key twice if stopped in order', async () => {
    const runId = await begin(3, 30_000, {}, patientCalls);
    for (const [index, name] of ['worker-1', 'worker-2', 'worker-3'].entries()) {
      await trial.awaitCalls(runId, 1, 20 * (index + 1));
      expect(await trial.stop(name)).toBe(0);
      await trial.restart(name);
    }

    await trial.awaitEnd(runId);
    expect(await trial.judge(runId, { rows: '4', scenario: 'rolling deploy', segment })).toEqual([]);
  });
});
