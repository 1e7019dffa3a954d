import { rmSync } from 'node:fs';
import { startTestServers } from '../support/test-servers.ts';
import { createMutationJudge } from './judge-mutation.ts';
import { environmentOf, keepVitest } from './kept-vitest.ts';
import { mutations } from './mutations.ts';
import { readSources, testFiles } from './sources.ts';
import { readByTests } from './read-by-tests.ts';
import { copyTree } from './tree.ts';

/**
 * Removes one protection after another from a copy of the tree, and runs the tests that should notice. Ends with 1 if a
 * removal goes unnoticed. Arguments select the mutations whose description, project or tests contain one of these
 * words.
 */
const words = process.argv.slice(2);
const chosen = mutations.filter(
  ({ takesAway, project, noticedBy }) =>
    words.length === 0 || words.some((word) => [takesAway, project, ...noticedBy].some((text) => text.includes(word))),
);
const sources = readSources();

if (chosen.length === 0) throw new Error(`no mutation has ${words.join(' or ')} in it`);
const tree = await copyTree(readByTests);
// The tree is also removed if the run ends early.
process.on('exit', () => rmSync(tree, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
const projects = [...new Set(chosen.map(({ project }) => project))];
/** One Kafka and one Postgres for all tests that need them. */
const servers = projects.includes('integration') ? await startTestServers() : undefined;
const vitest = keepVitest({ tree, projects, environment: servers ? environmentOf(servers) : {} });
process.on('exit', vitest.stop);
try {
  const judge = createMutationJudge({ tree, sources, testFiles, vitest });
  const failing = await judge.findFailing(chosen);
  if (failing !== null) throw new Error(`${failing} fails without any mutation`);
  let noticed = 0;
  for (const mutation of chosen) {
    const isNoticed = await judge.isNoticed(mutation);
    process.stdout.write(`${isNoticed ? 'noticed  ' : 'UNNOTICED'}  without: ${mutation.takesAway}\n`);
    if (isNoticed) noticed += 1;
  }
  process.stdout.write(`${noticed} of ${chosen.length} noticed\n`);
  process.exitCode = noticed < chosen.length ? 1 : 0;
} finally {
  vitest.stop();
  await servers?.stop();
}
