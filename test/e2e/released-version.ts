import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';

const execute = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../..');

/**
 * Returns the git tag in `migrations/released-version`. In an upgrade, processes of that version work on the current
 * schema. Undefined before the first release.
 */
export function releasedVersion(): string | undefined {
  const version = readFileSync(path.join(root, 'migrations/released-version'), 'utf8').trim();
  return version === 'none' ? undefined : version;
}

/**
 * Returns the version from which upgrades are tested: `MUSTER_UPGRADE_FROM` (a tag or a commit), or the released
 * version. Before the first release, returns the oldest commit with the current schema and packages; undefined if these
 * are not committed.
 */
export function versionBefore(): string | undefined {
  const given = process.env['MUSTER_UPGRADE_FROM'] ?? releasedVersion();
  if (given !== undefined) return given;
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
  const alike = ['--', 'migrations', 'package-lock.json'];
  if (git('status', '--porcelain', ...alike) !== '') return undefined;
  return git('log', '-1', '--format=%h', ...alike);
}

/** A folder with the sources of that version and the packages that it asks for. */
export async function checkOut(version: string): Promise<string> {
  const folder = mkdtempSync(path.join(tmpdir(), 'muster-released-'));
  const archive = spawn('git', ['archive', version], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  const unpack = spawn('tar', ['-x', '-C', folder], { stdio: [archive.stdout, 'inherit', 'inherit'] });
  const codes = await Promise.all([once(archive, 'exit'), once(unpack, 'exit')]);
  if (codes.some(([code]) => code !== 0)) throw new Error(`git has no ${version}, which upgrades are tested from`);
  const lock = (of: string) => readFileSync(path.join(of, 'package-lock.json'), 'utf8');
  if (lock(folder) === lock(root)) symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  else await execute('npm', ['ci', '--no-audit', '--no-fund', '--prefer-offline'], { cwd: folder });
  return folder;
}

/** The database as a newer version leaves it: the statements of a migration that this one does not know. */
export async function applyUnknownMigration(databaseUrl: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
    await client.query(
      `insert into knex_migrations (name, batch, migration_time) values ('29991231_unknown', 2, now())`,
    );
  } finally {
    await client.end();
  }
}
