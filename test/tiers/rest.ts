import { globSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { root, runVitest } from './commands.ts';
import { firstBrowserTests, firstEndToEndTests, shortenedTests } from './first-tests.ts';
import { namedRows, renderRows } from './fault-rows.ts';
import { renderTiers } from './render-tiers.ts';
import { readResults, resultsVariable, summarize, writeResult } from './results.ts';

/**
 * What `npm test` leaves out, as much of it as fits: `node test/tiers/rest.ts --minutes 30`. One process for each file,
 * the telling ones first; what there is no time for is named, and has not failed.
 */
const { values } = parseArgs({ options: { minutes: { type: 'string', default: '30' } } });
const resultsFile = process.env[resultsVariable];
if (resultsFile === undefined) throw new Error(`${resultsVariable} has to name the file that results are written to`);
const endMs = Date.now() + Number(values.minutes) * 60_000;
/** Starting the servers and one scenario takes about this long. */
const leastMs = 90_000;

const firstFaults = [
  'negative-controls',
  'callbacks-negative-controls',
  'killed-workers',
  'lost-answers',
  'poison',
  'dispatchers',
  'postgres',
  'control',
].map((name) => `test/faults/${name}.test.ts`);
const nextFaults = ['budgets', 'triggers', 'frozen-workers', 'schedulers'].map((name) => `test/faults/${name}.test.ts`);
const filesOf = (pattern: string, without: readonly string[]) =>
  globSync(pattern, { cwd: root })
    .toSorted()
    .filter((file) => !without.includes(file));

const parts = [
  ...firstFaults.map((file) => ({ tier: 'faults', file })),
  ...shortenedTests.map((file) => ({ tier: 'e2e', file })),
  ...filesOf('test/e2e/*.test.ts', firstEndToEndTests).map((file) => ({ tier: 'e2e', file })),
  ...filesOf('test/browser/*.test.ts', firstBrowserTests).map((file) => ({ tier: 'browser', file })),
  { tier: 'simulation', file: 'test/simulation/walks.test.ts' },
  ...nextFaults.map((file) => ({ tier: 'faults', file })),
  ...filesOf('test/faults/**/*.test.ts', [...firstFaults, ...nextFaults]).map((file) => ({ tier: 'faults', file })),
];

let hasFailed = false;
for (const { tier, file } of parts) {
  const leftMs = endMs - Date.now();
  const code = leftMs < leastMs ? null : await runVitest(['--project', tier, file], { withinMs: leftMs });
  if (code === null) writeResult(resultsFile, { kind: 'not-reached', tier, file });
  else hasFailed ||= code !== 0;
}

const results = readResults(resultsFile);
process.stdout.write(`\n${renderRows(results, namedRows(root))}\n\n${renderTiers(summarize(results))}\n`);
process.exitCode = hasFailed ? 1 : 0;
