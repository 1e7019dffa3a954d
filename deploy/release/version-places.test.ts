import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { packageVersion } from '../../shared/runtime/version.ts';
import { saidVersions, writeVersion } from './version-places.ts';

const root = path.join(import.meta.dirname, '../..');
const copies: string[] = [];
afterEach(() => {
  for (const copy of copies.splice(0)) rmSync(copy, { recursive: true });
});

it('every file that says the version says that of the package, once', () => {
  expect(saidVersions(root).filter(({ version }) => version !== packageVersion)).toEqual([]);
  const files = saidVersions(root).map(({ file }) => file);
  expect(files).toEqual([...new Set(files)]);
  expect(files).toEqual(
    expect.arrayContaining([
      'package-lock.json',
      'sdk/package.json',
      'deploy/Dockerfile',
      'deploy/helm/muster/Chart.yaml',
    ]),
  );
});

it('another version is written into all of them, and nothing beside it', () => {
  const copy = mkdtempSync(path.join(tmpdir(), 'muster-versions-'));
  copies.push(copy);
  for (const { file } of saidVersions(root)) cpSync(path.join(root, file), path.join(copy, file), { recursive: true });

  writeVersion(copy, '7.8.9-rc.1');
  expect(new Set(saidVersions(copy).map(({ version }) => version))).toEqual(new Set(['7.8.9-rc.1']));
  writeVersion(copy, packageVersion);
  expect(saidVersions(copy)).toEqual(saidVersions(root));
});
