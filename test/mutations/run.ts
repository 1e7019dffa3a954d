import { spawn } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { mutations, type Mutation } from './mutations.ts';

/**
 * Takes one protection after the other out of a copy of the tree, and runs the unit tests that should notice. Ends with 1 when one goes
 * unnoticed, or is not there any more. Words after the command pick the mutations whose description holds them all.
 */
const copied = [
  'services',
  'shared',
  'cli',
  'benchmarks',
  'test',
  'migrations',
  'package.json',
  'tsconfig.json',
  'vitest.config.ts',
];
const root = path.resolve(import.meta.dirname, '../..');
const words = process.argv.slice(2);

const tree = await mkdtemp(path.join(tmpdir(), 'muster-mutations-'));
try {
  for (const name of copied) await cp(path.join(root, name), path.join(tree, name), { recursive: true });
  await symlink(path.join(root, 'node_modules'), path.join(tree, 'node_modules'));
  const chosen = mutations.filter(({ takesAway }) => words.every((word) => takesAway.includes(word)));
  const tests = [...new Set(chosen.flatMap(({ noticedBy }) => noticedBy))];
  if (!(await passes(tests))) throw new Error('the tests fail without any mutation');
  const unnoticed: string[] = [];
  for (const mutation of chosen) {
    const isNoticed = await withMutation(mutation, async () => !(await passes(mutation.noticedBy)));
    process.stdout.write(`${isNoticed ? 'noticed  ' : 'UNNOTICED'}  without: ${mutation.takesAway}\n`);
    if (!isNoticed) unnoticed.push(mutation.takesAway);
  }
  process.exitCode = unnoticed.length > 0 ? 1 : 0;
} finally {
  await rm(tree, { recursive: true, force: true });
}

async function withMutation<Value>(
  { file, text, replacement }: Mutation,
  during: () => Promise<Value>,
): Promise<Value> {
  const target = path.join(tree, file);
  const original = await readFile(target, 'utf8');
  if (original.split(text).length !== 2) throw new Error(`${file} does not hold this exactly once any more:\n${text}`);
  await writeFile(
    target,
    original.replace(text, () => replacement),
  );
  try {
    return await during();
  } finally {
    await writeFile(target, original);
  }
}

function passes(tests: readonly string[]): Promise<boolean> {
  const vitest = path.join(root, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', '--project', 'unit', '--bail', '1', ...tests];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: tree, stdio: 'ignore' });
    child.once('error', reject);
    child.once('exit', (code) => {
      resolve(code === 0);
    });
  });
}
