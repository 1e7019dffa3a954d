import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Files that browsers load: `index.html`, and `assets/`, whose names contain a hash of their content. */
export const consoleFolder = join(import.meta.dirname, 'dist');

const root = join(import.meta.dirname, '../..');
const markName = 'built-from.sha256';

/** Sources of the pages, as folders and single files; the shapes of the API are among them. */
const sources = ['services/console', 'services/api', 'shared/contracts', 'sdk/write-client.ts', 'package-lock.json'];

/**
 * `built`: just now. `fresh`: it was. `as it came`: it cannot be built here, and what the installation brought is
 * served.
 */
export type ConsoleStanding = 'built' | 'fresh' | 'as it came' | 'missing';

/**
 * Builds the console where it is missing or older than its sources. An installation without what builds it, such as the
 * image, keeps what it has.
 *
 * @throws when the build fails; the message is the build's own
 */
export async function ensureConsoleBuilt(): Promise<ConsoleStanding> {
  const mark = await readFile(join(consoleFolder, markName), 'utf8').catch(() => undefined);
  if (!canBuild()) return mark === undefined ? 'missing' : 'as it came';
  if (mark !== undefined && mark === (await digestOfSources())) return 'fresh';
  // In a process of its own: a bundler's memory is not for a service to hold.
  await promisify(execFile)(process.execPath, [join(import.meta.dirname, 'build.ts')], { cwd: root });
  return 'built';
}

/** Says in a folder that was just built what it was built from. */
export async function writeMark(folder: string): Promise<void> {
  await writeFile(join(folder, markName), await digestOfSources());
}

function canBuild(): boolean {
  try {
    // Not import.meta.resolve, which test runners that load modules themselves do not have.
    createRequire(import.meta.url).resolve('vite/package.json');
    return true;
  } catch {
    return false;
  }
}

async function digestOfSources(): Promise<string> {
  const hash = createHash('sha256');
  for (const source of sources) {
    for (const file of await filesOf(source)) hash.update(file).update(await readFile(join(root, file)));
  }
  return hash.digest('hex');
}

async function filesOf(source: string): Promise<string[]> {
  if (/\.\w+$/.test(source)) return [source];
  const entries = await readdir(join(root, source), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const made = /\/(dist|generated)(\.\d+)?\/|\.(test\.tsx?|md)$/;
  return files
    .map((file) => file.slice(root.length + 1))
    .filter((file) => !made.test(file))
    .sort();
}
