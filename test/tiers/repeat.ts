import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { root, runVitest } from './commands.ts';
import { startForeignLoad } from './foreign-load.ts';
import { readRepeatOptions, type RepeatOptions } from './repeat-options.ts';
import { judgeRun, renderRate, renderRun, type RepeatedRun } from './repeated-runs.ts';
import { readResults, resultsVariable, type Result } from './results.ts';

/**
 * `npm run test:repeat -- <file> --times 20 --load 4`: runs one test file so many times, beside as many busy processes,
 * and prints the rate of failures. Each run is a process with servers of its own. Ends with 1 if a run has failed.
 */
const { file, times, load } = readOptions();
const folder = mkdtempSync(path.join(tmpdir(), 'muster-repeat-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

const endLoad = startForeignLoad(load);
const runs: RepeatedRun[] = [];
for (let index = 0; index < times; index++) {
  const resultsFile = path.join(folder, `${index}.jsonl`);
  const beganMs = Date.now();
  let output = '';
  const code = await runVitest([file], {
    environment: { [resultsVariable]: resultsFile, MUSTER_FIGURES: path.join(folder, 'figures') },
    onOutput: (text) => (output += text),
    endsWhole: true,
  });
  const results = readResults(resultsFile);
  const run = { seconds: (Date.now() - beganMs) / 1000, failures: judgeRun(code, results) };
  runs.push(run);
  process.stdout.write(`${renderRun(index, times, run)}\n`);
  if (run.failures.length > 0) process.stdout.write(`${describeFailures(results, output)}\n`);
}
endLoad();
process.stdout.write(`\n${renderRate(file, load, runs)}\n`);
process.exitCode = runs.some(({ failures }) => failures.length > 0) ? 1 : 0;

/** The reasons that the tests gave, or else the end of the output. */
function describeFailures(results: readonly Result[], output: string): string {
  const reasons = results.flatMap((line) => ('why' in line && line.why !== undefined ? [line.why] : []));
  return (reasons.length > 0 ? reasons.join('\n') : output.trimEnd().split('\n').slice(-40).join('\n'))
    .split('\n')
    .map((line) => `    | ${line}`)
    .join('\n');
}

function readOptions(): RepeatOptions {
  try {
    const options = readRepeatOptions(process.argv.slice(2));
    if (!existsSync(path.join(root, options.file))) throw new Error(`there is no file ${options.file}`);
    return options;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(2);
  }
}
