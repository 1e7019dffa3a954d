import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createGuardian } from '../../infrastructure/guarded-processes.ts';
import { startLocalPostgres } from '../../infrastructure/local-postgres.ts';
import { readLogArchive, type LogArchive } from './log-archive.ts';
import { createPool } from './pool.ts';

let pool: Pool;
let stop: () => Promise<void>;

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'muster-archive-'));
  await chmod(folder, 0o755);
  const guardian = createGuardian(folder);
  stop = () => guardian.end();
  const servers = await startLocalPostgres({
    folder,
    environment: process.env,
    guardian,
    report: () => undefined,
    postgresSettings: { archive_mode: 'on', archive_command: 'test -e archive_is_there' },
  });
  const logger = pino({ level: 'silent' });
  pool = createPool({ connectionString: servers.databaseUrl, applicationName: 'archive-test', max: 1, logger });
});

afterAll(async () => {
  await pool.end();
  await stop();
});

/** Ends the current WAL file, which wakes up the archiver. */
async function endLogFile(): Promise<void> {
  await pool.query(`select pg_logical_emit_message(false, 'test', 'x'), pg_switch_wal()`);
}

const runOnServer = (command: string) => pool.query(`copy (select) to program '${command}'`);

async function archiveIs(expected: Partial<LogArchive>): Promise<LogArchive> {
  return await vi.waitFor(async () => {
    const archive = await readLogArchive(pool);
    expect(archive).toMatchObject(expected);
    return archive;
  }, 30_000);
}

it('the WAL archive is reported as new, as failing with the refused file, and as healthy once all files are archived', async () => {
  expect(await readLogArchive(pool)).toEqual({
    isOn: true,
    state: 'new',
    lastArchivedAt: null,
    waitingBytes: null,
    lastFailedAt: null,
    lastFailed: null,
  });

  await endLogFile();
  const { lastFailed, lastFailedAt } = await archiveIs({ state: 'failing', waitingBytes: null });
  expect(lastFailed).toMatch(/^[0-9A-F]{24}$/);
  expect(lastFailedAt).toBeInstanceOf(Date);

  await runOnServer('touch archive_is_there');
  await endLogFile();
  const { lastArchivedAt } = await archiveIs({ state: 'well', waitingBytes: 0 });
  expect(lastArchivedAt).toBeInstanceOf(Date);

  await runOnServer('rm archive_is_there');
  await endLogFile();
  await endLogFile();
  await archiveIs({ state: 'failing', waitingBytes: 2 * 16 * 1024 ** 2 });
});
