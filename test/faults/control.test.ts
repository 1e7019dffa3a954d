import { afterEach, describe, expect, it } from 'vitest';
import { cancelRun, pauseRun, resumeRun } from '../../sdk/generated/sdk.gen.ts';
import { lastCallSentWithinMs } from '../../shared/domain/run/run-control.ts';
import type { RunState } from '../../shared/domain/run/run-states.ts';
import { rewardThenMessage } from '../e2e/installation.ts';
import { startTrial, type Trial } from './support/trial.ts';
import { lasting, until } from './support/until.ts';

const controls = { pause: pauseRun, resume: resumeRun, cancel: cancelRun };
const segment = 'lapsed-riders';
const concurrency = 8;
const inDoubt = 2 * concurrency;
const latencyMs = 400;

/** Endpoints without memory in both steps: their ledger shows every call. */
const naiveSinks = {
  SANDBOX_REWARDS_MEMORY: 'none',
  SANDBOX_MESSAGES_MEMORY: 'none',
  SANDBOX_REWARDS_LATENCY_MS: `200-${latencyMs}`,
  SANDBOX_MESSAGES_LATENCY_MS: `200-${latencyMs}`,
};

/** From the answer to the request for a pause until the request for its end. */
interface Stop {
  fromMs: number;
  untilMs: number;
}

describe('a run that is controlled during faults', () => {
  let trial: Trial;
  afterEach(() => trial.end());

  async function begin(users: number): Promise<string> {
    trial = await startTrial({
      workers: 2,
      triggers: 2,
      sandbox: { ...naiveSinks, SANDBOX_SEGMENTS: `${segment}=${users}` },
      engine: { WORKER_CONCURRENCY: String(concurrency) },
    });
    const { countries, api } = trial.muster;
    return await api.run({ name: 'Under fire', countries, segment, chain: rewardThenMessage });
  }

  /** Resolves with the time of the answer of the API. */
  async function ask(runId: string, verb: keyof typeof controls): Promise<number> {
    return await until(`the API answers ${verb}`, async () => {
      await controls[verb]({ client: trial.muster.api.client, path: { id: runId }, body: {} });
      return Date.now();
    });
  }

  async function stateOf(runId: string): Promise<RunState> {
    return (await trial.muster.api.progress(runId)).state;
  }

  /** I5: returns the number of effects whose calls must have been sent after the stop took effect. */
  async function lateEffects(runId: string, stops: readonly Stop[]): Promise<number> {
    const ledger = await trial.ledger();
    const keys = rewardThenMessage.flatMap((_, index) => [...ledger.of(runId, index + 1).keys.values()]);
    return keys
      .flatMap(({ at }) => at.map((time) => Date.parse(time)))
      .filter((atMs) =>
        stops.some(({ fromMs, untilMs }) => atMs > fromMs + lastCallSentWithinMs + latencyMs && atMs < untilMs),
      ).length;
  }

  it('row 33: makes no call while paused and skips no user, if it is paused repeatedly while workers and triggers are killed', async () => {
    const runId = await begin(30_000);
    const stops: Stop[] = [];
    let killed = 0;
    for (const victim of ['worker-1', 'trigger-1', 'worker-2', 'trigger-2']) {
      const called = await trial.batchesCalled(runId, 1);
      await trial.awaitCalls(runId, 1, called + 15);
      const fromMs = await ask(runId, 'pause');
      await trial.kill(victim);
      if (victim.startsWith('worker')) killed++;
      await trial.restart(victim);
      await until('the run is paused', async () => (await stateOf(runId)) === 'paused');
      await lasting(1000);
      stops.push({ fromMs, untilMs: Date.now() });
      await ask(runId, 'resume');
    }

    await trial.awaitEnd(runId, 120_000);
    expect(await lateEffects(runId, stops)).toBe(0);
    const allow = { appliedAgain: killed * inDoubt };
    const verdict = { rows: '33', scenario: 'pauses while processes are killed', segment, allow };
    expect(await trial.judge(runId, verdict)).toEqual([]);
  });

  it('row 33: makes no call after its cancellation and accounts for every user, if a worker is frozen and connections break', async () => {
    const runId = await begin(60_000);
    await trial.awaitCalls(runId, 1, 40);
    trial.freeze('worker-1');
    await trial.database.rows(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name like 'muster-%'`);
    trial.injections.happened('backends ended', 'postgres');
    const fromMs = await ask(runId, 'cancel');
    await lasting(9000);
    trial.thaw('worker-1');

    const last = await trial.awaitEnd(runId);
    expect(last.state).toBe('cancelled');
    expect(await lateEffects(runId, [{ fromMs, untilMs: Infinity }])).toBe(0);
    const allow = { runStates: ['cancelled'], appliedAgain: inDoubt, overlapping: inDoubt };
    const verdict = { rows: '33', scenario: 'cancelled beside a frozen worker', segment, allow };
    expect(await trial.judge(runId, verdict)).toEqual([]);
  });
});
