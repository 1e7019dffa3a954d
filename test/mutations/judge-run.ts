import type { TestModuleState } from 'vitest/node';
import type { RunAnswer, TestFile } from './kept-vitest-messages.ts';

export interface EndedModule {
  test: TestFile;
  state: TestModuleState;
  failedTests: number;
}

/**
 * Returns the answer of a run that ends at its first failure. Vitest may then leave files `pending` or `queued`, and may
 * lose the report of the failure itself: such a run has shown nothing.
 * @param errors number of errors outside of tests
 * @returns null if the run has to be repeated
 */
export function judgeRun(modules: readonly EndedModule[], errors: number): RunAnswer | null {
  const failed = modules.find(({ state, failedTests }) => state === 'failed' || failedTests > 0);
  if (failed) return { passed: false, failedTest: failed.test };
  if (errors > 0) return { passed: false, failedTest: null };
  const isWhole = modules.every(({ state }) => state === 'passed' || state === 'skipped');
  return isWhole ? { passed: true, failedTest: null } : null;
}
