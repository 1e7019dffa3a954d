import { describe, expect, it } from 'vitest';
import type { ComparedRun } from '#client/types.gen.ts';
import { compareRuns } from './comparison.ts';

function run(through: number, failed: number, minutes: number, changes: Partial<ComparedRun> = {}): ComparedRun {
  return {
    runId: 'run_1',
    scheduledFor: '2026-10-23T01:00:00.000Z',
    state: 'completed_with_failures',
    revision: 1,
    audience: 1000,
    through,
    failed,
    unknown: 0,
    suppressed: 0,
    expired: 0,
    cancelled: 0,
    recovered: 0,
    campaignId: 'cmp_1',
    campaignName: 'Payday',
    chain: ['award-reward', 'send-message'],
    tookMs: minutes * 60_000,
    ...changes,
  };
}

const textsOf = (figures: ReturnType<typeof compareRuns>) =>
  figures.map(({ name, now, before, change, isBetter }) => [name, now, before, change, isBetter]);

describe('the comparison of a run with the previous one', () => {
  it('uses shares, and marks improvements', () => {
    expect(textsOf(compareRuns(run(950, 14, 98), run(941, 19, 112)))).toEqual([
      ['Audience', '1,000', '1,000', '0', null],
      ['Through the chain', '95.0 %', '94.1 %', '+ 0.90 pt', true],
      ['Failed', '1.4 %', '1.9 %', '− 0.50 pt', true],
      ['Took', '1 h 38 min', '1 h 52 min', '− 14 min', true],
    ]);
  });

  it('compares variants of the same name', () => {
    const variant = (name: string, through: number) => ({ name, audience: 500, through, failed: 0, unknown: 0 });
    const now = run(950, 14, 98, { variants: [variant('A', 480), variant('B', 470)] });
    const before = run(941, 19, 98, { variants: [variant('C', 450), variant('A', 475)] });
    expect(textsOf(compareRuns(now, before))[2]).toEqual(['Through, A', '96.0 %', '95.0 %', '+ 1.0 pt', true]);
    expect(textsOf(compareRuns(now, before)).map(([name]) => name)).not.toContain('Through, B');
  });

  it('marks deteriorations', () => {
    const figures = compareRuns(run(900, 60, 120), run(941, 19, 112));
    expect(figures.map(({ isBetter }) => isBetter)).toEqual([null, false, false, false]);
  });

  it('shows a different audience size in percent, as neutral', () => {
    expect(compareRuns(run(950, 14, 98, { audience: 1051 }), run(941, 19, 112))[0]).toMatchObject({
      change: '+ 5.1 %',
      isBetter: null,
    });
  });

  it('has no change of duration if one run never started', () => {
    expect(compareRuns(run(950, 14, 98), run(1, 1, 1, { tookMs: null })).at(-1)?.change).toBe('–');
  });

  it('shows only the difference of the audiences if the chains differ', () => {
    const other = { chain: ['send-message', 'award-reward'], audience: 500 };
    expect(textsOf(compareRuns(run(950, 14, 98), run(400, 19, 112, other)))).toEqual([
      ['Audience', '1,000', '500', '+ 100.0 %', null],
      ['Through the chain', '95.0 %', '80.0 %', '–', null],
      ['Failed', '1.4 %', '3.8 %', '–', null],
      ['Took', '1 h 38 min', '1 h 52 min', '–', null],
    ]);
  });

  it('includes other outcomes and recovered users, if there are any', () => {
    const figures = compareRuns(run(950, 14, 98, { expired: 20 }), run(900, 100, 98, { recovered: 70 }));
    expect(textsOf(figures).slice(3, 5)).toEqual([
      ['Recovered since', '0 %', '7.0 %', '− 7.0 pt', null],
      ['Expired', '2.0 %', '0 %', '+ 2.0 pt', false],
    ]);
  });
});
