import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { root, run, runVitest } from './commands.ts';
import { namedRows, renderRows } from './fault-rows.ts';
import { renderTiers } from './render-tiers.ts';
import { readResults, resultsVariable, summarize } from './results.ts';

/**
 * `npm test`: the checks, then each tier, of the slow ones what a change breaks first. `npm run test:all` (`--all`):
 * everything, with all faults, row by row. All of it runs, also when something before it failed; ends with 1 then.
 */
const isWhole = process.argv.includes('--all');
const resultsFile =
  process.env[resultsVariable] ?? path.join(mkdtempSync(path.join(tmpdir(), 'muster-tests-')), 'results.jsonl');
const environment: Record<string, string> = { [resultsVariable]: resultsFile };
if (!isWhole) environment['MUSTER_TESTS'] = 'first';

const checked = await run(process.execPath, [path.join(import.meta.dirname, 'check.ts')], { environment });
/** The first three need programs that not everybody has. */
const left = ['failover', 'alerts', 'chart', ...(isWhole ? [] : ['faults'])];
const tested = await runVitest(
  left.flatMap((name) => ['--project', `!${name}`]),
  { environment },
);

const results = readResults(resultsFile);
if (isWhole) process.stdout.write(`\n${renderRows(results, namedRows(root))}\n`);
process.stdout.write(`\n${renderTiers(summarize(results))}\n`);
process.exitCode = checked === 0 && tested === 0 ? 0 : 1;
