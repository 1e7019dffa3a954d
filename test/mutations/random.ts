import { rmSync } from 'node:fs';
import { startTestServers } from '../support/test-servers.ts';
import { drawMutants, listMutants, shardOf } from './draw-mutants.ts';
import { environmentOf, keepVitest } from './kept-vitest.ts';
import type { TestFile } from './kept-vitest-messages.ts';
import { createRelatedTests, readImporters } from './related-tests.ts';
import { createMutantJudge, type Judgement } from './judge-mutant.ts';
import type { Mutant } from './mutant.ts';
import { readRandomOptions } from './random-options.ts';
import { countOf, describeMutant, reachesGoal, renderJudgements } from './render-judgements.ts';
import { isRefusedByLint, lintConfiguration } from './lint-file.ts';
import { readSources } from './sources.ts';
import { readByTests } from './read-by-tests.ts';
import { copyTree } from './tree.ts';

/**
 * Makes random changes to a copy of the tree, one at a time, and runs the tests that import the changed file. Ends with
 * 1 if less than the goal is noticed. `--count`, `--seed`, `--shard 1/4`, `--nearest`,
 * `--integration`, `--only unit`, or `--at file:line`.
 */
/** Number of random walks that finds most faults. The nightly run has far more walks, without mutations. */
const seeds = '50';
const { count, seed, shard, at, nearest, projects } = readRandomOptions(process.argv.slice(2));
const sources = readSources();
const all = listMutants(sources);
const isNamed = ({ file, line, kind }: Mutant) =>
  at.includes(`${file}:${line}`) || at.includes(`${file}:${line}:${kind}`);
const chosen = at.length > 0 ? all.filter(isNamed) : shardOf(drawMutants(all, count, seed), shard);
if (chosen.length === 0)
  throw new Error(at.length > 0 ? `nothing can be changed at ${at.join(', ')}` : 'nothing was drawn');
if (at.length === 0) {
  const part = `part ${shard.index}/${shard.of} of ${count}`;
  process.stdout.write(`seed ${seed}, ${part}: ${chosen.length} of ${all.length} changes\n`);
}

const tree = await copyTree([...readByTests, lintConfiguration]);
process.on('exit', () => rmSync(tree, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
const servers = projects.includes('integration') ? await startTestServers() : undefined;
const vitest = keepVitest({
  tree,
  projects,
  environment: {
    SEEDS: seeds,
    ...(servers && environmentOf(servers)),
  },
});
process.on('exit', vitest.stop);
const relatedTests = createRelatedTests(readImporters(), projects);
const isRefused = (file: string) => isRefusedByLint(tree, file);
const onUnsound = ({ file }: TestFile) => process.stdout.write(`left out, as it fails without any change: ${file}\n`);
try {
  const judge = createMutantJudge({ tree, sources, relatedTests, vitest, nearest, onUnsound, isRefused });
  const judgements: Judgement[] = [];
  for (const mutant of chosen) {
    const startedMs = performance.now();
    const judgement = await judge(mutant);
    judgements.push(judgement);
    const seconds = Math.round((performance.now() - startedMs) / 1000);
    const place = `${judgements.length}/${chosen.length}`;
    const { verdict, by } = judgement;
    process.stdout.write(`${place} ${verdict} by ${by}, ${seconds} s: ${describeMutant(mutant)}\n`);
  }
  process.stdout.write(`\n${renderJudgements(judgements)}\n`);
  process.exitCode = reachesGoal(countOf('all', judgements)) ? 0 : 1;
} finally {
  vitest.stop();
  await servers?.stop();
}
