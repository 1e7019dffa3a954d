import { globSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { root, runVitest } from './commands.ts';
import { firstBrowserTests, firstEndToEndTests, laterIntegrationTests, shortenedTests } from './first-tests.ts';
import { namedRows, renderRows } from './fault-rows.ts';
import { inLanes, type Part } from './lanes.ts';
import { renderTiers } from './render-tiers.ts';
import { readResults, resultsVariable, summarize, writeResult } from './results.ts';

/**
 * What `npm test` leaves out, as much of it as fits: `node test/tiers/rest.ts --minutes 30`. One process for each file,
 * with servers of its own, the telling ones first; two at once, as they mostly wait, but for those that compare times.
 * What one of them wrote is shown when it has ended. What there is no time for is named, and has not failed.
 */
const { values } = parseArgs({ options: { minutes: { type: 'string', default: '30' } } });
const resultsFile = process.env[resultsVariable];
if (resultsFile === undefined) throw new Error(`${resultsVariable} has to name the file that results are written to`);
const endMs = Date.now() + Number(values.minutes) * 60_000;
/** Starting the servers and one scenario takes about this long. */
const leastMs = 90_000;

/** Compares times, too. */
const firstOfAll = 'test/faults/negative-controls.test.ts';
const firstFaults = [
  'callbacks-negative-controls',
  'killed-workers',
  'lost-answers',
  'poison',
  'dispatchers',
  'postgres',
  'control',
].map((name) => `test/faults/${name}.test.ts`);
const nextFaults = ['budgets', 'triggers', 'frozen-workers', 'schedulers'].map((name) => `test/faults/${name}.test.ts`);
/** Times and rates with a fault are compared with those without. */
const timed = [
  'callbacks-endpoints',
  'callbacks-names',
  'callbacks-neighbours',
  'neighbours',
  'topics',
  'slow-workers',
  'long-readers',
  'strangers',
  'aged-campaigns',
].map((name) => `test/faults/${name}.test.ts`);
const filesOf = (pattern: string, without: readonly string[]) =>
  globSync(pattern, { cwd: root })
    .toSorted()
    .filter((file) => !without.includes(file));

const otherFaults = filesOf('test/faults/**/*.test.ts', [firstOfAll, ...firstFaults, ...nextFaults, ...timed]);

interface RestPart extends Part {
  tier: string;
  file: string;
}

const parts: RestPart[] = [
  { tier: 'faults', file: firstOfAll, alone: true },
  { tier: 'alerts', file: 'test/alerts/promtool.test.ts' },
  ...filesOf('test/chart/*.test.ts', []).map((file) => ({ tier: 'chart', file })),
  ...firstFaults.map((file) => ({ tier: 'faults', file })),
  ...shortenedTests,
  ...laterIntegrationTests.map((file) => ({ tier: 'integration', file })),
  ...filesOf('test/e2e/*.test.ts', firstEndToEndTests).map((file) => ({ tier: 'e2e', file })),
  ...filesOf('test/browser/*.test.ts', firstBrowserTests).map((file) => ({ tier: 'browser', file })),
  { tier: 'simulation', file: 'test/simulation/walks.test.ts' },
  ...nextFaults.map((file) => ({ tier: 'faults', file })),
  ...timed.map((file) => ({ tier: 'faults', file, alone: true })),
  ...otherFaults.map((file) => ({ tier: 'faults', file })),
];

const failed: string[] = [];
await inLanes(parts, 2, async ({ tier, file }) => {
  const beganMs = Date.now();
  let words = '';
  const options = {
    environment: { MUSTER_FIGURES: path.join(root, 'test/faults/figures', path.basename(file, '.test.ts')) },
    onOutput: (text: string) => (words += text),
    withinMs: endMs - beganMs,
  };
  const code = options.withinMs < leastMs ? null : await runVitest(['--project', tier, file], options);
  if (code === null) writeResult(resultsFile, { kind: 'not-reached', tier, file });
  else if (code !== 0) failed.push(file);
  const minutes = ((Date.now() - beganMs) / 60_000).toFixed(1);
  const how = code === null ? 'was not reached' : `ended with ${code} after ${minutes} min`;
  process.stdout.write(`\n── ${file} ${how}\n${words.trimEnd()}\n`);
});

const results = readResults(resultsFile);
process.stdout.write(`\n${renderRows(results, namedRows(root))}\n\n${renderTiers(summarize(results))}\n`);
process.exitCode = failed.length > 0 ? 1 : 0;
