import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FaultSettings } from '../../services/sandbox/faults/fault-rules.ts';
import { startTrial, type Trial } from './support/trial.ts';

const segment = 'lapsed-riders';
/** One user in each country. */
const loneRiders = 'lone-riders';

describe.each([
  { contract: 'A', action: 'award-reward' },
  { contract: 'B', action: 'award-points' },
])('lost responses of an endpoint of class $contract', ({ contract, action }) => {
  let trial: Trial;
  beforeAll(async () => {
    trial = await startTrial({ workers: 2, sandbox: { SANDBOX_SEGMENTS: `${segment}=10000,${loneRiders}=3` } });
  });
  afterAll(() => trial.end());

  /** Runs both steps under the faults. Returns the violations and the figures. */
  async function underFault(rows: string, scenario: string, calls: FaultSettings['calls'], audience = segment) {
    await trial.switchFaults({ calls });
    const runId = await trial.muster.api.run({
      name: scenario,
      countries: trial.muster.countries,
      segment: audience,
      chain: [
        { action, params: {} },
        { action: 'send-message', params: {} },
      ],
    });
    await trial.awaitEnd(runId);
    const hits = await trial.faultHits();
    await trial.switchFaults();
    const found = await trial.judge(runId, { rows, scenario: `${scenario}, class ${contract}`, segment: audience });
    const { steps, state } = await trial.muster.api.report(runId);
    const ledger = await trial.ledger();
    const suppressed = steps.reduce((sum, { step }) => sum + ledger.of(runId, step).repeated, 0);
    return {
      found,
      hits,
      state,
      suppressed,
      failed: steps.reduce((sum, { failed, unknown }) => sum + failed + unknown, 0),
    };
  }

  it('row 20: every tenth call applied without a response has one effect per user', async () => {
    const { found, hits, state, suppressed } = await underFault('20', 'applied, no answer', [
      { name: 'no-answer', every: 10, answer: { kind: 'reset' } },
    ]);
    expect(found).toEqual([]);
    expect(state).toBe('completed');
    expect(hits['no-answer']).toBeGreaterThan(10);
    expect(suppressed).toBeGreaterThan(0);
  });

  it('row 20: applied calls that hang until the time-out have one effect per user', async () => {
    const { found, state, suppressed } = await underFault('20', 'applied, time-out', [
      { name: 'hang', share: 0.05, answer: { kind: 'hang' } },
    ]);
    expect(found).toEqual([]);
    expect(state).toBe('completed');
    expect(suppressed).toBeGreaterThan(0);
  });

  it('row 21: applied calls with 500, a reset or half a body are ambiguous and fail no user', async () => {
    const { found, failed, state, suppressed } = await underFault('21', '500, reset, half a body', [
      { name: 'server-error', share: 0.1, answer: { kind: 'status', status: 500, applied: true } },
      { name: 'reset', share: 0.1, answer: { kind: 'reset' } },
      { name: 'half-body', share: 0.1, answer: { kind: 'half-body' } },
    ]);
    expect(found).toEqual([]);
    expect([failed, state]).toEqual([0, 'completed']);
    expect(suppressed).toBeGreaterThan(0);
  });

  // The answer is cut in the middle, because a call on a kept connection that gets no byte of an answer is sent again
  // at once.
  it('row 45: a refusal of the same key after a lost response has no second effect and fails no user', async () => {
    const { found, failed, hits, state } = await underFault('45', '422 after a lost answer', [
      { name: 'lost', every: 5, toAttempt: 1, steps: [1], answer: { kind: 'half-body' } },
      { name: 'refused', fromAttempt: 2, toAttempt: 3, steps: [1], answer: { kind: 'status', status: 422 } },
    ]);
    expect(hits['refused']).toBeGreaterThan(10);
    expect(found).toEqual([]);
    expect([failed, state]).toEqual([0, 'completed']);
  });

  it('row 45: a refusal of a single user after a lost response does not fail the user', async () => {
    const { found, failed, hits, state } = await underFault(
      '45',
      '422 after a lost answer, alone',
      [
        { name: 'lost', toAttempt: 1, steps: [1], answer: { kind: 'half-body' } },
        { name: 'refused', times: 3, fromAttempt: 2, steps: [1], answer: { kind: 'status', status: 422 } },
      ],
      loneRiders,
    );
    expect(hits).toEqual({ lost: 3, refused: 3 });
    expect(found).toEqual([]);
    expect([failed, state]).toEqual([0, 'completed']);
  });
});
