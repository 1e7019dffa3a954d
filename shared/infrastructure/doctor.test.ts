import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { examine } from './doctor.ts';
import { findFreePorts } from './free-ports.ts';

/** The environment of a machine without commands and without a cache. */
let bare: NodeJS.ProcessEnv;
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-doctor-test-'));
  bare = { PATH: folder, MUSTER_CACHE: folder };
});
afterEach(() => rm(folder, { recursive: true }));

const troubles = async (environment: NodeJS.ProcessEnv) =>
  (await examine(environment)).filter(({ ok }) => !ok).map(({ name, fix }) => ({ name, fix }));

describe('the doctor', () => {
  it('lists the missing commands for local servers, each with the command that installs it', async () => {
    expect(await troubles({ ...bare, INFRA: 'local' })).toEqual([
      { name: 'Java', fix: 'apt-get install -y default-jre-headless' },
      { name: 'Maven', fix: 'apt-get install -y maven' },
    ]);
  });

  it('ignores missing commands that are not needed', async () => {
    const names = (await troubles({ ...bare, INFRA: 'containers' })).map(({ name }) => name);
    expect(names).not.toContain('Java');
    expect(names).not.toContain('Maven');
  });

  it('lists the configured servers that do not answer', async () => {
    const [database, broker] = await findFreePorts(2);
    const found = await examine({
      DATABASE_URL: `postgres://127.0.0.1:${database}/muster`,
      KAFKA_BROKERS: `127.0.0.1:${broker}`,
    });
    expect(found.filter(({ ok }) => !ok).map((check) => check.found)).toEqual([
      `nobody answers at 127.0.0.1:${database}`,
      `nobody answers at 127.0.0.1:${broker}`,
    ]);
  });

  it('reports an invalid environment', async () => {
    const [trouble] = (await examine({ KAFKA_BROKERS: 'a:9092' })).filter(({ ok }) => !ok);
    expect(trouble?.found).toMatch(/^KAFKA_BROKERS is set and/);
  });
});
