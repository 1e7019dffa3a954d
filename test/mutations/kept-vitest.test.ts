import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { keepVitest } from './kept-vitest.ts';
import { root } from './sources.ts';

const tree = mkdtempSync(path.join(tmpdir(), 'kept-vitest-'));
const write = (file: string, text: string) => writeFileSync(path.join(tree, file), text);
const testOf = (name: string) =>
  `import { it } from 'vitest'; import { ${name} } from './${name}.ts';
   it('is sound', () => { if (!${name}()) throw new Error('changed'); });`;

write('package.json', '{ "type": "module" }');
write(
  'vitest.config.ts',
  `export default { test: { projects: [{ test: { name: 'unit', include: ['*.test.ts'] } }] } };`,
);
for (const name of ['a', 'b']) {
  write(`${name}.ts`, `export const ${name} = () => true;`);
  write(`${name}.test.ts`, testOf(name));
}
symlinkSync(path.join(root, 'node_modules'), path.join(tree, 'node_modules'));
const vitest = keepVitest({ tree, projects: ['unit'], environment: {} });
afterAll(() => {
  vitest.stop();
  rmSync(tree, { recursive: true });
});

const within = 20_000;
const runBoth = (changedFile: string) => {
  const tests = ['a', 'b'].map((name) => ({ project: 'unit', file: `${name}.test.ts` }));
  return vitest.run({ changedFiles: [changedFile], tests }, within);
};

it('a reused Vitest runs the current files, after a change and after the change is undone', async () => {
  const passed = { passed: true, failedTest: null };
  expect(await runBoth('a.ts')).toEqual(passed);
  write('a.ts', 'export const a = () => false;');
  expect(await runBoth('a.ts')).toEqual({ passed: false, failedTest: { project: 'unit', file: 'a.test.ts' } });
  write('a.ts', 'export const a = () => true;');
  expect(await runBoth('b.ts')).toEqual(passed);
  write('b.ts', 'export const b = () => { for (;;); };');
  expect(
    await vitest.run({ changedFiles: ['b.ts'], tests: [{ project: 'unit', file: 'b.test.ts' }] }, 1000),
  ).toBeNull();
  write('b.ts', 'export const b = () => true;');
  expect(await runBoth('b.ts')).toEqual(passed);
});
