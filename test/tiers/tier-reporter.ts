import path from 'node:path';
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import { resultsVariable, writeResult } from './results.ts';

/** Writes each result down as it comes; what vitest itself prints goes on as ever. */
export default class TierReporter implements Reporter {
  readonly #resultsFile = process.env[resultsVariable];
  readonly #began = new Map<string, number>();

  onTestModuleStart({ moduleId }: TestModule): void {
    this.#began.set(moduleId, Date.now());
  }

  onTestCaseResult(test: TestCase): void {
    const { state } = test.result();
    if (this.#resultsFile === undefined || state === 'pending') return;
    const { name, file } = placeOf(test.module);
    writeResult(this.#resultsFile, { kind: 'test', tier: name, file, name: test.fullName, state });
  }

  onTestModuleEnd(module: TestModule): void {
    if (this.#resultsFile === undefined) return;
    const { name, file } = placeOf(module);
    const hasFailedTest = [...module.children.allTests('failed')].length > 0;
    const failed = module.state() === 'failed' && !hasFailedTest;
    const endedMs = Date.now();
    const beganMs = this.#began.get(module.moduleId) ?? endedMs;
    writeResult(this.#resultsFile, { kind: 'file', tier: name, file, beganMs, endedMs, failed });
  }

  onTestRunEnd(_modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    if (this.#resultsFile === undefined || unhandled.length === 0) return;
    const now = Date.now();
    const file = `${unhandled.length} errors outside of tests`;
    writeResult(this.#resultsFile, { kind: 'file', tier: 'unhandled', file, beganMs: now, endedMs: now, failed: true });
  }
}

function placeOf({ project, moduleId }: TestModule) {
  return { name: project.name, file: path.relative(project.config.root, moduleId) };
}
