import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { examineInstallation } from './examine-installation.ts';

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'muster-doctor-'))));
afterAll(() => rmSync(folder, { recursive: true }));

function fileWith(countries: string[]): string {
  const path = join(folder, 'engine.json');
  const service = { url: 'http://rewards.test', class: 'A', authorizationEnv: 'REWARDS_AUTHORIZATION' };
  const segmentation = { url: 'http://segments.test', authorizationEnv: 'SEGMENTS_AUTHORIZATION' };
  writeFileSync(path, JSON.stringify({ countries, segmentation, actionTypes: { 'award-reward': service } }));
  return path;
}

test('a doctor misses the secrets that the file names', async () => {
  const MUSTER_CONFIG = fileWith(['SG']);
  const missing = await examineInstallation({ MUSTER_CONFIG, SEGMENTS_AUTHORIZATION: 'Bearer a' });
  expect(missing.find(({ name }) => name === 'secrets')).toMatchObject({
    ok: false,
    found: 'REWARDS_AUTHORIZATION is not set, and authorizationEnv names it',
  });
  const there = await examineInstallation({
    MUSTER_CONFIG,
    SEGMENTS_AUTHORIZATION: 'Bearer a',
    REWARDS_AUTHORIZATION: 'Bearer b',
  });
  expect(there.map(({ ok, found }) => [ok, found])).toEqual([
    [true, 'SG; award-reward'],
    [true, 'all 2 are there'],
  ]);
});

test('a doctor sees countries that repeat', async () => {
  const [file] = await examineInstallation({ MUSTER_CONFIG: fileWith(['SG', 'SG']) });
  expect(file).toMatchObject({ ok: false });
  expect(file?.found).toContain('countries names SG more than once');
});
