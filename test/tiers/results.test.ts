import { describe, expect, it } from 'vitest';
import { renderRows, rowsIn } from './fault-rows.ts';
import { renderTiers } from './render-tiers.ts';
import { hasFailed, keptResults, summarize, type Result } from './results.ts';

const test = (tier: string, name: string, state: 'passed' | 'failed' | 'skipped' = 'passed'): Result => {
  return { kind: 'test', tier, file: `${tier}.test.ts`, name, state };
};
const file = (tier: string, name: string, beganMs: number, endedMs: number, failed = false): Result => {
  return { kind: 'file', tier, file: name, beganMs, endedMs, failed };
};

describe('a summary of test tiers', () => {
  it('counts tests, and the time in which a file of the tier ran', () => {
    const [unit] = summarize([
      ...[test('unit', 'a'), test('unit', 'b', 'failed'), test('unit', 'c', 'skipped')],
      ...[file('unit', 'a.test.ts', 0, 60_000), file('unit', 'b.test.ts', 30_000, 90_000)],
      file('unit', 'c.test.ts', 600_000, 630_000),
    ]);
    expect(unit).toEqual({ tier: 'unit', passed: 1, failed: 1, skipped: 1, minutes: 2, notReached: [] });
  });

  it('counts a check tool as one passed or failed test, and a file that cannot be loaded as failed', () => {
    const tiers = summarize([
      ...[file('check', 'types', 0, 1), file('check', 'lint', 0, 1, true), file('unit', 'a.test.ts', 0, 1, true)],
    ]);
    expect(tiers).toMatchObject([
      { tier: 'check', passed: 1, failed: 1 },
      { tier: 'unit', passed: 0, failed: 1 },
    ]);
  });

  it('lists files that were not reached without counting them as failed', () => {
    const tiers = summarize([{ kind: 'not-reached', tier: 'faults', file: 'test/faults/group.test.ts' }]);
    expect(tiers).toMatchObject([{ failed: 0, notReached: ['test/faults/group.test.ts'] }]);
    expect(renderTiers(tiers)).toContain('not reached: test/faults/group.test.ts');
  });
});

describe('the results of an interrupted file', () => {
  it('include those written before the interruption, with failures', () => {
    const results = [test('faults', 'a', 'failed'), test('faults', 'b', 'failed'), file('faults', 'c', 0, 1, true)];
    expect(keptResults(results, 1)).toEqual([test('faults', 'a', 'failed')]);
    expect(keptResults(results, 1).some(hasFailed)).toBe(true);
    expect(keptResults(results, undefined)).toEqual(results);
  });
});

describe('the rows of the fault table', () => {
  it.each([
    ['row 9: a broker is killed > its leader', [9]],
    ['rows 34 and 35: a scheduler that stops', [34, 35]],
    ['rows 20 to 24, for callbacks: hanging', [20, 21, 22, 23, 24]],
    ['the checker finds what is wrong', []],
  ])('are parsed from the name of a test: %s', (name, rows) => {
    expect(rowsIn(name)).toEqual(rows);
  });

  it('are shown one by one with the results of their tests, or as not reached', () => {
    const displayed = renderRows(
      [test('faults', 'row 1: a'), test('faults', 'row 1: b', 'failed'), test('faults', 'row 3: c')],
      [1, 2, 3],
    );
    expect(displayed.split('\n')).toEqual([
      'row 1   FAILED       1 passed, 1 failed',
      'row 2   not reached',
      'row 3   passed       1 passed, 0 failed',
    ]);
  });
});
