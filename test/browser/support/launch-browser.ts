import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, type Browser } from 'playwright-core';
import { z } from 'zod';
import { cacheFolder } from '../../../shared/infrastructure/cache-folder.ts';
import { installTool } from '../../../shared/infrastructure/tools/install-tool.mjs';

/** A browser that may be started, and with what. */
interface Candidate {
  name: string;
  executablePath: string;
  args?: string[];
  env?: Record<string, string>;
}

const packedName = '@sparticuz/chromium';
const packedSource = join(import.meta.dirname, '../../../shared/infrastructure/tools/chromium');

/** The package's own: a class whose functions belong to it. */
interface PackedChromium {
  args: string[];
  executablePath(): Promise<string>;
}

const packedModule = z.object({
  default: z.custom<PackedChromium>((value) => typeof value === 'function' && 'executablePath' in value),
});

/**
 * Ours is headless anyway, and has to hold pages to their origins. In one process the whole browser ends with the first
 * context that is closed.
 */
const unwanted = /^--(headless|disable-web-security|single-process)\b/;

/** A container has neither the rights for a sandbox nor much shared memory; what is opened is our own. */
const everywhere = ['--no-sandbox', '--disable-dev-shm-usage'];

/**
 * The browser of `CHROMIUM_PATH`; without that an installed Chromium or Chrome; where none of them starts, the one
 * of the npm package @sparticuz/chromium, which is fetched once.
 *
 * @throws when none starts; the message says what was tried and what to install
 */
export async function launchBrowser(environment: NodeJS.ProcessEnv = process.env): Promise<Browser> {
  const tried: string[] = [];
  try {
    for await (const { name, executablePath, args = [], env } of candidates(environment)) {
      try {
        return await chromium.launch({ executablePath, args: [...everywhere, ...args], ...(env && { env }) });
      } catch (error) {
        tried.push(`${name}: ${firstLineOf(error)}`);
      }
    }
  } catch (error) {
    tried.push(`${packedName}: ${firstLineOf(error)}`);
  }
  throw new Error(
    `no browser starts, and the tests of the console need one. Install Chromium (apt-get install chromium) or Chrome, or set ` +
      `CHROMIUM_PATH. Tried: ${tried.join('; ')}`,
  );
}

/** Those that are there, the most wanted first. A path that somebody gave is the only one. */
export async function* candidates(environment: NodeJS.ProcessEnv): AsyncGenerator<Candidate> {
  const { CHROMIUM_PATH: given } = environment;
  if (given !== undefined && given !== '') {
    yield { name: 'CHROMIUM_PATH', executablePath: given };
    return;
  }
  const installed = installedBrowsers(environment);
  for (const executablePath of installed) yield { name: executablePath, executablePath };
  yield* packedBrowser(environment);
}

const commands = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome'];
const fixedPlaces = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

function installedBrowsers({ PATH = '' }: NodeJS.ProcessEnv): string[] {
  const onPath = commands.flatMap((command) => PATH.split(delimiter).map((folder) => join(folder, command)));
  return [...new Set([...onPath, ...fixedPlaces])].filter((path) => existsSync(path));
}

/**
 * It unpacks itself into the folder for temporary files; on a bare machine it needs the libraries that it brings along.
 */
async function* packedBrowser(environment: NodeJS.ProcessEnv): AsyncGenerator<Candidate> {
  const cache = cacheFolder(environment);
  const report = (line: string) => process.stderr.write(`${line}\n`);
  const folder = await installTool(packedSource, { cache, environment, report });
  const kept = { ...process.env };
  // Its libraries are unpacked only where it believes to be at the place that it was made for.
  process.env['AWS_LAMBDA_JS_RUNTIME'] = 'nodejs22.x';
  try {
    const entry = pathToFileURL(join(folder, 'build/esm/index.js')).href;
    const { default: packed } = packedModule.parse(await import(entry));
    const executablePath = await packed.executablePath();
    const args = packed.args.filter((arg) => !unwanted.test(arg));
    const fonts = { FONTCONFIG_PATH: join(tmpdir(), 'fonts') };
    yield { name: packedName, executablePath, args };
    const env = { ...textsOf(kept), ...fonts, LD_LIBRARY_PATH: join(tmpdir(), 'al2023', 'lib') };
    yield { name: `${packedName} with its own libraries`, executablePath, args, env };
  } finally {
    // Nothing else that this process starts may find those libraries.
    for (const name of ['AWS_LAMBDA_JS_RUNTIME', 'LD_LIBRARY_PATH', 'FONTCONFIG_PATH', 'HOME']) {
      if (kept[name] === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = kept[name];
    }
  }
}

function firstLineOf(error: unknown): string {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  return line;
}

function textsOf(environment: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
