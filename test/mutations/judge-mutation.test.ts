import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createMutationJudge } from './judge-mutation.ts';
import type { RunAnswer } from './kept-vitest-messages.ts';
import type { Mutation } from './mutation.ts';

const sources = new Map([
  ['shared/a.ts', 'const a = 1;'],
  ['migrations/tables.sql', 'create table a ();'],
]);
const mutation: Mutation = {
  takesAway: 'one',
  edits: [{ text: 'a = 1', replacement: 'a = 2' }],
  project: 'unit',
  noticedBy: ['near'],
};
const ofSchema: Mutation = {
  takesAway: 'the table',
  edits: [{ text: 'create', replacement: 'drop' }],
  project: 'integration',
  noticedBy: ['tables'],
};
const passed: RunAnswer = { passed: true, failedTest: null };
const failing = (file: string): RunAnswer => ({ passed: false, failedTest: { project: 'unit', file } });

const trees: string[] = [];
afterEach(() => {
  for (const tree of trees.splice(0)) rmSync(tree, { recursive: true });
});

/** @param answers of one run of tests after the other; further ones pass */
function setUp(...answers: (RunAnswer | null)[]) {
  const tree = mkdtempSync(path.join(tmpdir(), 'judged-'));
  trees.push(tree);
  for (const folder of ['shared', 'migrations']) mkdirSync(path.join(tree, folder));
  const textOf = (file: string) => readFileSync(path.join(tree, file), 'utf8');
  const calls: unknown[] = [];
  const judge = createMutationJudge({
    tree,
    sources,
    testFiles: {
      unit: ['shared/near-a.test.ts', 'shared/near-b.test.ts', 'shared/far.test.ts'],
      integration: ['shared/tables.integration.test.ts'],
    },
    vitest: {
      run: ({ changedFiles, tests }) => {
        calls.push([changedFiles.map(textOf), tests.map(({ file }) => file)]);
        return Promise.resolve(answers.length > 0 ? (answers.shift() ?? null) : passed);
      },
      stop: () => calls.push('stop'),
    },
  });
  return { judge, textOf, calls };
}

describe('a listed mutation', () => {
  const both = ['shared/near-a.test.ts', 'shared/near-b.test.ts'];

  it('is noticed if one of its tests fails twice, and the source is restored', async () => {
    const { judge, textOf, calls } = setUp(failing('shared/near-b.test.ts'), failing('shared/near-b.test.ts'));
    expect(await judge.isNoticed(mutation)).toBe(true);
    expect(calls).toEqual([
      [['const a = 2;'], both],
      [['const a = 2;'], ['shared/near-b.test.ts']],
    ]);
    expect(textOf('shared/a.ts')).toBe('const a = 1;');
  });

  it('is unnoticed by a test that fails once and passes when repeated', async () => {
    const { judge, calls } = setUp(failing('shared/near-a.test.ts'), passed);
    expect(await judge.isNoticed(mutation)).toBe(false);
    expect(calls.at(-1)).toEqual([['const a = 2;'], ['shared/near-b.test.ts']]);
  });

  it('is noticed by tests that time out or fail outside of any test', async () => {
    expect(await setUp(null).judge.isNoticed(mutation)).toBe(true);
    expect(await setUp({ passed: false, failedTest: null }).judge.isNoticed(mutation)).toBe(true);
  });

  it('runs in a new process if it changes the schema, because a process creates its database at the start', async () => {
    const { judge, calls } = setUp();
    expect(await judge.isNoticed(ofSchema)).toBe(false);
    expect(calls).toEqual(['stop', [['drop table a ();'], ['shared/tables.integration.test.ts']], 'stop']);
  });
});

describe('the tests without any mutation', () => {
  it('run once each, by project', async () => {
    const { judge, calls } = setUp();
    expect(await judge.findFailing([mutation, ofSchema, { ...mutation, noticedBy: ['near-a', 'far'] }])).toBeNull();
    expect(calls).toEqual([
      [[], ['shared/near-a.test.ts', 'shared/near-b.test.ts', 'shared/far.test.ts']],
      [[], ['shared/tables.integration.test.ts']],
    ]);
  });

  it('are reported with the failing file', async () => {
    expect(await setUp(failing('shared/near-a.test.ts')).judge.findFailing([mutation])).toBe('shared/near-a.test.ts');
  });
});
