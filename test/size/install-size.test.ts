import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { measureInstall } from './install-size.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'muster-size-test-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function write(file: string, bytes: number): Promise<void> {
  await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
  await writeFile(path.join(folder, file), 'x'.repeat(bytes));
}

test('measureInstall counts files and folders in whole blocks, by package', async () => {
  await write('small/index.js', 1);
  await write('@scope/large/lib/index.js', 4097);
  await write('@scope/large/node_modules/other/index.js', 4096);
  await write('@scope/empty/index.js', 0);
  expect(measureInstall(folder)).toEqual({
    bytes: (2 + 7 + 1) * 4096,
    packages: [
      { name: '@scope/large', bytes: 7 * 4096 },
      { name: 'small', bytes: 2 * 4096 },
      { name: '@scope/empty', bytes: 4096 },
    ],
  });
});

test('measureInstall excludes caches of tools and links', async () => {
  await write('.cache/prettier/large', 100_000);
  await write('one/index.js', 1);
  await symlink('index.js', path.join(folder, 'one/link.js'));
  expect(measureInstall(folder).bytes).toBe(2 * 4096);
});
