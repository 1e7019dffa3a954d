import { describe, expect, it } from 'vitest';
import type { Attempt, ExplainedStep, Explanation, Place } from './explanation.ts';
import { verdictOf } from './verdict.ts';

function step(no: number, outcome: ExplainedStep['outcome'], change: Partial<ExplainedStep> = {}): ExplainedStep {
  return {
    ...{ step: no, action: no === 1 ? 'award-reward' : 'send-message', outcome, reason: null, detail: null },
    ...{ endedAt: null, waitsFor: null, nextAttemptAt: null, receipt: null, attempts: [] },
    ...change,
  };
}

function explained(steps: ExplainedStep[], place: Place = 'member', detail = 'it was fed'): Explanation {
  return {
    ...{ runId: 'run_1', campaignId: 'cmp_1', userId: 'u1', state: 'completed', asOf: '2026-10-23T01:00:00.000Z' },
    ...{ audience: { place, country: 'VN', detail }, batches: [], steps, receiptsDeletedAt: null },
  };
}

const call = (attempt: number, result: Attempt['result']): Attempt => ({
  ...{ attempt, at: '2026-10-23T01:00:00.000Z', batchNo: 1, idempotencyKey: 'k', result, code: null, message: null },
});

describe('the verdict on a user of the audience', () => {
  it('who is through the chain names what it got', () => {
    expect(verdictOf(explained([step(1, 'succeeded'), step(2, 'succeeded')]))).toEqual({
      tone: 'good',
      state: 'Through the chain',
      answer: 'Got “Award reward” once and “Send message” once.',
      because: '',
    });
  });

  it('says that a call was sent again with the same key, and not applied twice', () => {
    const attempts = [call(1, 'ambiguous'), call(2, 'succeeded')];
    expect(verdictOf(explained([step(1, 'succeeded', { attempts })])).because).toBe(
      '“Award reward” took 2 calls; one was never answered and was sent again with the same key, so it was not applied twice.',
    );
  });

  it('who failed half-way got one step and nothing more', () => {
    const steps = [step(1, 'succeeded'), step(2, 'failed', { reason: 'push-token-expired' })];
    expect(verdictOf(explained(steps))).toMatchObject({
      tone: 'bad',
      state: 'Failed in step 2',
      answer: 'Got “Award reward” and nothing more. It failed in step 2, “Send message”: push-token-expired.',
    });
  });

  it('who failed is told who said so, and what nobody was called for after that', () => {
    const attempts = [call(1, 'failed')];
    const steps = [step(1, 'failed', { reason: 'out-of-stock', detail: 'none left', attempts }), step(2, 'skipped')];
    expect(verdictOf(explained(steps)).because).toBe(
      'The endpoint said so, and such an answer is final. None left. Nobody was called for “Send message”.',
    );
    const ours = step(1, 'failed', { reason: 'muster.attempts-used-up', attempts });
    expect(verdictOf(explained([ours])).because).toBe('Muster decided so.');
  });

  it('who was suppressed is told by which rule, and what it got before', () => {
    const detail = 'on the suppression list of send-message: asked to by phone';
    const withheld = step(2, 'suppressed', { reason: 'muster.suppression-list', detail });
    expect(verdictOf(explained([step(1, 'succeeded'), withheld]))).toMatchObject({
      tone: 'plain',
      state: 'Suppressed in step 2',
      answer: `Got “Award reward” and nothing more. A rule withheld step 2, “Send message”: ${detail}.`,
    });
  });

  it('whose outcome nobody knows is not said to have got nothing', () => {
    expect(verdictOf(explained([step(1, 'unknown'), step(2, 'skipped')])).answer).toBe(
      'Nobody knows whether it got “Award reward”. It got nothing else.',
    );
  });

  it('who still waits is told so', () => {
    expect(verdictOf(explained([step(1, 'succeeded'), step(2, 'pending')])).answer).toBe(
      'Got “Award reward” so far. It waits for step 2, “Send message”.',
    );
    expect(verdictOf(explained([step(1, 'pending')])).answer).toBe(
      'Got nothing so far. It waits for step 1, “Award reward”.',
    );
  });
});

describe('the verdict on a user outside', () => {
  it.each([
    ['absent', 'Not in it'],
    ['held-out', 'Held out'],
    ['not-fed-yet', 'Not fed yet'],
    ['never-fed', 'Never fed'],
    ['not-kept', 'Not kept'],
  ] as const)('is an answer too (%s)', (place, state) => {
    const detail =
      'segment "lapsed" in SG did not hold it, or segment "staff" excluded it; the run looked nowhere else';
    const verdict = verdictOf(explained([], place, detail));
    expect(verdict.state).toBe(state);
    expect(verdict.because).toBe(`S${detail.slice(1)}.`);
  });
});
