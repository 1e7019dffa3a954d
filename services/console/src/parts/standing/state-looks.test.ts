import { describe, expect, it } from 'vitest';
import { effectiveState } from './state-looks.ts';

const step = { failed: 0, unknown: 0, pending: 0, cancelled: 0 };
const run = { state: 'cancelled' as const, audience: { complete: true }, steps: [step, step] };

describe('a run that was cancelled', () => {
  it.each([
    ['after every user had succeeded is completed', [step], 'completed'],
    ['after every user had ended is completed with failures', [{ ...step, failed: 2 }], 'completed_with_failures'],
    ['before some users had ended is cancelled', [step, { ...step, cancelled: 1 }], 'cancelled'],
    ['while users are pending is cancelled', [{ ...step, pending: 1 }], 'cancelled'],
  ])('%s', (_claim, steps, state) => {
    expect(effectiveState({ ...run, steps })).toBe(state);
  });

  it('is cancelled if its audience had not been read', () => {
    expect(effectiveState({ ...run, audience: { complete: false } })).toBe('cancelled');
  });
});
