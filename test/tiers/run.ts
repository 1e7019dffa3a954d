import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { root, run, runVitest } from './commands.ts';
import { namedRows, renderRows } from './fault-rows.ts';
import { inLanes, type Part } from './lanes.ts';
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
  return (
    (await runVitest(
      left.flatMap((name) => ['--project', `!${name}`]),
      { environment },
    )) === 0
  );
}

/** The last two mostly wait: side by side, each with servers of its own. What one wrote is shown when it has ended. */
async function runFirst(): Promise<boolean> {
  const quick = ['unit', 'console', 'simulation', 'integration'].flatMap((name) => ['--project', name]);
  const codes = [await runVitest(quick, { environment })];
  const slow: (Part & { tier: string })[] = [{ tier: 'e2e' }, { tier: 'browser' }];
  await inLanes(slow, 2, async ({ tier }) => {
    let words = '';
    const onOutput = (text: string) => (words += text);
    codes.push(await runVitest(['--project', tier], { environment, onOutput }));
    process.stdout.write(words);
  });
  return codes.every((code) => code === 0);
}
