import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { unpackChromium } from './unpack-chromium.ts';

/** A package that is unpacked into the folder for temporary files, as the real one is. */
async function packageThat(unpacks: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-unpack-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, 'build/esm'), { recursive: true });
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  const lines = [
    `import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';`,
    `import { tmpdir } from 'node:os';`,
    `const runs = ${JSON.stringify(join(folder, 'runs'))};`,
    `export default { async executablePath() { ${unpacks} } };`,
  ];
  await writeFile(join(folder, 'build/esm/index.js'), lines.join('\n'));
  return folder;
}

const whole = `
  appendFileSync(runs, process.env.AWS_LAMBDA_JS_RUNTIME + '\\n');
  mkdirSync(tmpdir() + '/fonts');
  writeFileSync(tmpdir() + '/fonts/fonts.conf', '<dir>/tmp/fonts</dir>');
  writeFileSync(tmpdir() + '/chromium', 'the browser');`;

test('unpackChromium unpacks Chromium once, beside its package, with its libraries', async () => {
  const folder = await packageThat(whole);
  const unpacked = await unpackChromium(folder);
  expect(await unpackChromium(folder)).toBe(unpacked);
  expect(unpacked.startsWith(folder)).toBe(true);
  expect(await readFile(join(unpacked, 'chromium'), 'utf8')).toBe('the browser');
  expect(await readFile(join(folder, 'runs'), 'utf8')).toBe('nodejs22.x\n');
});

test('unpackChromium configures the folder of its fonts', async () => {
  const unpacked = await unpackChromium(await packageThat(whole));
  expect(await readFile(join(unpacked, 'fonts/fonts.conf'), 'utf8')).toContain('<dir prefix="relative">fonts</dir>');
});

test('concurrent calls of unpackChromium return the same folder and leave no other files', async () => {
  const folder = await packageThat(whole);
  const [one, other] = await Promise.all([unpackChromium(folder), unpackChromium(folder)]);
  expect(one).toBe(other);
  expect((await readdir(folder)).sort()).toEqual(['build', 'package.json', 'runs', 'unpacked']);
});

test('a failed unpackChromium leaves no partial files and throws the cause', async () => {
  const folder = await packageThat(`writeFileSync(tmpdir() + '/chromium', 'half'); throw new Error('no space left');`);
  await expect(unpackChromium(folder)).rejects.toThrow('no space left');
  expect((await readdir(folder)).sort()).toEqual(['build', 'package.json']);
});
