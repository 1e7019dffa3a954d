import { describe, expect, it } from 'vitest';
import type { Attempt, ExplainedStep, Explanation, Place } from './explanation.ts';
import { buildVerdict } from './verdict.ts';

function step(no: number, outcome: ExplainedStep['outcome'], change: Partial<ExplainedStep> = {}): ExplainedStep {
  return {
    step: no,
    action: no === 1 ? 'award-reward' : 'send-message',
    outcome,
    reason: null,
    detail: null,
    endedAt: null,
    waitsFor: null,
    nextAttemptAt: null,
    receipt: null,
    attempts: [],
    ...change,
  };
}

function explained(steps: ExplainedStep[], place: Place = 'member', detail = 'it was fed'): Explanation {
  return {
    runId: 'run_1',
    campaignId: 'cmp_1',
    userId: 'u1',
    state: 'completed',
    asOf: '2026-10-23T01:00:00.000Z',
    audience: { place, country: 'VN', detail },
    variant: null,
    batches: [],
    steps,
    receiptsDeletedAt: null,
  };
}

const call = (attempt: number, result: Attempt['result']): Attempt => ({
  attempt,
  at: '2026-10-23T01:00:00.000Z',
  batchNo: 1,
  idempotencyKey: 'k',
  result,
  code: null,
  message: null,
});

describe('the verdict on a user of the audience', () => {
  it('lists the actions of a user who is through the chain', () => {
    expect(buildVerdict(explained([step(1, 'succeeded'), step(2, 'succeeded')]))).toEqual({
      tone: 'good',
      state: 'Through the chain',
      answer: 'Got “Award reward” once and “Send message” once.',
      evidence: '',
    });
  });

  it('explains that a call was repeated with the same key and not applied twice', () => {
    const attempts = [call(1, 'ambiguous'), call(2, 'succeeded')];
    expect(buildVerdict(explained([step(1, 'succeeded', { attempts })])).evidence).toBe(
      '“Award reward” took 2 calls; one was never answered and was sent again with the same key, so it was not applied twice.',
    );
  });

  it('lists the steps before the failure of a user', () => {
    const steps = [step(1, 'succeeded'), step(2, 'failed', { reason: 'push-token-expired' })];
    expect(buildVerdict(explained(steps))).toMatchObject({
      tone: 'bad',
      state: 'Failed in step 2',
      answer: 'Got “Award reward” and nothing more. The user failed in step 2, “Send message”: push-token-expired.',
    });
  });

  it('names the origin of a failure and the skipped steps', () => {
    const attempts = [call(1, 'failed')];
    const steps = [step(1, 'failed', { reason: 'out-of-stock', detail: 'none left', attempts }), step(2, 'skipped')];
    expect(buildVerdict(explained(steps)).evidence).toBe(
      'The endpoint reported this failure, and such an answer is final. None left. No call was made for “Send message”.',
    );
    const ours = step(1, 'failed', { reason: 'muster.attempts-used-up', attempts });
    expect(buildVerdict(explained([ours])).evidence).toBe('Muster decided this.');
  });

  it('names the rule that suppressed a user, and the steps before it', () => {
    const detail = 'on the suppression list of send-message: asked to by phone';
    const suppressed = step(2, 'suppressed', { reason: 'muster.suppression-list', detail });
    expect(buildVerdict(explained([step(1, 'succeeded'), suppressed]))).toMatchObject({
      tone: 'plain',
      state: 'Suppressed in step 2',
      answer: `Got “Award reward” and nothing more. A rule suppressed step 2, “Send message”: ${detail}.`,
    });
  });

  it('names the cap that suppressed a user', () => {
    const detail = 'weekly: 3 of at most 3 within 7 days';
    const suppressed = step(1, 'suppressed', { reason: 'muster.cap', detail });
    expect(buildVerdict(explained([suppressed])).answer).toBe(
      `Got nothing. A cap suppressed step 1, “Award reward”: ${detail}.`,
    );
  });

  it('does not claim that a user with an unknown outcome got nothing', () => {
    expect(buildVerdict(explained([step(1, 'unknown'), step(2, 'skipped')])).answer).toBe(
      'It is unknown whether the user got “Award reward”. The user got nothing else.',
    );
  });

  it('shows the step that a pending user waits for', () => {
    expect(buildVerdict(explained([step(1, 'succeeded'), step(2, 'pending')])).answer).toBe(
      'Got “Award reward” so far. The user waits for step 2, “Send message”.',
    );
    expect(buildVerdict(explained([step(1, 'pending')])).answer).toBe(
      'Got nothing so far. The user waits for step 1, “Award reward”.',
    );
  });
});

describe('the verdict on a user outside the audience', () => {
  it.each([
    ['absent', 'Not in the run'],
    ['held-out', 'Held out'],
    ['not-fed-yet', 'Not fed yet'],
    ['never-fed', 'Never fed'],
    ['not-kept', 'Not kept'],
  ] as const)('explains why the user is not in it: %s', (place, state) => {
    const detail =
      'segment "lapsed" in SG did not hold it, or segment "staff" excluded it; the run looked nowhere else';
    const verdict = buildVerdict(explained([], place, detail));
    expect(verdict.state).toBe(state);
    expect(verdict.evidence).toBe(`S${detail.slice(1)}.`);
  });
});
