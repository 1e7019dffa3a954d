import path from 'node:path';
import { createVitest, type TestSpecification } from 'vitest/node';
import { judgeRun } from './judge-run.ts';
import { runRequest, type RunAnswer, type TestFile } from './kept-vitest-messages.ts';

/**
 * Vitest as a process that stays: starting it and compiling the sources costs more than most tests. Each message names
 * the source files that have changed and the tests to run.
 */
const [root = '', ...project] = process.argv.slice(2);
const vitest = await createVitest({ root, project, watch: false, bail: 1, reporters: [{}] });
await vitest.standalone();
const specifications = new Map((await vitest.globTestSpecifications()).map((each) => [keyOf(testFileOf(each)), each]));

/** These files were changed before the last run, and may have been restored since. */
let lastChanged: readonly string[] = [];

/** Runs of the same tests until one is whole or names a failed test. */
const mostAttempts = 5;

process.on('message', (message) => {
  void runTests(message).then((answer) => process.send?.(answer));
});
process.on('disconnect', () => process.exit(0));
process.send?.('ready');

async function runTests(message: unknown): Promise<RunAnswer> {
  const { changedFiles, tests } = runRequest.parse(message);
  for (const file of new Set([...lastChanged, ...changedFiles])) vitest.invalidateFile(path.join(root, file));
  lastChanged = changedFiles;
  const chosen = tests.map((test) => specifications.get(keyOf(test))).filter((each) => each !== undefined);
  for (let attempt = 0; attempt < mostAttempts; attempt++) {
    const answer = await runChosen(chosen);
    if (answer) return answer;
  }
  throw new Error(`${mostAttempts} runs ended early, and none named the test that failed`);
}

async function runChosen(chosen: TestSpecification[]): Promise<RunAnswer | null> {
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(chosen, false);
  const ids = new Set(chosen.map(({ moduleId }) => moduleId));
  const modules = testModules
    .filter(({ moduleId }) => ids.has(moduleId))
    .map((module) => ({
      test: { project: module.project.name, file: path.relative(root, module.moduleId) },
      state: module.state(),
      failedTests: [...module.children.allTests('failed')].length,
    }));
  return judgeRun(modules, unhandledErrors.length);
}

function testFileOf({ project, moduleId }: TestSpecification): TestFile {
  return { project: project.name, file: path.relative(root, moduleId) };
}

function keyOf({ project, file }: TestFile): string {
  return `${project}:${file}`;
}
