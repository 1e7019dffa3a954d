import { describe, expect, it } from 'vitest';
import type { ComparedRun } from '../../sdk/generated/types.gen.ts';
import { renderComparison } from './comparison.ts';
import { createPaint } from '../show/paint.ts';

function run(id: string, day: number, changes: Partial<ComparedRun> = {}): ComparedRun {
  return {
    runId: id,
    scheduledFor: `2026-10-${day}T01:00:00.000Z`,
    state: 'completed_with_failures',
    revision: 1,
    audience: 1000,
    through: 950,
    failed: 50,
    unknown: 0,
    suppressed: 0,
    expired: 0,
    cancelled: 0,
    recovered: 0,
    campaignId: 'cmp_1',
    campaignName: 'Payday',
    chain: ['award-reward', 'send-message'],
    tookMs: 5_880_000,
    ...changes,
  };
}

describe('the comparison of a run with an earlier run', () => {
  it('shows counts, percentages and differences in percentage points', () => {
    const before = run('run_1', 22, { audience: 800, through: 720, failed: 60, recovered: 20, tookMs: 6_720_000 });
    const text = renderComparison(
      { run: run('run_2', 23), before, others: [] },
      { paint: createPaint(false), width: Infinity },
    );
    expect(text).toContain('run_2 beside run_1');
    expect(text).toMatch(/audience +1,000 +800 +\+ 25.0 %/);
    expect(text).toMatch(/through the chain +950 \(95.0 %\) +720 \(90.0 %\) +\+ 5.00 pt/);
    expect(text).toMatch(/failed +50 \(5.0 %\) +60 \(7.5 %\) +− 2.50 pt/);
    expect(text).toMatch(/recovered since +0 \(0.0 %\) +20 \(2.5 %\) +− 2.50 pt/);
    expect(text).toMatch(/took +1 h 38 min +1 h 52 min +− 14 min 00 s/);
    expect(text).not.toContain('unknown');
  });

  it('names the campaign of the earlier run if it is not the same campaign, and removes control characters', () => {
    const before = run('run_1', 22, { campaignId: 'cmp_2', campaignName: 'Riders\nback' });
    const view = { paint: createPaint(false), width: Infinity };
    const text = renderComparison({ run: run('run_2', 23), before, others: [] }, view);
    expect(text.split('\n')[0]).toMatch(/^ {2}run_2 beside run_1, of Riders.back$/);
    expect(text).toMatch(/failed +50 \(5.0 %\) +50 \(5.0 %\) +0.00 pt/);
  });

  it('shows both runs without differences if their chains differ', () => {
    const before = run('run_1', 22, { campaignId: 'cmp_2', chain: ['award-points'], through: 400 });
    const view = { paint: createPaint(false), width: Infinity };
    const text = renderComparison({ run: run('run_2', 23), before, others: [] }, view);
    expect(text).toMatch(/audience +1,000 +1,000 +0.0 %/);
    expect(text).toMatch(/through the chain +950 \(95.0 %\) +400 \(40.0 %\) +–/);
    expect(text).toMatch(/took +1 h 38 min +1 h 38 min +–/);
    expect(text).toContain(
      'another chain, award-points, not award-reward, send-message: only the audiences are compared',
    );
  });

  it('compares variants of the same name', () => {
    const variant = (name: string, through: number) => ({ name, audience: 500, through, failed: 0, unknown: 0 });
    const now = run('run_2', 23, { variants: [variant('A', 480), variant('B', 470)] });
    const before = run('run_1', 22, { variants: [variant('C', 450), variant('A', 475)] });
    const view = { paint: createPaint(false), width: Infinity };
    const text = renderComparison({ run: now, before, others: [] }, view);
    expect(text).toMatch(/through, A +480 \(96.0 %\) +475 \(95.0 %\) +\+ 1.00 pt/);
    expect(text).not.toContain('through, B');
  });

  it('states that no earlier run exists', () => {
    const text = renderComparison(
      { run: run('run_2', 23), before: null, others: [] },
      { paint: createPaint(false), width: Infinity },
    );
    expect(text).toBe('run_2: there is no run before it that began and has ended\n');
  });
});
