import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readConfig } from './config.ts';

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'muster-trigger-'))));
afterAll(() => rmSync(folder, { recursive: true }));

it('a trigger does not start without the secret of the segmentation service', () => {
  const file = join(folder, 'engine.json');
  const segmentation = { url: 'http://segments.test', authorizationEnv: 'SEGMENTS_AUTHORIZATION' };
  writeFileSync(file, JSON.stringify({ segmentation }));
  const environment = {
    DATABASE_URL: 'postgres://muster@127.0.0.1/muster',
    KAFKA_BROKERS: '127.0.0.1:9092',
    MUSTER_CONFIG: file,
    MUSTER_SECRETS_KEY: randomBytes(32).toString('base64'),
  };
  expect(() => readConfig(environment)).toThrow('SEGMENTS_AUTHORIZATION');
  expect(readConfig({ ...environment, SEGMENTS_AUTHORIZATION: 'Bearer it' }).engine.segmentation).toMatchObject(
    segmentation,
  );
});
