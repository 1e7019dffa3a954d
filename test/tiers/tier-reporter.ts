import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { Reporter, SerializedError, TestCase, TestModule } from 'vitest/node';
import { resultsVariable, writeResult } from './results.ts';

/** Writes each result down as it comes; what vitest itself prints goes on as ever. */
export default class TierReporter implements Reporter {
  readonly #resultsFile = process.env[resultsVariable];
  readonly #began = new Map<string, number>();

  onTestModuleStart({ moduleId }: TestModule): void {
    this.#began.set(moduleId, Date.now());
  }

  onTestCaseResult(test: TestCase): void {
    const { state, errors } = test.result();
    if (this.#resultsFile === undefined || state === 'pending') return;
    const { name, file } = placeOf(test.module);
    writeResult(this.#resultsFile, { kind: 'test', tier: name, file, name: test.fullName, state, ...whyOf(errors) });
  }

  onTestModuleEnd(module: TestModule): void {
    if (this.#resultsFile === undefined) return;
    const { name, file } = placeOf(module);
    const hasFailedTest = [...module.children.allTests('failed')].length > 0;
    const failed = module.state() === 'failed' && !hasFailedTest;
    const endedMs = Date.now();
    const beganMs = this.#began.get(module.moduleId) ?? endedMs;
    const why = failed ? whyOf(module.errors()) : {};
    writeResult(this.#resultsFile, { kind: 'file', tier: name, file, beganMs, endedMs, failed, ...why });
  }

  onTestRunEnd(_modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    if (this.#resultsFile === undefined || unhandled.length === 0) return;
    const now = Date.now();
    const file = `${unhandled.length} errors outside of tests`;
    const line = { kind: 'file', tier: 'unhandled', file, beganMs: now, endedMs: now, failed: true } as const;
    writeResult(this.#resultsFile, { ...line, ...whyOf(unhandled) });
  }
}

function placeOf({ project, moduleId }: TestModule) {
  return { name: project.name, file: path.relative(project.config.root, moduleId) };
}

/** Enough lines of each error to show the expectation and the place. */
const linesDisplayed = 25;

/** Other tools fill it in as well. */
interface Reported {
  message?: string;
  diff?: string;
  stack?: string;
}

function whyOf(errors: readonly SerializedError[] | undefined): { why?: string } {
  if (errors === undefined || errors.length === 0) return {};
  const texts = errors.map(({ message, diff, stack }: Reported) => {
    const places = stack?.split('\n').filter((line) => line.includes('/test/') || line.includes('.test.ts')) ?? [];
    return [
      ...`${message ?? ''}\n${diff ?? ''}`.trim().split('\n').slice(0, linesDisplayed),
      ...places.slice(0, 3),
    ].join('\n');
  });
  return { why: stripVTControlCharacters(texts.join('\n')) };
}
