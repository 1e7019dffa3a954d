import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from './config.ts';

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'muster-worker-'))));
afterAll(() => rmSync(folder, { recursive: true }));

const rewards = { url: 'http://rewards.test/v1/batches', class: 'A', timeoutMs: 10_000 };
const points = { ...rewards, authorizationEnv: 'POINTS_AUTHORIZATION' };

/** Reads a configuration with the action types rewards and points, and the countries Singapore and Indonesia. */
function read(environment: NodeJS.ProcessEnv) {
  const file = join(folder, 'engine.json');
  const engine = { countries: ['SG', 'ID'], segmentation: { url: 'http://segments.test' } };
  writeFileSync(file, JSON.stringify({ ...engine, actionTypes: { rewards, points } }));
  return readConfig({
    DATABASE_URL: 'postgres://muster@127.0.0.1/muster',
    KAFKA_BROKERS: '127.0.0.1:9092',
    MUSTER_CONFIG: file,
    MUSTER_SECRETS_KEY: randomBytes(32).toString('base64'),
    ...environment,
  });
}

const secret = { POINTS_AUTHORIZATION: 'Bearer it' };

describe('the configuration of a worker', () => {
  it('serves all action types and countries by default', () => {
    expect(read(secret).scope).toEqual({ actionTypes: undefined, countries: ['SG', 'ID'], leaseMs: 30_000 });
  });

  it('is rejected if the secret of an action type is missing', () => {
    expect(() => read({})).toThrow('POINTS_AUTHORIZATION');
  });

  it('is rejected if WORKER_COUNTRIES contains a country that the engine does not have', () => {
    expect(() => read({ ...secret, WORKER_COUNTRIES: 'SG, TH' })).toThrow('WORKER_COUNTRIES names TH');
  });

  it.each([
    ['20000', undefined],
    ['19999', 'WORKER_LEASE_MS=19999: has to be at least twice the time-out of rewards, 10000 ms'],
  ])('requires a lease of at least twice the time-out: %s ms', (leaseMs, refusal) => {
    const readIt = () => read({ ...secret, WORKER_LEASE_MS: leaseMs }).leaseMs;
    if (refusal === undefined) expect(readIt()).toBe(Number(leaseMs));
    else expect(readIt).toThrow(refusal);
  });

  it('compares the lease only with the time-outs of action types that the worker serves', () => {
    const others = { ...secret, WORKER_LEASE_MS: '1000', WORKER_ACTION_TYPES: 'messages' };
    expect(read(others).scope.actionTypes).toEqual(['messages']);
  });
});
