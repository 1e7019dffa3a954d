import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { checkBudget } from './check-budget.ts';

const manifest = {
  'index.html': { file: 'assets/index.js', isEntry: true, imports: ['_shared.js'], css: ['assets/index.css'] },
  '_shared.js': { file: 'assets/shared.js' },
  'src/views/big.tsx': { file: 'assets/big.js', imports: ['index.html'] },
};

async function built(sizes: Record<string, number>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-console-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, 'assets'));
  await writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest));
  // Random bytes do not get smaller by compression.
  const files = Object.entries({ 'index.js': 1000, 'shared.js': 1000, 'index.css': 1000, 'big.js': 1000, ...sizes });
  await Promise.all(files.map(([name, bytes]) => writeFile(join(folder, 'assets', name), randomBytes(bytes))));
  return folder;
}

test('the initial load of the console is its entry with styles and imports, without views that are opened later', async () => {
  const { bytes } = await checkBudget(await built({ 'big.js': 900_000 }));
  expect(bytes).toBeGreaterThan(3000);
  expect(bytes).toBeLessThan(4000);
});

test('an initial load above 350 KiB fails the build and lists the files, largest first', async () => {
  await expect(checkBudget(await built({ 'shared.js': 400_000 }))).rejects.toThrow(
    /the limit is 358400: assets\/shared\.js \d+, /,
  );
});
