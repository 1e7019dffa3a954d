import { spawnSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { findTool, installTool } from './install-tool.mjs';

let folder: string;
let source: string;
let cache: string;
let reported: string[];

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'muster-tools-test-'));
  source = path.join(folder, 'saw');
  cache = path.join(folder, 'cache');
  reported = [];
  await mkdir(source);
  const platforms = { 'saw-elsewhere': '1.0.0', 'saw-here': '1.0.0' };
  await writeFile(
    path.join(source, 'package.json'),
    JSON.stringify({ description: 'Saw 1 (2 MB)', optionalDependencies: platforms }),
  );
  await writeFile(path.join(source, 'package-lock.json'), '{}');
});
afterEach(() => rm(folder, { recursive: true }));

/** Returns an npm that records its arguments, and then runs this script. */
async function npmThat(does: string): Promise<NodeJS.ProcessEnv> {
  const file = path.join(folder, 'npm-cli.js');
  const runsFile = JSON.stringify(path.join(folder, 'runs'));
  const notes = `fs.appendFileSync(${runsFile}, JSON.stringify(process.argv.slice(2)) + '\\n');`;
  await writeFile(file, `const fs = require('node:fs');\n${notes}\n${does}`);
  return { npm_execpath: file };
}

const installs = `
  for (const name of ['bin', 'include']) fs.mkdirSync('node_modules/saw-here/' + name, { recursive: true });
  fs.writeFileSync('node_modules/saw-here/bin/saw', fs.readFileSync('package-lock.json'));`;

const install = (environment: NodeJS.ProcessEnv, keep?: string[]) =>
  installTool(source, { cache, environment, report: (line) => reported.push(line), ...(keep && { keep }) });

async function runs(): Promise<string[][]> {
  const text = await readFile(path.join(folder, 'runs'), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => z.array(z.string()).parse(JSON.parse(line)));
}

describe('a tool that is missing on the machine', () => {
  it('is installed once from its lock file, without running its scripts', async () => {
    const npm = await npmThat(installs);
    expect(findTool(source, cache)).toBeUndefined();
    const first = await install(npm);
    expect(await install(npm)).toBe(first);
    expect(findTool(source, cache)).toBe(first);
    expect(await readFile(path.join(first, 'bin/saw'), 'utf8')).toBe('{}');
    const [args, ...more] = await runs();
    expect(args).toEqual(expect.arrayContaining(['ci', '--ignore-scripts', '--include=optional']));
    expect(more).toEqual([]);
    expect(reported).toEqual(['fetching Saw 1 (2 MB), once']);
  });

  it('is installed once and completely by two concurrent processes', async () => {
    const npm = await npmThat(installs);
    const [one, other] = await Promise.all([install(npm), install(npm)]);
    expect(one).toBe(other);
    expect(await readdir(cache)).toHaveLength(1);
  });

  it('is installed after the remains of a killed process were removed', async () => {
    const npm = await npmThat(installs);
    const dead = spawnSync(process.execPath, ['--version']).pid;
    const half = `${path.dirname(path.dirname(await install(npm)))}.${dead}.0badcafe`;
    await rm(cache, { recursive: true });
    await mkdir(path.join(half, 'node_modules'), { recursive: true });
    await install(npm);
    expect(await readdir(cache)).toEqual([path.basename(half).split('.')[0]]);
  });

  it('keeps only the required folders of its package', async () => {
    expect(await readdir(await install(await npmThat(installs), ['bin']))).toEqual(['bin']);
  });

  it('is installed again if its lock file changes, beside the version of other checkouts', async () => {
    const npm = await npmThat(installs);
    const before = await install(npm);
    await writeFile(path.join(source, 'package-lock.json'), '{"packages":{}}');
    const after = await install(npm);
    expect(after).not.toBe(before);
    expect(findTool(source, cache)).toBe(after);
    expect(await readdir(cache)).toHaveLength(2);
  });

  it("reports npm's error if the installation fails, and the next attempt can succeed", async () => {
    const offline = await npmThat(
      `console.error('npm error code ENOTFOUND\\nnpm error network no way'); process.exit(1);`,
    );
    await expect(install(offline)).rejects.toThrow(
      /^Saw 1 \(2 MB\) could not be installed: npm ended with 1; npm error code ENOTFOUND; npm error network no way; .*registry/,
    );
    expect(await readdir(cache)).toEqual([]);
    expect(await readdir(await install(await npmThat(installs)))).toEqual(['bin', 'include']);
  });

  it('is reported as unavailable if it does not exist for the platform', async () => {
    const nothing = await npmThat('');
    await expect(install(nothing)).rejects.toThrow(`there is no Saw 1 (2 MB) for ${process.platform}-${process.arch}`);
    expect(await readdir(cache)).toEqual([]);
  });

  it('is installed with the npm of PATH, and a missing npm is reported', async () => {
    await expect(install({ PATH: folder })).rejects.toThrow(/could not be installed: spawn npm ENOENT/);
    await writeFile(path.join(folder, 'npm'), '#!/bin/sh\n/bin/mkdir -p node_modules/saw-here\n');
    await chmod(path.join(folder, 'npm'), 0o755);
    // The program of another package manager is not npm.
    const environment = { PATH: folder, npm_execpath: path.join(folder, 'yarn.js') };
    expect(path.basename(await install(environment))).toBe('saw-here');
  });
});
