import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ensureConsoleBuilt } from '../../services/console/built-console.ts';
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
/** They need programs that not everybody has. */
const left = ['failover', 'alerts', 'chart'];
const passed = isWhole ? await runAll() : await runFirst();

const results = readResults(resultsFile);
if (isWhole) process.stdout.write(`\n${renderRows(results, namedRows(root))}\n`);
process.stdout.write(`\n${renderTiers(summarize(results))}\n`);
process.exitCode = checked === 0 && passed ? 0 : 1;

async function runAll(): Promise<boolean> {
  return (await runVitest(projects(...left.map((name) => `!${name}`)), { environment })) === 0;
}

/**
 * First what computes alone. The others mostly wait: integration, shown as it comes, beside e2e and then browser, with
 * servers of their own; what these wrote is shown when all have ended.
 */
async function runFirst(): Promise<boolean> {
  const computing = await runVitest(projects('unit', 'console', 'simulation'), { environment });
  // Both of the next would build it. Where it cannot be built, they say so.
  await ensureConsoleBuilt().catch(() => undefined);
  let words = '';
  const onOutput = (text: string) => (words += text);
  const waiting = await Promise.all([
    runVitest(projects('integration'), { environment }),
    runVitest(projects('e2e', 'browser'), { environment, onOutput }),
  ]);
  process.stdout.write(words);
  return [computing, ...waiting].every((code) => code === 0);
}

function projects(...names: string[]): string[] {
  return names.flatMap((name) => ['--project', name]);
}
