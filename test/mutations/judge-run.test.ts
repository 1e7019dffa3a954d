import { describe, expect, it } from 'vitest';
import { judgeRun, type EndedModule } from './judge-run.ts';

function moduleOf(file: string, state: EndedModule['state'], failedTests = 0): EndedModule {
  return { test: { project: 'unit', file }, state, failedTests };
}

describe('judgeRun', () => {
  it('passes a run whose files have all passed or skip all their tests', () => {
    const modules = [moduleOf('a.test.ts', 'passed'), moduleOf('b.test.ts', 'skipped')];
    expect(judgeRun(modules, 0)).toEqual({ passed: true, failedTest: null });
  });

  it('names the failed file', () => {
    const modules = [moduleOf('a.test.ts', 'passed'), moduleOf('b.test.ts', 'failed', 1)];
    expect(judgeRun(modules, 0)).toEqual({ passed: false, failedTest: { project: 'unit', file: 'b.test.ts' } });
  });

  it('names a file with a failed test that has not ended', () => {
    const modules = [moduleOf('a.test.ts', 'pending', 1), moduleOf('b.test.ts', 'queued')];
    expect(judgeRun(modules, 0)).toEqual({ passed: false, failedTest: { project: 'unit', file: 'a.test.ts' } });
  });

  it('has a run repeated if files have not ended although no test has failed', () => {
    expect(judgeRun([moduleOf('a.test.ts', 'passed'), moduleOf('b.test.ts', 'pending')], 0)).toBeNull();
    expect(judgeRun([moduleOf('a.test.ts', 'queued')], 0)).toBeNull();
  });

  it('fails a run with an error outside of tests', () => {
    expect(judgeRun([moduleOf('a.test.ts', 'passed')], 1)).toEqual({ passed: false, failedTest: null });
  });
});
