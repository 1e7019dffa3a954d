import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EngineConfigFile } from '../e2e/engine-config.ts';
import { faultControls, type FaultControl } from '../mutations/fault-controls.ts';
import { startTrial, type Trial } from './support/trial.ts';
import { until } from './support/until.ts';

const segment = 'lapsed-riders';
const users = 90;
/** Longer than all attempts together. */
const appliedAfterMs = 40_000;

function withFewAttempts(config: EngineConfigFile): EngineConfigFile {
  const { 'award-reward': rewards, ...others } = config.actionTypes;
  if (!rewards) throw new Error('the configuration has no rewards');
  const retry = { firstDelayMs: 200, maxDelayMs: 400 };
  return { ...config, actionTypes: { ...others, 'award-reward': { ...rewards, maxAttempts: 3, retry } } };
}

const late = (calls: number, moreUsersThan: number) => ({
  calls: [
    { name: 'late', times: calls, answer: { kind: 'hang' as const, appliedAfterMs } },
    { name: 'refused', moreUsersThan, answer: { kind: 'status' as const, status: 422 } },
    { name: 'retryable', answer: { kind: 'fail-users' as const, code: 'busy', retryable: true } },
  ],
});

const chain = [{ action: 'award-reward', params: {} }];
const begin = (without?: FaultControl) =>
  startTrial({
    workers: 2,
    sandbox: { SANDBOX_SEGMENTS: `${segment}=${users}` },
    configure: withFewAttempts,
    ...(without && { without }),
  });

/** Returns the final outcomes and reasons of the failed users, without repetitions. */
async function lastWords({ muster: { api } }: Trial, runId: string): Promise<string[]> {
  const words = (await api.failures(runId)).map(({ outcome, reason }) => `${outcome} ${reason}`);
  return [...new Set(words)];
}

describe('calls that are applied after the last attempt', () => {
  let trial: Trial;
  beforeAll(async () => {
    trial = await begin();
  });
  afterAll(() => trial.end());

  it.each([
    { what: 'repeats are answered as retryable', mostUsers: users },
    { what: 'repeats are refused, split and answered as retryable', mostUsers: 10 },
  ])('row 66: leave their users unknown, and no retry serves them again, if $what', async (how) => {
    const { api, countries } = trial.muster;
    await trial.switchFaults(late(countries.length, how.mostUsers));
    const runId = await api.run({ name: how.what, countries, segment, chain });
    await trial.awaitEnd(runId);
    expect((await trial.ledger()).of(runId, 1).applied.size).toBe(0);
    await until('the calls are applied', async () => (await trial.ledger()).of(runId, 1).applied.size === users);

    const { steps } = await api.report(runId);
    expect(steps).toMatchObject([{ succeeded: 0, failed: 0, unknown: users }]);
    expect(await lastWords(trial, runId)).toEqual(['unknown busy']);
    const init = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } };
    const retry = await api.request(`/v1/runs/${runId}/retry-failed`, init);
    expect(retry.status, await retry.text()).toBe(409);
    expect(await trial.judge(runId, { rows: '66', scenario: how.what, segment })).toEqual([]);
  });
});

it('row 66: users served late are failed and retried if a call without a response is not ambiguous (control)', async () => {
  const trial = await begin(faultControls.ambiguityOpensTheKey);
  try {
    const { api, countries } = trial.muster;
    await trial.switchFaults(late(countries.length, users));
    const runId = await api.run({ name: 'Forgotten calls', countries, segment, chain });
    await trial.awaitEnd(runId);
    await until('the calls are applied', async () => (await trial.ledger()).of(runId, 1).applied.size === users);
    expect(await lastWords(trial, runId)).toEqual(['failed busy']);
    expect(await trial.judge(runId, { rows: '66', scenario: 'control', segment })).not.toEqual([]);
  } finally {
    await trial.end();
  }
});
