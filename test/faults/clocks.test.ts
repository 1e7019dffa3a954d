import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { rewardThenMessage } from '../e2e/installation.ts';
import { patientCalls, startTrial, type Trial } from './support/trial.ts';
import { lasting, until } from './support/until.ts';
import { createSettableClock, wrongBy } from './support/wrong-clock.ts';

const segment = 'lapsed-riders';
const hourMs = 3_600_000;
const concurrency = 10;

describe('row 32: process clocks that are an hour wrong', () => {
  let trial: Trial;
  afterEach(() => trial.end());

  it('have no effect on due times and claims, which use the clock of the database', async () => {
    trial = await startTrial({
      workers: 3,
      triggers: 2,
      schedulers: 2,
      sandbox: {
        SANDBOX_SEGMENTS: `${segment}=20000`,
        SANDBOX_REWARDS_MEMORY: 'none',
        SANDBOX_MESSAGES_MEMORY: 'none',
        SANDBOX_REWARDS_LATENCY_MS: '200-400',
        SANDBOX_MESSAGES_LATENCY_MS: '200-400',
      },
      engine: { WORKER_CONCURRENCY: String(concurrency) },
      engineOf: {
        'worker-1': wrongBy(hourMs),
        'worker-2': wrongBy(-hourMs),
        'trigger-1': wrongBy(hourMs),
        'trigger-2': wrongBy(-hourMs),
        'scheduler-1': wrongBy(hourMs),
        'scheduler-2': wrongBy(-hourMs),
        api: wrongBy(-hourMs),
      },
    });
    const over = trial.injections.begin('clock wrong', 'an hour either way');
    const { api, countries } = trial.muster;
    // The schedulers have started by then. It is in the future, because a campaign with a past time is refused at its
    // start.
    const due = new Date(Date.now() + 15_000).toISOString();
    const runId = await api.run({
      name: 'At its time',
      countries,
      segment,
      chain: rewardThenMessage,
      schedule: { type: 'at', time: due },
    });
    await trial.awaitCalls(runId, 1, 20);
    // Another worker takes over the claims of the killed worker when their lease ends, not an hour earlier or later.
    await trial.kill('worker-1');
    await trial.restart('worker-1');
    await trial.awaitEnd(runId);
    over();

    const { startedAt, scheduledFor } = await api.report(runId);
    expect(scheduledFor).toBe(due);
    expect(Date.parse(startedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(due));
    expect(Date.parse(startedAt ?? '')).toBeLessThan(Date.parse(due) + 10_000);
    expect(await trial.slowestRepeat(runId)).toBeLessThan(20);
    const allow = { appliedAgain: 2 * concurrency };
    expect(await trial.judge(runId, { rows: '32', scenario: 'clocks wrong', segment, allow })).toEqual([]);
  });

  it('leave a busy worker in its group through the next rebalance if set back by an hour', async () => {
    const clock = createSettableClock();
    onTestFinished(() => clock.remove());
    const sessionTimeoutMs = 6000;
    trial = await startTrial({
      workers: 2,
      sandbox: {
        SANDBOX_SEGMENTS: `${segment}=60000`,
        SANDBOX_REWARDS_MEMORY: 'none',
        SANDBOX_MESSAGES_MEMORY: 'none',
        SANDBOX_REWARDS_LATENCY_MS: '900-1300',
        SANDBOX_MESSAGES_LATENCY_MS: '900-1300',
      },
      engine: {
        ...patientCalls,
        WORKER_CONCURRENCY: String(concurrency),
        KAFKA_SESSION_TIMEOUT_MS: String(sessionTimeoutMs),
      },
      engineOf: { 'worker-1': clock.environment },
    });
    const { api, countries, topicPrefix } = trial.muster;
    const runId = await api.run({ name: 'Set back', countries, segment, chain: rewardThenMessage });
    await trial.awaitCalls(runId, 1, 20);
    // One worker could complete the whole run while the other is still starting.
    const members = await until('both workers have joined', async () => {
      const now = await trial.topics.membersOf(topicPrefix);
      return now.length === 2 && now;
    });
    const over = trial.injections.begin('clock set back', 'an hour');
    clock.set(Date.now() - hourMs);
    await lasting(2 * sessionTimeoutMs);
    expect(await trial.topics.membersOf(topicPrefix)).toEqual(members);
    await trial.restart('worker-3');
    const joined = await until('a third worker joins', async () => {
      const now = await trial.topics.membersOf(topicPrefix);
      return now.some((id) => !members.includes(id)) && now;
    });
    expect(joined).toEqual(expect.arrayContaining(members));
    expect((await api.report(runId)).state).toBe('running');
    await trial.awaitEnd(runId, 200_000);
    over();
    expect(await trial.judge(runId, { rows: '32', scenario: 'clock set back', segment })).toEqual([]);
  });
});
