import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { KeptVitest } from './kept-vitest.ts';
import type { TestFile } from './kept-vitest-messages.ts';
import { applyMutant, type Mutant } from './mutant.ts';
import type { RelatedTests } from './related-tests.ts';

export interface Judgement {
  mutant: Mutant;
  /** `unreached`: none of the tests imports the file. */
  verdict: 'noticed' | 'UNNOTICED' | 'unreached';
  /** The test file that noticed the change, or `lint`. Otherwise the number of test files that did not notice it. */
  by: string;
}

export interface JudgeDeps {
  /** A copy of the repository. */
  tree: string;
  sources: ReadonlyMap<string, string>;
  relatedTests: RelatedTests;
  vitest: Pick<KeptVitest, 'run'>;
  /** Test files of each project that are run for one change, the nearest ones. */
  nearest: number;
  onUnsound: (test: TestFile) => void;
  /** Returns true if types or lint rules refuse the file of the tree, so that `npm run check` notices the change. */
  isRefused: (file: string) => Promise<boolean>;
}

/**
 * Notices changes that no unit test noticed, such as a removed `await`. It takes seconds, so it runs before simulation
 * and integration tests, which take minutes.
 */
export const byLint = 'lint';

/** A change that makes a loop endless is noticed by its time, which is some times that of any test file. */
const baseMs = 3 * 60_000;
const perFileMs = 30_000;
/** Few files first, as one of the nearest notices most changes; each next run has this many times more. */
const firstFiles = 4;
const growth = 3;

export type JudgeMutant = (mutant: Mutant) => Promise<Judgement>;

export function createMutantJudge({
  tree,
  sources,
  relatedTests,
  vitest,
  nearest,
  onUnsound,
  isRefused,
}: JudgeDeps): JudgeMutant {
  /** True for each test file that passes without any change. A test file that fails anyway notices nothing. */
  const sound = new Map<string, boolean>();

  const runTests = (tests: TestFile[], { file: changedFile }: Mutant) =>
    vitest.run({ changedFiles: [changedFile], tests }, baseMs + tests.length * perFileMs);
  const write = (file: string, text: string) => writeFileSync(path.join(tree, file), text);
  const sourceOf = ({ file }: Mutant) => sources.get(file) ?? '';

  /** A test that fails once and passes when it is repeated has not noticed the change. */
  async function failsAgain(test: TestFile, mutant: Mutant): Promise<boolean> {
    const repeated = await runTests([test], mutant);
    return !repeated?.passed && (await isSound(test, mutant));
  }

  async function runUnchanged(tests: TestFile[], mutant: Mutant) {
    write(mutant.file, sourceOf(mutant));
    const answer = await runTests(tests, mutant);
    write(mutant.file, applyMutant(sourceOf(mutant), mutant));
    return answer;
  }

  /** On a loaded machine, a time-out may have another cause than the change. */
  async function endsUnchanged(tests: TestFile[], mutant: Mutant): Promise<boolean> {
    return (await runUnchanged(tests, mutant)) !== null;
  }

  async function isSound(test: TestFile, mutant: Mutant): Promise<boolean> {
    const known = sound.get(test.file);
    if (known !== undefined) return known;
    const passes = (await runUnchanged([test], mutant))?.passed === true;
    sound.set(test.file, passes);
    if (!passes) onUnsound(test);
    return passes;
  }

  /** Runs the tests until one notices the change. A file that failed by chance is left out of what remains. */
  async function noticedBy(tests: readonly TestFile[], mutant: Mutant): Promise<string | null> {
    let left = tests.filter(({ file }) => sound.get(file) !== false);
    while (left.length > 0) {
      const answer = await runTests(left, mutant);
      if (answer === null) return (await endsUnchanged(left, mutant)) ? 'its time-out' : null;
      if (answer.passed) return null;
      const { failedTest } = answer;
      if (failedTest === null) return 'an error outside of tests';
      if (await failsAgain(failedTest, mutant)) return failedTest.file;
      left = left.filter(({ file }) => file !== failedTest.file);
    }
    return null;
  }

  async function noticedByParts(parts: readonly TestFile[][], mutant: Mutant): Promise<string | null> {
    for (const tests of parts) {
      const by = await noticedBy(tests, mutant);
      if (by !== null) return by;
    }
    return null;
  }

  const noticedByLint = async ({ file }: Mutant) => ((await isRefused(file)) ? byLint : null);

  return async (mutant) => {
    const byProject = Map.groupBy(relatedTests(mutant.file), ({ project }) => project);
    const { unit = [], ...slow } = Object.fromEntries(
      Array.from(byProject, ([project, tests]) => [project, tests.slice(0, nearest)]),
    );
    const chosen = [unit, ...Object.values(slow)];
    write(mutant.file, applyMutant(sourceOf(mutant), mutant));
    try {
      const by =
        (await noticedByParts(inGrowingParts(unit), mutant)) ??
        (await noticedByLint(mutant)) ??
        (await noticedByParts(Object.values(slow).flatMap(inGrowingParts), mutant));
      if (by !== null) return { mutant, verdict: 'noticed', by };
    } finally {
      write(mutant.file, sourceOf(mutant));
    }
    const files = chosen.flat().length;
    return { mutant, verdict: files === 0 ? 'unreached' : 'UNNOTICED', by: `${files} test files` };
  };
}

function inGrowingParts(tests: readonly TestFile[]): TestFile[][] {
  const parts: TestFile[][] = [];
  for (let from = 0, size = firstFiles; from < tests.length; from += size, size *= growth)
    parts.push(tests.slice(from, from + size));
  return parts;
}
