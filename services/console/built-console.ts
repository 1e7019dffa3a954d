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

/** Sources of the pages, as folders and single files, including the shapes of the API. */
const sources = ['services/console', 'services/api', 'shared/contracts', 'sdk/write-client.ts', 'package-lock.json'];

/**
 * `built`: the console was built just now. `fresh`: the existing build is up to date. `as it came`: the console cannot
 * be built here, so the build that was installed is served. `missing`: there is no build, and none can be made.
 */
export type ConsoleBuildState = 'built' | 'fresh' | 'as it came' | 'missing';

/**
 * Builds the console if it is missing or older than its sources. An installation without the build tools, such as the
 * image, keeps its existing build.
 * @throws if the build fails, with the message of the build
 */
export async function ensureConsoleBuilt(): Promise<ConsoleBuildState> {
  const mark = await readFile(join(consoleFolder, markName), 'utf8').catch(() => undefined);
  if (!canBuild()) return mark === undefined ? 'missing' : 'as it came';
  if (mark !== undefined && mark === (await digestOfSources())) return 'fresh';
  // A separate process releases the bundler's memory when it ends. In this process, the service would keep that memory.
  await promisify(execFile)(process.execPath, [join(import.meta.dirname, 'build.ts')], { cwd: root });
  return 'built';
}

/** Stores the digest of the sources in a folder that was just built from them. */
export async function writeMark(folder: string): Promise<void> {
  await writeFile(join(folder, markName), await digestOfSources());
}

function canBuild(): boolean {
  try {
    // Test runners that load modules themselves have no `import.meta.resolve`.
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
