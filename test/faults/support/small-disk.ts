import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { findPostgresUser } from '../../../shared/infrastructure/postgres-binaries.ts';

/** A disk of some mebibytes for a database, so that the database can run out of space. Mounting the disk needs root. */
export interface SmallDisk {
  /** Moves a database without connections onto the disk. The log of the server stays where it is. */
  moveHere(databaseUrl: string): Promise<void>;
  /** Uses all free space of the disk. */
  fill(): void;
  /** Frees the space that `fill` uses. */
  makeRoom(): void;
  /** Unmounts the disk; whatever is on it is lost. */
  end(): void;
}

const tablespace = 'small_disk';
const chunk = Buffer.alloc(1024 * 1024, 1);

export async function mountSmallDisk(mebibytes: number): Promise<SmallDisk> {
  const user = await findPostgresUser();
  const folder = mkdtempSync(join(tmpdir(), 'muster-small-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', folder], { stdio: 'pipe' });
  const data = join(folder, 'data');
  const ballast = join(folder, 'ballast');
  chmodSync(folder, 0o755);
  mkdirSync(data, { mode: 0o700 });
  if (user) chownSync(data, user.uid, user.gid);

  return {
    moveHere: async (databaseUrl) => {
      const name = new URL(databaseUrl).pathname.slice(1);
      const server = new URL(databaseUrl);
      server.pathname = '/postgres';
      const client = new Client({ connectionString: server.href });
      await client.connect();
      try {
        const { rowCount } = await client.query('select from pg_tablespace where spcname = $1', [tablespace]);
        if (rowCount === 0) await client.query(`create tablespace ${tablespace} location '${data}'`);
        await client.query(`alter database ${name} set tablespace ${tablespace}`);
      } finally {
        await client.end();
      }
    },
    fill: () => {
      const file = openSync(ballast, 'a');
      try {
        for (const size of [chunk.length, 4096]) writeUntilFull(file, chunk.subarray(0, size));
      } finally {
        closeSync(file);
      }
    },
    makeRoom: () => rmSync(ballast, { force: true }),
    end: () => {
      // The unmount is lazy, because the server may still have files open.
      execFileSync('umount', ['-l', folder]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function writeUntilFull(file: number, bytes: Buffer): void {
  for (;;) {
    try {
      writeSync(file, bytes);
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOSPC') return;
      throw error;
    }
  }
}
