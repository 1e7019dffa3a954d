import { describe, expect, it } from 'vitest';
import { guessMinutes, minutesIn } from './expected-minutes.ts';

describe('the expected minutes of a test file', () => {
  it('equal the minutes of its last recorded run, plus the start of the servers', () => {
    const file = {
      kind: 'file',
      tier: 'faults',
      file: 'a.test.ts',
      beganMs: 0,
      endedMs: 120_000,
      failed: false,
    } as const;
    const unit = { ...file, tier: 'unit', file: 'b.test.ts' };
    expect([...minutesIn([file, unit])]).toEqual([['a.test.ts', 2.4]]);
  });

  it('are estimated from its number of tests if no run was recorded', () => {
    const source = "  it('a', () => undefined);\n  it.each([1])('b', () => undefined);\n";
    expect(guessMinutes('faults', source)).toBe(1.8);
    expect(guessMinutes('faults', '')).toBe(1.1);
  });
});
