import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const run = promisify(execFile);
const link = path.join(import.meta.dirname, 'link-command.mjs');

describe('the muster command of a checkout', () => {
  let checkout: string;
  let commands: string;
  beforeEach(async () => {
    checkout = await mkdtemp(path.join(tmpdir(), 'muster link '));
    commands = path.join(checkout, 'node_modules/.bin');
    await mkdir(commands, { recursive: true });
    await mkdir(path.join(checkout, 'cli'));
    await writeFile(path.join(checkout, 'cli/muster.ts'), 'console.log(JSON.stringify(process.argv.slice(2)));\n');
    await run(process.execPath, [link, commands]);
  });
  afterEach(() => rm(checkout, { recursive: true }));

  it('passes its arguments on unchanged, from any folder', async () => {
    const env = { PATH: [commands, path.dirname(process.execPath), process.env['PATH']].join(':') };
    const { stdout } = await run('muster', ['jobs', 'list', 'a "b" $c'], { cwd: tmpdir(), env });
    expect(JSON.parse(stdout)).toEqual(['jobs', 'list', 'a "b" $c']);
  });

  it('runs on the Node in its own folder', async () => {
    const node = path.join(commands, 'node');
    await writeFile(node, '#!/bin/sh\necho the fetched Node, "$2"\n');
    await chmod(node, 0o755);
    const { stdout } = await run(path.join(commands, 'muster'), ['up']);
    expect(stdout).toBe('the fetched Node, up\n');
  });

  it('is written again by each installation', async () => {
    await run(process.execPath, [link, commands]);
    const { stdout } = await run(path.join(commands, 'muster'), ['up']);
    expect(JSON.parse(stdout)).toEqual(['up']);
  });
});
