import { rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { run } from '../tiers/commands.ts';
import { startTestServers } from '../support/test-servers.ts';
import type { Mutation } from './mutation.ts';
import { mutations } from './mutations.ts';
import { readSources, root } from './sources.ts';
import { copyTree, writeEdits } from './tree.ts';

/**
 * Takes one protection after the other out of a copy of the tree, and runs the tests that should notice. Ends with 1
 * when one goes unnoticed. Words after the command pick the mutations whose description, project or tests hold one of
 * them.
 */
const copied = [
  'services',
  'shared',
  'cli',
  'sdk',
  'benchmarks',
  'test',
  'migrations',
  'package.json',
  'tsconfig.json',
  'vitest.config.ts',
];
/** The tests of one mutation; they take seconds. One that sends a loop round for ever is noticed by that. */
const withinMs = 10 * 60_000;
const words = process.argv.slice(2);
const chosen = mutations.filter(
  ({ takesAway, project, noticedBy }) =>
    words.length === 0 || words.some((word) => [takesAway, project, ...noticedBy].some((text) => text.includes(word))),
);
const sources = readSources();

if (chosen.length === 0) throw new Error(`no mutation has ${words.join(' or ')} in it`);
const tree = await copyTree(copied);
// Also where the run is ended before its time.
process.on('exit', () => rmSync(tree, { recursive: true, force: true }));
/** One Kafka and one Postgres for all of them, where any of their tests asks for these. */
const servers = chosen.some(({ project }) => project === 'integration') ? await startTestServers() : undefined;
try {
  for (const project of ['unit', 'integration'] as const) {
    const tests = chosen.filter((each) => each.project === project).flatMap(({ noticedBy }) => noticedBy);
    if (tests.length > 0 && !(await passes(project, tests, 'inherit')))
      throw new Error('the tests fail without any mutation');
  }
  const unnoticed: string[] = [];
  for (const mutation of chosen) {
    const isNoticed = await withMutation(mutation, async () => !(await passes(mutation.project, mutation.noticedBy)));
    process.stdout.write(`${isNoticed ? 'noticed  ' : 'UNNOTICED'}  without: ${mutation.takesAway}\n`);
    if (!isNoticed) unnoticed.push(mutation.takesAway);
  }
  process.stdout.write(`${chosen.length - unnoticed.length} of ${chosen.length} noticed\n`);
  process.exitCode = unnoticed.length > 0 ? 1 : 0;
} finally {
  await servers?.stop();
}

async function withMutation<Value>({ edits }: Mutation, during: () => Promise<Value>): Promise<Value> {
  const changed = await writeEdits(tree, edits, sources);
  try {
    return await during();
  } finally {
    for (const file of changed) await writeFile(path.join(tree, file), sources.get(file) ?? '');
  }
}

/** @param output shown where a failure is no success, and takes as long as it takes */
async function passes(
  project: Mutation['project'],
  tests: readonly string[],
  output: 'ignore' | 'inherit' = 'ignore',
): Promise<boolean> {
  const vitest = path.join(root, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', '--project', project, '--bail', '1', ...new Set(tests)];
  const given = servers && {
    INFRA: 'external',
    DATABASE_URL: servers.databaseUrl,
    KAFKA_BROKERS: servers.brokers.join(','),
  };
  const bounds = output === 'ignore' ? { withinMs, endsWhole: true, onOutput: () => undefined } : {};
  const code = await run(process.execPath, args, { folder: tree, ...(given && { environment: given }), ...bounds });
  return code === 0;
}
