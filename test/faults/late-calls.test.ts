import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EngineConfigFile } from '../e2e/installation.ts';
import { startTrial, type Trial } from './support/trial.ts';
import { until } from './support/until.ts';

const segment = 'lapsed-riders';
const users = 90;
/** Longer than all attempts take. */
const appliedAfterMs = 40_000;

function withFewAttempts(config: EngineConfigFile): EngineConfigFile {
  const { 'award-reward': rewards, ...others } = config.actionTypes;
  if (!rewards) throw new Error('the configuration has no rewards');
  const retry = { firstDelayMs: 200, maxDelayMs: 400 };
  return { ...config, actionTypes: { ...others, 'award-reward': { ...rewards, maxAttempts: 3, retry } } };
}

describe('calls that are applied after the last attempt', () => {
  let trial: Trial;
  beforeAll(async () => {
    const sandbox = { SANDBOX_SEGMENTS: `${segment}=${users}` };
    trial = await startTrial({ workers: 2, sandbox, configure: withFewAttempts });
  });
  afterAll(() => trial.end());

  it.each([
    { what: 'repeats are called retryable', mostUsers: users },
    { what: 'repeats are refused, split, and called retryable', mostUsers: 10 },
  ])('row 66: $what to the last attempt: their users are unknown, and no retry serves them again', async (how) => {
    const { api, countries } = trial.muster;
    await trial.switchFaults({
      calls: [
        { name: 'late', times: countries.length, answer: { kind: 'hang', appliedAfterMs } },
        { name: 'refused', moreUsersThan: how.mostUsers, answer: { kind: 'status', status: 422 } },
        { name: 'retryable', answer: { kind: 'fail-users', code: 'busy', retryable: true } },
      ],
    });
    const chain = [{ action: 'award-reward', params: {} }];
    const runId = await api.run({ name: how.what, countries, segment, chain });
    await trial.awaitEnd(runId);
    expect((await trial.ledger()).of(runId, 1).applied.size).toBe(0);
    await until('the calls are applied', async () => (await trial.ledger()).of(runId, 1).applied.size === users);

    const { steps } = await api.report(runId);
    expect(steps).toMatchObject([{ succeeded: 0, failed: 0, unknown: users }]);
    const reasons = (await api.failures(runId)).map(({ outcome, reason }) => `${outcome} ${reason}`);
    expect([...new Set(reasons)]).toEqual(['unknown busy']);
    const init = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } };
    const retry = await api.request(`/v1/runs/${runId}/retry-failed`, init);
    expect(retry.status, await retry.text()).toBe(409);
    expect(await trial.judge(runId, { rows: '66', scenario: how.what, segment })).toEqual([]);
  });
});
