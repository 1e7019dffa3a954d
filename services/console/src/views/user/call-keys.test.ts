import { expect, it } from 'vitest';
import { listCallKeys } from './call-keys.ts';
import type { Explanation } from './explanation.ts';

it('listCallKeys lists each key once, in the order of its first call', () => {
  const step = (no: number, keys: string[]): Explanation['steps'][number] => ({
    step: no,
    action: 'award-reward',
    outcome: 'succeeded',
    reason: null,
    detail: null,
    endedAt: null,
    waitsFor: null,
    nextAttemptAt: null,
    receipt: null,
    attempts: keys.map((idempotencyKey, index) => ({
      attempt: index + 1,
      at: '2026-10-23T01:00:00.000Z',
      batchNo: 1,
      idempotencyKey,
      result: 'succeeded',
      code: null,
      message: null,
    })),
  });
  const explained: Explanation = {
    runId: 'run_1',
    campaignId: 'cmp_1',
    userId: 'u1',
    state: 'running',
    asOf: '2026-10-23T01:00:00.000Z',
    audience: { place: 'member', country: 'SG', detail: 'it was fed' },
    variant: null,
    batches: [],
    steps: [step(1, ['f-1-1', 'f-1-1', 'f-9-1']), step(2, ['f-9-2'])],
    receiptsDeletedAt: null,
  };
  expect(listCallKeys(explained)).toEqual([
    { step: 1, key: 'f-1-1' },
    { step: 1, key: 'f-9-1' },
    { step: 2, key: 'f-9-2' },
  ]);
});
