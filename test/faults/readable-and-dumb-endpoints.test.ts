import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { settlement } from '../../shared/contracts/runs/settlements.ts';
import type { EngineConfigFile } from '../e2e/engine-config.ts';
import { violations } from '../support/evidence.ts';
import { startTrial, type Trial } from './support/trial.ts';

const segment = 'lapsed-riders';
const users = 10_000;

/**
 * Points have a status endpoint (class C), messages have none (class D). Neither recognizes repeats, so every second
 * call has a second effect.
 */
function withoutKeys(config: EngineConfigFile): EngineConfigFile {
  const { 'award-points': points, 'send-message': messages } = config.actionTypes;
  if (!points || !messages) throw new Error('the configuration has neither points nor messages');
  const statusUrl = points.url.replace('/batches', '/status');
  return {
    ...config,
    actionTypes: {
      ...config.actionTypes,
      'award-points': { ...points, class: 'C', statusUrl, appliesLateSeconds: 4 },
      'send-message': { ...messages, class: 'D' },
    },
  };
}

describe('endpoints without idempotency keys', () => {
  let trial: Trial;
  beforeAll(async () => {
    trial = await startTrial({
      workers: 2,
      sandbox: {
        SANDBOX_SEGMENTS: `${segment}=${users}`,
        SANDBOX_POINTS_MEMORY: 'outcomes',
        SANDBOX_MESSAGES_MEMORY: 'none',
        SANDBOX_POINTS_LATENCY_MS: '100-200',
        SANDBOX_MESSAGES_LATENCY_MS: '100-200',
      },
      engine: { WORKER_CONCURRENCY: '8' },
      configure: withoutKeys,
    });
  });
  afterAll(() => trial.end());

  /** Runs a campaign with one worker. Some answers are lost, with and without the effects of their calls. */
  async function underFault(
    action: string,
    service: 'points' | 'messages',
    status: { name: string; every: number }[] = [],
  ) {
    await trial.switchFaults({
      calls: [
        { name: 'applied', services: [service], every: 10, answer: { kind: 'reset' } },
        { name: 'not-applied', services: [service], every: 11, answer: { kind: 'reset', applied: false } },
      ],
      status: status.map((rule) => ({ ...rule, answer: { kind: 'status', status: 503 } })),
    });
    const { api, countries } = trial.muster;
    const runId = await api.run({ name: 'Lost', countries, segment, chain: [{ action, params: {} }] });
    await trial.awaitCalls(runId, 1, 40);
    await trial.kill('worker-1');
    await trial.restart('worker-1');
    await trial.awaitEnd(runId);
    const hits = await trial.faultHits();
    await trial.switchFaults();
    return { runId, hits };
  }

  it('row 20, class C: the status of lost calls is queried, and no user is served twice or unknown', async () => {
    const { runId, hits } = await underFault('award-points', 'points', [{ name: 'busy', every: 4 }]);
    expect(hits['applied']).toBeGreaterThan(3);
    expect(hits['not-applied']).toBeGreaterThan(3);
    expect(hits['busy']).toBeGreaterThan(0);
    const verdict = { rows: '20', scenario: 'lost answers, a killed worker, class C', segment };
    expect(await trial.judge(runId, verdict)).toEqual([]);
    const report = await trial.muster.api.report(runId);
    expect(report).toMatchObject({ state: 'completed', balanced: true, steps: [{ succeeded: users, unknown: 0 }] });
    expect((await trial.ledger()).of(runId, 1).applied.size).toBe(users);
  });

  it('row 20, class D: lost calls are not repeated, and their users are listed and settled by hand and by file', async () => {
    const { runId, hits } = await underFault('send-message', 'messages');
    expect(hits['applied']).toBeGreaterThan(3);
    expect(hits['not-applied']).toBeGreaterThan(3);
    const verdict = { rows: '20', scenario: 'lost answers, a killed worker, class D', segment };
    expect(await trial.judge(runId, verdict)).toEqual([]);
    const before = await trial.muster.api.report(runId);
    const effects = (await trial.ledger()).of(runId, 1);
    expect([...effects.keys.values()].filter(({ at }) => at.length > 1)).toEqual([]);

    const unknown = await trial.muster.api.failures(runId);
    expect(unknown.every(({ outcome, step }) => outcome === 'unknown' && step === 1)).toBe(true);
    expect(before).toMatchObject({ state: 'completed_with_failures', balanced: true });
    expect(before.steps).toMatchObject([{ failed: 0, unknown: unknown.length, succeeded: users - unknown.length }]);
    const wasServed = unknown.map(({ userId }) => effects.applied.has(userId));
    expect([wasServed.includes(true), wasServed.includes(false)]).toEqual([true, true]);

    // The provider finds the outcomes in its own ledger.
    const outcomeOf = (userId: string) => (effects.applied.has(userId) ? 'succeeded' : 'failed');
    const [first, ...others] = unknown.map(({ userId }) => userId);
    if (first === undefined) throw new Error('nobody is unknown');
    const byHand = { by: 'hand', userId: first, step: 1, outcome: outcomeOf(first) };
    expect(await settle(runId, JSON.stringify(byHand), 'application/json')).toMatchObject({ by: 'hand' });
    const lines = others.map((userId) => `${userId},1,${outcomeOf(userId)},never-sent`);
    const file = ['userId,step,outcome,code', ...lines].join('\n');
    const served = others.filter((userId) => effects.applied.has(userId)).length;
    expect(await settle(runId, file, 'text/csv')).toMatchObject({
      by: 'file',
      state: 'done',
      settled: { succeeded: served, failed: others.length - served },
      rejected: 0,
    });

    const after = await trial.muster.api.report(runId);
    const succeeded = effects.applied.size;
    expect(after).toMatchObject({ balanced: true, settled: unknown.length });
    expect(after.steps).toMatchObject([{ succeeded, failed: users - succeeded, unknown: 0 }]);
    expect(violations(await trial.muster.evidence(runId, segment))).toEqual([]);
  });

  it.each([
    { contract: 'C', action: 'award-points' },
    { contract: 'D', action: 'send-message' },
  ])('row 71, class $contract: interim responses before every response leave no user unknown', async (of) => {
    await trial.switchFaults({ calls: [{ name: 'interim', interim: [100, 102, 103, 100] }] });
    const { api, countries } = trial.muster;
    const runId = await api.run({ name: 'Interim', countries, segment, chain: [{ action: of.action, params: {} }] });
    await trial.awaitEnd(runId);
    expect((await trial.faultHits())['interim']).toBeGreaterThan(users / 1000);
    await trial.switchFaults();
    const verdict = { rows: '71', scenario: `interim answers, class ${of.contract}`, segment };
    expect(await trial.judge(runId, verdict)).toEqual([]);
    const report = await api.report(runId);
    expect(report).toMatchObject({ state: 'completed', balanced: true, steps: [{ succeeded: users, unknown: 0 }] });
    expect((await trial.ledger()).of(runId, 1).applied.size).toBe(users);
  });

  async function settle(runId: string, body: string, type: string) {
    const init = { method: 'POST', body, headers: { 'content-type': type } };
    const answer = await trial.muster.api.request(`/v1/runs/${runId}/settle`, init);
    const answered: unknown = await answer.json();
    expect(answer.status, JSON.stringify(answered)).toBe(200);
    return settlement.parse(answered);
  }
});
