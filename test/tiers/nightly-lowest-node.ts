import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import envPaths from 'env-paths';
import { z } from 'zod';
import { root, run } from './commands.ts';
import { outcomeOfTests, type Came } from './nightly-outcome.ts';
import { readResults, resultsVariable } from './results.ts';
import { runAndShow } from './run-and-show.ts';

/** Returns the lowest version that `engines` of package.json allows: `22.22.0` for `>=22.22`. */
export function lowestNode(engines: string): string {
  const [, major, minor] = /^>=(\d+)\.(\d+)$/.exec(engines) ?? [];
  if (major === undefined || minor === undefined)
    throw new Error(`engines.node ${engines}: expected >=<major>.<minor>`);
  return `${major}.${minor}.0`;
}

/** The demo, the tutorials and the how-to pages, with that Node in every shell. */
export async function runLowestNode(folder: string, withinMs: number): Promise<Came> {
  const untilMs = Date.now() + withinMs;
  const packageFile = z.object({ engines: z.object({ node: z.string() }) });
  const version = lowestNode(
    packageFile.parse(JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))).engines.node,
  );
  const bin = await provideNode(version);
  const results = path.join(folder, 'lowest-node.jsonl');
  const environment = {
    [resultsVariable]: results,
    PATH: [bin, process.env['PATH'] ?? ''].join(path.delimiter),
    npm_config_script_shell: writeShell(folder, bin),
  };
  await expectVersion(version, environment);
  const program = path.join(bin, 'node');
  const left = () => Math.max(1, untilMs - Date.now());
  const vitest = (project: string, files: readonly string[]) =>
    runAndShow(['node_modules/vitest/vitest.mjs', 'run', '--project', project, ...files], left(), {
      program,
      environment,
    });
  const pages = await vitest('e2e', ['test/e2e/tutorials.test.ts', 'test/e2e/how-tos.test.ts']);
  const demo = await vitest('integration', ['cli/demo/demo.integration.test.ts']);
  const ended = [pages, demo].map(({ code }) => ({ code, withinMs }));
  return outcomeOfTests(`tutorials, how-to pages and the demo on Node ${version}`, ended, readResults(results));
}

/** The shell of npm's scripts: npm puts `node_modules/.bin` first, where another Node may lie (`provide-node.mjs`). */
function writeShell(folder: string, bin: string): string {
  const file = path.join(folder, 'shell');
  writeFileSync(file, `#!/bin/sh\nPATH='${bin}':"$PATH" exec /bin/sh "$@"\n`, { mode: 0o755 });
  return file;
}

/** @throws if commands of the pages would run on another Node */
async function expectVersion(version: string, environment: Record<string, string>): Promise<void> {
  const { words } = await runAndShow(['exec', '--call', 'node --version'], 60_000, { program: 'npm', environment });
  if (words.trim() !== `v${version}`) throw new Error(`npm runs scripts on ${words.trim()}, not on ${version}`);
}

/** The folder with the `node` of that version, which npm's registry has as a package for each platform. */
async function provideNode(version: string): Promise<string> {
  const name = `node-${process.platform}-${process.arch}`;
  const cache = process.env['MUSTER_CACHE'] ?? envPaths('muster', { suffix: '' }).cache;
  const folder = path.join(cache, `lowest-node-${version}`);
  const bin = path.join(folder, 'node_modules', name, 'bin');
  if (existsSync(path.join(bin, 'node'))) return bin;
  const args = ['install', '--no-audit', '--no-fund', '--no-save', '--prefix', folder, `${name}@${version}`];
  const code = await run('npm', args);
  if (code !== 0 || !existsSync(path.join(bin, 'node'))) throw new Error(`npm could not install ${name}@${version}`);
  return bin;
}
