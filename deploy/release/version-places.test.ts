import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { packageVersion } from '../../shared/runtime/version.ts';
import { findVersions, writeVersion } from './version-places.ts';

const root = path.join(import.meta.dirname, '../..');
const copies: string[] = [];
afterEach(() => {
  for (const copy of copies.splice(0)) rmSync(copy, { recursive: true });
});

it('every file that contains the version of Muster has the version of package.json, and is listed once', () => {
  expect(findVersions(root).filter(({ version }) => version !== packageVersion)).toEqual([]);
  const files = findVersions(root).map(({ file }) => file);
  expect(files).toEqual([...new Set(files)]);
  expect(files).toEqual(
    expect.arrayContaining([
      'package-lock.json',
      'sdk/package.json',
      'sdk/python/pyproject.toml',
      'sdk/java/pom.xml',
      'deploy/Dockerfile',
      'deploy/helm/muster/Chart.yaml',
    ]),
  );
});

it('writeVersion writes another version into every file that names it, and changes nothing else', () => {
  const copy = mkdtempSync(path.join(tmpdir(), 'muster-versions-'));
  copies.push(copy);
  for (const { file } of findVersions(root)) cpSync(path.join(root, file), path.join(copy, file), { recursive: true });

  writeVersion(copy, '7.8.9-rc.1');
  expect(new Set(findVersions(copy).map(({ version }) => version))).toEqual(new Set(['7.8.9-rc.1']));
  writeVersion(copy, packageVersion);
  expect(findVersions(copy)).toEqual(findVersions(root));
});
