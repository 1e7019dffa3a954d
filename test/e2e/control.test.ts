import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { readLedger } from '../../services/sandbox/ledger/ledger.ts';
import { cancelRun, changeRun, listRunEvents, pauseRun, resumeRun } from '../../sdk/generated/sdk.gen.ts';
import type { RunProgress } from '../../sdk/generated/types.gen.ts';
import { lastCallSentWithinMs } from '../../shared/domain/run/run-control.ts';
import type { RunState } from '../../shared/domain/run/run-states.ts';
import { violations } from '../support/evidence.ts';
import type { EngineConfigFile } from './engine-config.ts';
import { countries, rewardThenMessage, startInstallation, type Installation } from './installation.ts';

const users = 60_000;
const latencyMs = 300;
const controls = { pause: pauseRun, resume: resumeRun, cancel: cancelRun };
const pollMs = 50;
const patienceMs = 60_000;
const callTimeoutMs = 2000;

const sandbox = {
  SANDBOX_SEGMENTS: `lapsed-riders=${users}`,
  SANDBOX_REWARDS_FAILURE_SHARE: '0.02',
  SANDBOX_REWARDS_LATENCY_MS: `100-${latencyMs}`,
  SANDBOX_MESSAGES_LATENCY_MS: `100-${latencyMs}`,
};

const engine = {
  WORKER_CONCURRENCY: '8',
  WORKER_LEASE_MS: '6000',
  KAFKA_SESSION_TIMEOUT_MS: '2000',
  TRIGGER_FEED_LEASE_MS: '3000',
  TRIGGER_STALL_MS: '2000',
};

const configure = (config: EngineConfigFile) => {
  for (const type of Object.values(config.actionTypes)) type.timeoutMs = callTimeoutMs;
  return config;
};

describe('a run that a user controls', () => {
  let muster: Installation;
  afterEach(() => muster.stop());

  const start = () =>
    muster.api.run({ name: 'Controlled', countries, segment: 'lapsed-riders', chain: rewardThenMessage });

  async function ask(runId: string, verb: keyof typeof controls) {
    const { data: answer } = await controls[verb]({ client: muster.api.client, path: { id: runId }, body: {} });
    return { answer, answeredAtMs: Date.now() };
  }

  async function until(runId: string, isSo: (progress: RunProgress) => boolean): Promise<RunProgress> {
    const giveUpMs = Date.now() + patienceMs;
    for (;;) {
      const progress = await muster.api.progress(runId);
      if (isSo(progress)) return progress;
      if (Date.now() > giveUpMs) throw new Error(`the run is ${progress.state}, and not as it should be`);
      await wait(pollMs);
    }
  }

  const served = ({ steps }: RunProgress) => steps.reduce((sum, line) => sum + line.succeeded, 0);
  const is = (state: RunState) => (progress: RunProgress) => progress.state === state;

  /** Returns the time of the last effect of the run in the ledger of the called services. */
  async function lastEffectMs(runId: string): Promise<number> {
    const ledger = await readLedger(muster.ledgerFile);
    const times = rewardThenMessage.flatMap((_, index) => [...ledger.of(runId, index + 1).keys.values()]);
    return times.flatMap(({ at }) => at).reduce((last, at) => Math.max(last, Date.parse(at)), 0);
  }

  it('stops within the published time when paused, loses no user, and ends as cancelled when cancelled (P2, P3, P4)', async () => {
    muster = await startInstallation({ workers: 2, sandbox, engine, configure });
    const runId = await start();
    await until(runId, (progress) => served(progress) > 2000);

    const pause = await ask(runId, 'pause');
    expect(pause.answer).toMatchObject({
      run: { state: 'pausing' },
      timeToStopMs: lastCallSentWithinMs + callTimeoutMs,
    });
    expect(pause.answer.inFlight.batches).toBeGreaterThan(0);
    const paused = await until(runId, is('paused'));
    expect(paused).toMatchObject({ eta: null, inFlight: 0, stalled: 'paused by bootstrap' });
    const lastMs = await lastEffectMs(runId);
    expect(lastMs).toBeLessThan(pause.answeredAtMs + lastCallSentWithinMs + latencyMs);
    await wait(3000);
    expect(await lastEffectMs(runId)).toBe(lastMs);
    expect(served(await muster.api.progress(runId))).toBe(served(paused));

    await ask(runId, 'resume');
    await until(runId, (progress) => served(progress) > served(paused) + 5000);

    const cancel = await ask(runId, 'cancel');
    const last = await muster.api.awaitEnd(runId);
    expect(last).toMatchObject({ state: 'cancelled', stateReason: 'cancelled by bootstrap' });
    expect(await lastEffectMs(runId)).toBeLessThan(cancel.answeredAtMs + lastCallSentWithinMs + latencyMs);
    expect(last.steps[0]?.cancelled).toBeGreaterThan(0);
    expect(violations(await muster.evidence(runId, 'lapsed-riders'), { runStates: ['cancelled'] })).toEqual([]);
    const { items } = (await listRunEvents({ client: muster.api.client, path: { id: runId } })).data;
    expect(items.map(({ kind }) => kind)).toEqual([
      ...['created', 'begun', 'pausing', 'paused', 'resumed', 'cancelling', 'ended'],
    ]);
  });

  it('is cancelled without any live worker, and users in calls end as unknown (I1, I4)', async () => {
    muster = await startInstallation({ workers: 1, sandbox, engine, configure });
    const runId = await start();
    await until(runId, (progress) => served(progress) > 1000);
    await muster.services.get('worker-1')?.end('SIGKILL');

    const { answer } = await ask(runId, 'cancel');
    expect(answer.run.state).toBe('cancelling');
    const last = await muster.api.awaitEnd(runId);

    expect(last.state).toBe('cancelled');
    expect(last.steps.reduce((sum, line) => sum + line.unknown, 0)).toBeGreaterThan(0);
    expect(violations(await muster.evidence(runId, 'lapsed-riders'), { runStates: ['cancelled'] })).toEqual([]);
  });

  it('does not exceed its pace, which can be changed during the run', async () => {
    muster = await startInstallation({ workers: 2, sandbox, engine, configure });
    const runId = await muster.api.run({
      name: 'Paced',
      countries,
      segment: 'lapsed-riders',
      chain: rewardThenMessage,
      paceUsersPerSecond: 500,
    });
    const fed = async () => (await muster.api.progress(runId)).audience.counted;
    await until(runId, ({ audience }) => audience.counted > 500);
    const [before, beganMs] = [await fed(), Date.now()];
    await wait(8000);
    const rate = ((await fed()) - before) / ((Date.now() - beganMs) / 1000);
    expect(rate).toBeGreaterThan(350);
    expect(rate).toBeLessThan(600);

    const body = { paceUsersPerSecond: null, priority: 'high' } as const;
    await changeRun({ client: muster.api.client, path: { id: runId }, body });
    await muster.api.awaitEnd(runId);
    expect(violations(await muster.evidence(runId, 'lapsed-riders'))).toEqual([]);
  });
});
