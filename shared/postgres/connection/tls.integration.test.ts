import { execFile } from 'node:child_process';
import { chown, chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type pg from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startLocalInfrastructure } from '../../infrastructure/local.ts';
import { findPostgresUser } from '../../infrastructure/postgres-binaries.ts';
import { createPool } from './pool.ts';

const run = promisify(execFile);

let folder: string;
let plainUrl: string;
let stop: () => Promise<void>;

/** Creates a self-signed certificate for `name`, and its key. */
async function makeCertificate(file: string, name: string): Promise<void> {
  const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=${name === '127.0.0.1' ? 'IP' : 'DNS'}:${name}`];
  const files = ['-keyout', join(folder, `${file}.key`), '-out', join(folder, `${file}.crt`)];
  await run('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject, ...files]);
}

async function asking<Result>(url: string, ask: (pool: pg.Pool) => Promise<Result>): Promise<Result> {
  const logger = pino({ level: 'silent' });
  const pool = createPool({ connectionString: url, applicationName: 'tls-test', max: 1, logger });
  try {
    return await ask(pool);
  } finally {
    await pool.end();
  }
}

const withTls = (parameters: Record<string, string>) => `${plainUrl}?${new URLSearchParams(parameters).toString()}`;
const isEncrypted = (url: string) =>
  asking(url, async (pool) => {
    const { rows } = await pool.query<{ ssl: boolean }>('select ssl from pg_stat_ssl where pid = pg_backend_pid()');
    return rows[0]?.ssl;
  });

describe('a Postgres server that requires TLS', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'muster-tls-'));
    await chmod(folder, 0o755);
    await makeCertificate('server', '127.0.0.1');
    await makeCertificate('other', '127.0.0.1');
    const [key, user] = [join(folder, 'server.key'), await findPostgresUser()];
    await chmod(key, 0o600);
    if (user) await chown(key, user.uid, user.gid);
    const servers = await startLocalInfrastructure({
      environment: process.env,
      report: () => undefined,
      postgresSettings: { ssl: 'on', ssl_cert_file: join(folder, 'server.crt'), ssl_key_file: key },
    });
    plainUrl = servers.databaseUrl;
    stop = () => servers.stop();
    // Written while the server still accepts plain connections, because the wait for its start needs one.
    await asking(plainUrl, async (pool) => {
      const { rows } = await pool.query<{ file: string }>(`select current_setting('hba_file') as file`);
      await writeFile(rows[0]?.file ?? '', 'hostssl all all 127.0.0.1/32 scram-sha-256\n');
      await pool.query('select pg_reload_conf()');
    });
  });

  afterAll(async () => {
    await stop();
    await rm(folder, { recursive: true });
  });

  it('accepts a TLS connection with the certificate authority of the URL', async () => {
    expect(await isEncrypted(withTls({ sslmode: 'verify-full', sslrootcert: join(folder, 'server.crt') }))).toBe(true);
  });

  it('is rejected if its certificate authority is not trusted', async () => {
    const other = withTls({ sslmode: 'verify-full', sslrootcert: join(folder, 'other.crt') });
    await expect(isEncrypted(other)).rejects.toThrow(/certificate/);
    await expect(isEncrypted(withTls({ sslmode: 'verify-full' }))).rejects.toThrow(/certificate/);
  });

  it('is rejected if its certificate is for another host', async () => {
    const byName = withTls({ sslmode: 'verify-full', sslrootcert: join(folder, 'server.crt') });
    await expect(isEncrypted(byName.replace('127.0.0.1', 'localhost'))).rejects.toThrow(/altnames|hostname/i);
  });

  it('rejects a connection without TLS', async () => {
    await expect(isEncrypted(plainUrl)).rejects.toThrow(/no encryption/);
  });
});
