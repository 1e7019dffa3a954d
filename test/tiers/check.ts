import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import pLimit from 'p-limit';
import { z } from 'zod';
import { root, run } from './commands.ts';
import { resultsVariable, writeResult } from './results.ts';

/** Longest first: nothing long begins when the others have ended. What is not named here comes behind them. */
const longestFirst = ['check:format', 'check:types', 'check:sql', 'check:rooms', 'check:dead'];

/** All scripts called `check:…`, side by side. Ends with 1 where one finds something, whose words are shown then. */
const { scripts } = z
  .object({ scripts: z.record(z.string(), z.string()) })
  .parse(JSON.parse(readFileSync(`${root}/package.json`, 'utf8')));
const named = Object.keys(scripts).filter((name) => name.startsWith('check:'));
const tools = [
  ...longestFirst.filter((name) => named.includes(name)),
  ...named.filter((name) => !longestFirst.includes(name)),
];

/** Types are checked with what this writes; all but the formatter look at it. */
const client = run('npm', ['run', '--silent', 'console:client']);

const limit = pLimit(Math.max(2, availableParallelism()));
const passed = await Promise.all(tools.map((tool) => limit(() => runTool(tool))));
process.exitCode = passed.every(Boolean) ? 0 : 1;

async function runTool(tool: string): Promise<boolean> {
  if (tool !== 'check:format' && (await client) !== 0) return false;
  const beganMs = Date.now();
  let words = '';
  // What one of them would run before it has been run.
  const args = ['run', '--silent', '--ignore-scripts', tool];
  const code = await run('npm', args, { onOutput: (text) => (words += text) });
  const endedMs = Date.now();
  const failed = code !== 0;
  process.stdout.write(`${failed ? '✖' : '✔'} ${tool} ${((endedMs - beganMs) / 1000).toFixed(0)} s\n`);
  if (failed) process.stdout.write(`${words.trimEnd()}\n`);
  const results = process.env[resultsVariable];
  if (results !== undefined)
    writeResult(results, { kind: 'file', tier: 'check', file: tool, beganMs, endedMs, failed });
  return !failed;
}
