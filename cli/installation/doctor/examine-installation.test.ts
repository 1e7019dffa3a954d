import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { checkEndpoints } from './check-endpoints.ts';
import { examineInstallation } from './examine-installation.ts';
import { createTopics } from '../topics.ts';

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

test('muster doctor reports missing secrets that the configuration file names', async () => {
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
    [false, 'nobody answers at http://segments.test, http://rewards.test'],
  ]);
});

test('muster doctor connects to each address of the called services once', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = (path: string) => ({ url: `http://127.0.0.1:${port}/${path}` });
  const ended = [url('a'), url('b')];
  expect(await checkEndpoints(ended)).toMatchObject([
    { ok: true, found: `connections are taken at http://127.0.0.1:${port}` },
  ]);
  server.close();
  await once(server, 'close');
  expect(await checkEndpoints(ended)).toMatchObject([
    { ok: false, found: `nobody answers at http://127.0.0.1:${port}` },
  ]);
});

test('muster doctor reports all problems at once instead of stopping at the first', async () => {
  const environment = { DATABASE_URL: 'no url', KAFKA_BROKERS: 'no broker', MUSTER_CONFIG: join(folder, 'none.json') };
  const wrong = (await examineInstallation(environment)).filter(({ ok }) => !ok).map(({ found }) => found);
  for (const what of ['DATABASE_URL', 'KAFKA_BROKERS', 'MUSTER_CONFIG']) expect(wrong.join('\n'), what).toContain(what);
});

test('muster doctor reports a country that the configuration names twice', async () => {
  const [file] = await examineInstallation({ MUSTER_CONFIG: fileWith(['SG', 'SG']) });
  expect(file).toMatchObject({ ok: false });
  expect(file?.found).toContain('countries names SG more than once');
});

test('muster doctor and `muster topics` report a broker that accepts connections but never answers', async () => {
  const frozen = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void frozen.close());
  await once(frozen, 'listening');
  const { port } = frozen.address() as AddressInfo;
  const broker = `127.0.0.1:${port}`;
  const cause = `no broker of KAFKA_BROKERS answers (${broker}: does not answer within 1.5 s)`;
  const checks = await examineInstallation({ MUSTER_CONFIG: fileWith(['SG']), KAFKA_BROKERS: broker });
  expect(checks.find(({ name }) => name === 'brokers')).toMatchObject({ ok: false, found: cause });
  await expect(createTopics({ brokers: [broker], security: undefined }, [])).rejects.toThrow(cause);
});
