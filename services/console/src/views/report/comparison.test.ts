import { describe, expect, it } from 'vitest';
import type { StepLine } from '../../api/generated/types.gen.ts';
import { compare } from './comparison.ts';

function line(step: number, change: Partial<StepLine>): StepLine {
  return {
    ...{ step, action: `action-${step}`, audience: 1000, succeeded: 0, failed: 0, skipped: 0, suppressed: 0 },
    ...{ heldOut: 0, expired: 0, cancelled: 0, unknown: 0, pending: 0 },
    ...change,
  };
}

function run(succeeded: number, failed: number, minutes: number, audience = 1000) {
  return {
    steps: [line(1, { audience, failed }), line(2, { audience, succeeded })],
    startedAt: '2026-10-23T01:00:00.000Z',
    endedAt: new Date(Date.parse('2026-10-23T01:00:00.000Z') + minutes * 60_000).toISOString(),
  };
}

const told = (figures: ReturnType<typeof compare>) =>
  figures.map(({ name, now, before, change, isBetter }) => [name, now, before, change, isBetter]);

describe('a run beside the one before it', () => {
  it('is compared by shares, and says what is better', () => {
    expect(told(compare(run(950, 14, 98), run(941, 19, 112)))).toEqual([
      ['Audience', '1,000', '1,000', '0', null],
      ['Through the chain', '95.0 %', '94.1 %', '+ 0.90 pt', true],
      ['Failed', '1.4 %', '1.9 %', '− 0.50 pt', true],
      ['Took', '1 h 38 min', '1 h 52 min', '− 14 min', true],
    ]);
  });

  it('says what is worse', () => {
    const figures = compare(run(900, 60, 120), run(941, 19, 112));
    expect(figures.map(({ isBetter }) => isBetter)).toEqual([null, false, false, false]);
  });

  it('tells an audience of another size in percent, as neither better nor worse', () => {
    expect(compare(run(950, 14, 98, 1051), run(941, 19, 112))[0]).toMatchObject({ change: '+ 5.1 %', isBetter: null });
  });

  it('has no change in time where one of them never began', () => {
    expect(compare(run(950, 14, 98), { ...run(1, 1, 1), startedAt: null }).at(-1)?.change).toBe('–');
  });
});
