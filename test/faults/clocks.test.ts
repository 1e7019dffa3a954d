import { afterEach, describe, expect, it } from 'vitest';
import { rewardThenMessage } from '../e2e/installation.ts';
import { startTrial, type Trial } from './support/trial.ts';
import { wrongBy } from './support/wrong-clock.ts';

const segment = 'lapsed-riders';
const hourMs = 3_600_000;
const concurrency = 10;

describe('row 32: clocks that are an hour wrong', () => {
  let trial: Trial;
  afterEach(() => trial.end());

  it('one process of each kind an hour ahead, one an hour behind: only the clock of the database decides what is due and whose claim it is', async () => {
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
    const due = new Date(Date.now() + 5000).toISOString();
    const runId = await api.run({
      name: 'At its time',
      countries,
      segment,
      chain: rewardThenMessage,
      schedule: { type: 'at', time: due },
    });
    await trial.awaitCalls(runId, 1, 20);
    // A claim of a dead worker is free when its lease is over, and not an hour sooner or later.
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
});
