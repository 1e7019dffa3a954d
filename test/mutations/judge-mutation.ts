import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { KeptVitest } from './kept-vitest.ts';
import type { TestFile } from './kept-vitest-messages.ts';
import type { Mutation } from './mutation.ts';
import { writeEdits } from './tree.ts';

export interface MutationJudgeDeps {
  /** A copy of the repository. */
  tree: string;
  sources: ReadonlyMap<string, string>;
  /** Paths of all test files by project. */
  testFiles: Readonly<Record<Mutation['project'], readonly string[]>>;
  vitest: KeptVitest;
}

export interface MutationJudge {
  /** @returns the first file that fails among the tests of these mutations, without any of them; null if none does */
  findFailing: (mutations: readonly Mutation[]) => Promise<string | null>;
  /** Takes the protection away and puts it back. */
  isNoticed: (mutation: Mutation) => Promise<boolean>;
}

/** Tests of one mutation take seconds. A mutation that makes a loop endless is noticed by this time. */
const withinMs = 10 * 60_000;
/** All of the tests without any mutation. */
const withoutMutationMs = 60 * 60_000;
/** Databases of tests are copied from one that is made when Vitest starts. */
const isReadAtStart = (file: string) => file.startsWith('migrations/');

export function createMutationJudge({ tree, sources, testFiles, vitest }: MutationJudgeDeps): MutationJudge {
  const testsOf = ({ project, noticedBy }: Mutation): TestFile[] =>
    testFiles[project]
      .filter((file) => noticedBy.some((part) => file.includes(part)))
      .map((file) => ({ project, file }));

  /** A test that fails once and passes when it is repeated has not noticed the change. */
  async function isFailing(changedFiles: string[], tests: TestFile[]): Promise<boolean> {
    const answer = await vitest.run({ changedFiles, tests }, withinMs);
    const failed = answer?.failedTest;
    if (!failed) return answer?.passed !== true;
    const repeated = await vitest.run({ changedFiles, tests: [failed] }, withinMs);
    if (repeated?.passed !== true) return true;
    const left = tests.filter(({ file }) => file !== failed.file);
    return left.length > 0 && (await isFailing(changedFiles, left));
  }

  return {
    findFailing: async (mutations) => {
      for (const project of ['unit', 'integration'] as const) {
        const chosen = mutations.filter((each) => each.project === project).flatMap(testsOf);
        const tests = [...new Map(chosen.map((test) => [test.file, test])).values()];
        if (tests.length === 0) continue;
        const answer = await vitest.run({ changedFiles: [], tests }, withoutMutationMs);
        if (answer?.passed !== true) return answer?.failedTest?.file ?? `a run of ${tests.length} files, whole`;
      }
      return null;
    },
    isNoticed: async (mutation) => {
      const changedFiles = await writeEdits(tree, mutation.edits, sources);
      const startsAgain = changedFiles.some(isReadAtStart);
      if (startsAgain) vitest.stop();
      try {
        return await isFailing(changedFiles, testsOf(mutation));
      } finally {
        for (const file of changedFiles) await writeFile(path.join(tree, file), sources.get(file) ?? '');
        if (startsAgain) vitest.stop();
      }
    },
  };
}
