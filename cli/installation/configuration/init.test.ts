import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { parseEnv } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exitCodes } from '../../frame/exit-codes.ts';
import { createTestTerminal } from '../../frame/test-terminal.ts';
import { runProgram } from '../../program.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'muster-init-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

async function muster(environment: NodeJS.ProcessEnv, ...args: string[]) {
  const terminal = createTestTerminal();
  const onInterrupt = () => new AbortController().signal;
  const code = await runProgram(args, { terminal, environment, input: Readable.from([]), onInterrupt });
  return { code, ...terminal.written };
}

const readEnv = (name: string) => parseEnv(readFileSync(join(folder, name, '.env'), 'utf8'));

describe('muster init', () => {
  it('writes a configuration that is valid for every service', async () => {
    const written = await muster({}, 'init', folder);
    expect(written.code).toBe(exitCodes.ok);
    expect(written.out).toBe(`${join(folder, '.env')}
${join(folder, 'engine.json')}
`);
    const environment = { ...readEnv('.'), MUSTER_CONFIG: join(folder, 'engine.json') };
    const { code, out } = await muster(environment, 'config', 'check');
    expect({ code, out }).toEqual({
      code: exitCodes.ok,
      out: '✔ configuration  is right for api, scheduler, trigger, worker, dispatcher\n',
    });
  });

  it('generates new secrets each time, in a file that only its owner can read', async () => {
    await muster({}, 'init', join(folder, 'one'));
    await muster({}, 'init', join(folder, 'two'));
    const [one, two] = [readEnv('one'), readEnv('two')];
    const roles = ['OWNER', 'ENGINE', 'API', 'SANDBOX'].map((role) => `MUSTER_${role}_PASSWORD`);
    for (const name of ['POSTGRES_PASSWORD', 'MUSTER_SECRETS_KEY', 'MUSTER_BOOTSTRAP_API_KEY', ...roles]) {
      expect(one[name]?.length, name).toBeGreaterThan(40);
      expect(one[name], name).not.toBe(two[name]);
    }
    expect(statSync(join(folder, 'one', '.env')).mode & 0o777).toBe(0o600);
  });

  it('writes the given addresses of existing servers', async () => {
    const given = ['--database-url', 'postgres://me@db.test/m', '--kafka-brokers', 'k1:9092,k2:9092'];
    await muster({}, 'init', folder, ...given);
    expect(readEnv('.')).toMatchObject({ DATABASE_URL: 'postgres://me@db.test/m', KAFKA_BROKERS: 'k1:9092,k2:9092' });
  });

  it.each(['.env', 'engine.json'])('writes nothing if the file %s already exists', async (name) => {
    writeFileSync(join(folder, name), 'mine');
    const { code, notes } = await muster({}, 'init', folder);
    expect(code).toBe(exitCodes.usage);
    expect(notes).toContain(`${join(folder, name)} exist already: nothing was written`);
    expect(readFileSync(join(folder, name), 'utf8')).toBe('mine');
    expect(() => statSync(join(folder, name === '.env' ? 'engine.json' : '.env'))).toThrow('ENOENT');
  });
});

describe('muster config check', () => {
  it('prints every problem once, with the services it affects', async () => {
    const environment = {
      KAFKA_BROKERS: 'nowhere',
      MUSTER_CONFIG: join(folder, 'none.json'),
      API_PORT: 'x',
      WORKER_LEASE_MS: '-1',
      MUSTER_SECRETS_KEY: 'short',
    };
    const { code, out } = await muster(environment, 'config', 'check');
    expect(code).toBe(exitCodes.failure);
    const problems = out.split('\n').filter((line) => line.startsWith('✖'));
    for (const name of ['DATABASE_URL', 'KAFKA_BROKERS', 'MUSTER_CONFIG', 'API_PORT', 'WORKER_LEASE_MS'])
      expect(
        problems.filter((line) => line.includes(name)),
        name,
      ).toHaveLength(1);
    expect(problems.find((line) => line.includes('API_PORT'))).toContain('(api)');
    expect(problems.find((line) => line.includes('MUSTER_SECRETS_KEY'))).toContain('(api, worker, dispatcher)');
    expect(out).not.toContain('short');
  });

  it('checks only the service that is named', async () => {
    const environment = {
      DATABASE_URL: 'postgres://m@db.test/m',
      KAFKA_BROKERS: 'k:9092',
      MUSTER_CONFIG: 'deploy/examples/engine.json',
      API_PORT: 'x',
    };
    expect((await muster(environment, 'config', 'check', 'worker')).code).toBe(exitCodes.ok);
    expect((await muster(environment, 'config', 'check', 'worker', 'api')).code).toBe(exitCodes.failure);
  });
});
