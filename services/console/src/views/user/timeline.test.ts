import { describe, expect, it } from 'vitest';
import type { Attempt, ExplainedStep, Explanation } from './explanation.ts';
import { buildTimeline, type TimelineEntry } from './timeline.ts';

const start = Date.parse('2026-10-23T01:00:00.000Z');
const at = (seconds: number) => new Date(start + seconds * 1000).toISOString();

function call(attempt: number, seconds: number, result: Attempt['result'], change: Partial<Attempt> = {}): Attempt {
  return { attempt, at: at(seconds), batchNo: 7, idempotencyKey: 'k', result, code: null, message: null, ...change };
}

function step(change: Partial<ExplainedStep> = {}): ExplainedStep {
  return {
    step: 1,
    action: 'award-reward',
    outcome: 'succeeded',
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

function explained(steps: ExplainedStep[]): Explanation {
  return {
    runId: 'run_1',
    campaignId: 'cmp_1',
    userId: 'u1',
    state: 'completed',
    asOf: at(0),
    audience: { place: 'member', country: 'VN', detail: 'it was fed' },
    variant: null,
    batches: [{ batchNo: 7, parent: null, fromStep: 1, users: 100 }],
    steps,
    receiptsDeletedAt: null,
  };
}

function textOf(entry: TimelineEntry): string {
  return entry.kind === 'gap' ? `… ${entry.text}` : entry.title;
}

const entriesOf = (steps: ExplainedStep[]) =>
  buildTimeline(explained(steps)).steps.map(({ entries }) => entries.map(textOf));

describe('the timeline of a user', () => {
  it('begins with the audience and the batch', () => {
    expect(buildTimeline(explained([])).audience).toMatchObject([
      { title: 'In the audience' },
      { title: 'Fed in batch 7 of VN', text: 'With 99 other users.' },
    ]);
  });

  it('has an entry for each call, and one line with a reason for each wait', () => {
    const attempts = [
      call(1, 10, 'ambiguous', { message: 'no answer in 10 s' }),
      call(2, 41, 'not-applied', { message: '429 Too Many Requests' }),
      call(3, 61.5, 'succeeded'),
    ];
    expect(entriesOf([step({ attempts })])).toEqual([
      [
        'Call 1: no complete answer',
        '… 31 s of backoff, then a retry with the same key',
        'Call 2: not applied yet',
        '… 21 s of waiting: the endpoint did not accept the call',
        'Call 3: succeeded',
      ],
    ]);
  });

  it('has no entry for waits below a second', () => {
    const attempts = [call(1, 10, 'retryable', { code: 'busy' }), call(2, 10.9, 'succeeded')];
    expect(entriesOf([step({ attempts })])).toEqual([['Call 1: try again later, busy', 'Call 2: succeeded']]);
  });

  it('has a line for the time between two steps', () => {
    const steps = [
      step({ attempts: [call(1, 10, 'succeeded')] }),
      step({ step: 2, action: 'send-message', attempts: [call(1, 160, 'succeeded')] }),
    ];
    expect(entriesOf(steps)[1]).toEqual(['… 2 min 30 s between the steps', 'Call 1: succeeded']);
  });

  it('has a separate entry for a receipt, and the call counts as accepted', () => {
    const receipt = { status: 'delivered', code: null, at: at(14), receivedAt: at(15) } as const;
    expect(entriesOf([step({ receipt, attempts: [call(1, 10, 'succeeded')] })])).toEqual([
      ['Call 1: accepted', '… 4 s until the receipt of the provider', 'Receipt: delivered'],
    ]);
  });

  it('counts calls and keys, and a child batch has its own keys', () => {
    const attempts = [call(1, 10, 'retryable'), call(2, 20, 'succeeded', { batchNo: 9 })];
    expect(buildTimeline(explained([step({ attempts })])).steps[0]?.summary).toBe('2 calls, 2 keys');
  });

  it.each([
    ['skipped', 'Skipped'],
    ['expired', 'Expired without a call'],
    ['cancelled', 'Cancelled without a call'],
    ['heldOut', 'Held out without a call'],
  ] as const)('explains the missing call of a step that is %s', (outcome, title) => {
    expect(entriesOf([step({ outcome })])).toEqual([[title]]);
  });

  it('shows the cause and the next attempt of a pending step', () => {
    const pending = step({ outcome: 'pending', waitsFor: '503 of the endpoint', nextAttemptAt: at(30) });
    expect(buildTimeline(explained([pending])).steps[0]?.entries).toMatchObject([
      { title: 'Waits for 503 of the endpoint', at: at(30) },
    ]);
    expect(entriesOf([step({ outcome: 'pending' })])).toEqual([['Waits for its turn']]);
  });
});
