import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createMutantJudge } from './judge-mutant.ts';
import type { RunAnswer } from './kept-vitest-messages.ts';
import type { Mutant } from './mutant.ts';

const mutant: Mutant = {
  file: 'shared/domain/a.ts',
  line: 1,
  kind: 'constant',
  start: 10,
  end: 11,
  before: '1',
  after: '2',
};
const source = 'const a = 1;';
const changed = 'const a = 2;';
const files = Array.from({ length: 20 }, (_, index) => `shared/domain/${index}.test.ts`);
const passed: RunAnswer = { passed: true, failedTest: null };
const failing = (file: string | undefined): RunAnswer => ({
  passed: false,
  failedTest: file === undefined ? null : { project: 'unit', file },
});

const trees: string[] = [];
afterEach(() => {
  for (const tree of trees.splice(0)) rmSync(tree, { recursive: true });
});

/** @param answerOf returns the result of a run of these test files with this text of the changed file */
function setUp(
  answerOf: (tests: string[], text: string) => RunAnswer | null,
  { nearest = Infinity, refused = false, project = 'unit' } = {},
) {
  const tree = mkdtempSync(path.join(tmpdir(), 'judged-'));
  trees.push(tree);
  mkdirSync(path.join(tree, 'shared/domain'), { recursive: true });
  const textOf = () => readFileSync(path.join(tree, mutant.file), 'utf8');
  const runs: number[] = [];
  const unsound: string[] = [];
  const judge = createMutantJudge({
    tree,
    nearest,
    sources: new Map([[mutant.file, source]]),
    relatedTests: () => files.map((file) => ({ project, file })),
    vitest: {
      run: ({ tests }) => {
        runs.push(tests.length);
        return Promise.resolve(
          answerOf(
            tests.map(({ file }) => file),
            textOf(),
          ),
        );
      },
    },
    onUnsound: ({ file }) => void unsound.push(file),
    isRefused: () => Promise.resolve(refused && textOf() === changed),
  });
  return { judge, textOf, runs, unsound };
}

/** Fails in these files if the file is changed. */
const noticing =
  (...noticed: string[]) =>
  (tests: string[], text: string) => {
    const failed = tests.find((file) => noticed.includes(file));
    return failed !== undefined && text === changed ? failing(failed) : passed;
  };

describe('a mutant', () => {
  it('is noticed by a test that fails with it twice and passes without it', async () => {
    const { judge, textOf } = setUp(noticing('shared/domain/7.test.ts'));
    expect(await judge(mutant)).toMatchObject({ verdict: 'noticed', by: 'shared/domain/7.test.ts' });
    expect(textOf()).toBe(source);
  });

  it('is unnoticed if all tests pass, with a few tests at a time', async () => {
    const { judge, textOf, runs } = setUp(() => passed);
    expect(await judge(mutant)).toMatchObject({ verdict: 'UNNOTICED', by: '20 test files' });
    expect(runs).toEqual([4, 12, 4]);
    expect(textOf()).toBe(source);
  });

  it('is unnoticed by a test that passes when repeated', async () => {
    let failures = 0;
    const { judge } = setUp((tests) => (failures++ === 0 ? failing(tests[0]) : passed));
    expect(await judge(mutant)).toMatchObject({ verdict: 'UNNOTICED' });
  });

  it('is unnoticed by a test that fails without it, and that test is skipped afterwards', async () => {
    const [broken = ''] = files;
    const { judge, runs, unsound } = setUp((tests) => (tests.includes(broken) ? failing(broken) : passed));
    expect(await judge(mutant)).toMatchObject({ verdict: 'UNNOTICED' });
    expect(unsound).toEqual([broken]);
    runs.length = 0;
    await judge(mutant);
    expect(runs).toEqual([3, 12, 4]);
  });

  it('is noticed by a run that times out with it, and ends without it', async () => {
    const { judge } = setUp((_, text) => (text === changed ? null : passed));
    expect(await judge(mutant)).toMatchObject({ verdict: 'noticed', by: 'its time-out' });
  });

  it('is unnoticed by a run that times out without it too', async () => {
    const { judge, textOf } = setUp(() => null);
    expect(await judge(mutant)).toMatchObject({ verdict: 'UNNOTICED', by: '20 test files' });
    expect(textOf()).toBe(source);
  });

  it('is noticed by an error outside of all tests', async () => {
    const { judge } = setUp(() => failing(undefined));
    expect(await judge(mutant)).toMatchObject({ verdict: 'noticed', by: 'an error outside of tests' });
  });

  it('is noticed by the lint if its unit tests pass but types or rules refuse the changed file', async () => {
    const { judge, textOf } = setUp(() => passed, { refused: true });
    expect(await judge(mutant)).toMatchObject({ verdict: 'noticed', by: 'lint' });
    expect(textOf()).toBe(source);
  });

  it('is not run against simulation or integration tests if the lint refuses it', async () => {
    const { judge, runs } = setUp(() => passed, { refused: true, project: 'integration' });
    expect(await judge(mutant)).toMatchObject({ verdict: 'noticed', by: 'lint' });
    expect(runs).toEqual([]);
  });

  it('is tested, on request, only against the nearest tests', async () => {
    const { judge } = setUp(noticing('shared/domain/7.test.ts'), { nearest: 5 });
    expect(await judge(mutant)).toMatchObject({ verdict: 'UNNOTICED', by: '5 test files' });
  });
});
