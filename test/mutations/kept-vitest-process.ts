import path from 'node:path';
import { createVitest, type TestSpecification } from 'vitest/node';
import { runRequest, type RunAnswer, type TestFile } from './kept-vitest-messages.ts';

/**
 * Vitest as a process that stays: starting it and compiling the sources costs more than most tests. Each message names
 * the source files that have changed and the tests to run.
 */
const [root = '', ...project] = process.argv.slice(2);
const vitest = await createVitest({ root, project, watch: false, bail: 1, reporters: [{}] });
await vitest.standalone();
const specifications = new Map((await vitest.globTestSpecifications()).map((each) => [keyOf(testFileOf(each)), each]));

/** They were changed before the last run, and may have been put back since. */
let lastChanged: readonly string[] = [];

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
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(chosen, false);
  const ofThisRun = new Set(chosen.map(({ moduleId }) => moduleId));
  const failed = testModules.find((module) => module.state() === 'failed' && ofThisRun.has(module.moduleId));
  const failedTest = failed && { project: failed.project.name, file: path.relative(root, failed.moduleId) };
  return { passed: !failed && unhandledErrors.length === 0, failedTest: failedTest ?? null };
}

function testFileOf({ project, moduleId }: TestSpecification): TestFile {
  return { project: project.name, file: path.relative(root, moduleId) };
}

function keyOf({ project, file }: TestFile): string {
  return `${project}:${file}`;
}
