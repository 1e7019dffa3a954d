import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { candidates, launchBrowser } from './launch-browser.ts';

async function folderWith(...names: string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-browsers-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const name of names) {
    await writeFile(join(folder, name), '#!/bin/sh\necho this is no browser >&2\nexit 1\n');
    await chmod(join(folder, name), 0o755);
  }
  return folder;
}

async function firstOf(environment: NodeJS.ProcessEnv): Promise<string | undefined> {
  for await (const { executablePath } of candidates(environment)) return executablePath;
  return undefined;
}

test('CHROMIUM_PATH is the only browser that is tried if it is set', async () => {
  const folder = await folderWith('mine', 'chromium');
  const found: string[] = [];
  for await (const { name } of candidates({ CHROMIUM_PATH: join(folder, 'mine'), PATH: folder })) found.push(name);
  expect(found).toEqual(['CHROMIUM_PATH']);
});

test('an installed Chromium is preferred to Chrome', async () => {
  const folder = await folderWith('google-chrome', 'chromium');
  expect(await firstOf({ PATH: folder })).toBe(join(folder, 'chromium'));
});

test('launchBrowser throws an error with the tried browsers and the package to install if none starts', async () => {
  const folder = await folderWith('mine');
  await expect(launchBrowser({ CHROMIUM_PATH: join(folder, 'mine') })).rejects.toThrow(
    /no browser starts.*apt-get install chromium.*CHROMIUM_PATH: /s,
  );
});

test('launchBrowser starts the browser in English whatever the locale, because charts break without a language', async () => {
  const folder = await folderWith('mine');
  const recorded = join(folder, 'noted');
  await writeFile(join(folder, 'mine'), `#!/bin/sh\necho "$LANG $LC_ALL $LANGUAGE" > '${recorded}'\nexit 1\n`);
  const environment = { CHROMIUM_PATH: join(folder, 'mine'), LANG: 'C', LC_ALL: 'C', LANGUAGE: 'de' };
  await expect(launchBrowser(environment)).rejects.toThrow('no browser starts');
  expect(await readFile(recorded, 'utf8')).toBe('en_US.UTF-8 en_US.UTF-8 en_US\n');
});

test('launchBrowser throws the cause if no browser is installed or downloadable', async () => {
  const folder = await folderWith();
  const npm = join(folder, 'npm-cli.js');
  await writeFile(npm, `console.error('npm error code ENOTFOUND'); process.exit(1);`);
  await expect(launchBrowser({ PATH: folder, MUSTER_CACHE: join(folder, 'cache'), npm_execpath: npm })).rejects.toThrow(
    /no browser starts.*Tried: @sparticuz\/chromium: Chromium 147 .* could not be installed: .*ENOTFOUND/,
  );
});
