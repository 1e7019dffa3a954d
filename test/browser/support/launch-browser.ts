import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';
import { cacheFolder } from '../../../shared/infrastructure/cache-folder.ts';
import { installTool } from '../../../shared/infrastructure/tools/install-tool.mjs';
import { unpackChromium } from './unpack-chromium.ts';

/** A browser that may be started, and with what. */
interface Candidate {
  name: string;
  executablePath: string;
  env?: Record<string, string>;
}

const packedName = '@sparticuz/chromium';
const packedSource = join(import.meta.dirname, '../../../shared/infrastructure/tools/chromium');

/**
 * Containers lack the rights for Chromium's sandbox, and have little shared memory. The sandbox is not needed, because
 * tests open only our own pages.
 */
const everywhere = ['--no-sandbox', '--disable-dev-shm-usage'];

/**
 * A headless Chromium takes the language of pages from these variables. Without a language, the machine has
 * `en-US@posix`, which is not a valid language tag: the chart library passes it to `Intl`, which throws.
 */
const language = { LANG: 'en_US.UTF-8', LC_ALL: 'en_US.UTF-8', LANGUAGE: 'en_US' };

/**
 * The browser of `CHROMIUM_PATH`; without that an installed Chromium or Chrome; where none of them starts, the one
 * of the npm package @sparticuz/chromium, which is fetched once.
 *
 * @throws when none starts; the message says what was tried and what to install
 */
export async function launchBrowser(environment: NodeJS.ProcessEnv = process.env): Promise<Browser> {
  const tried: string[] = [];
  try {
    for await (const { name, executablePath, env = {} } of candidates(environment)) {
      try {
        return await chromium.launch({
          executablePath,
          args: everywhere,
          env: { ...textsOf(environment), ...env, ...language },
        });
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

/**
 * Yields the browsers that exist on this machine, the preferred one first. If the user has set a path, only that
 * browser.
 */
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
 * Yields the Chromium of the npm package: first alone, then with the libraries that the package contains, which a
 * minimal machine lacks.
 */
async function* packedBrowser(environment: NodeJS.ProcessEnv): AsyncGenerator<Candidate> {
  const cache = cacheFolder(environment);
  const report = (line: string) => process.stderr.write(`${line}\n`);
  const folder = await unpackChromium(await installTool(packedSource, { cache, environment, report }));
  // The package suggests switches for a single process without a sandbox of origins. None of them is used here.
  const executablePath = join(folder, 'chromium');
  yield { name: packedName, executablePath };
  const env = { FONTCONFIG_PATH: join(folder, 'fonts'), LD_LIBRARY_PATH: join(folder, 'al2023/lib') };
  yield { name: `${packedName} with its own libraries`, executablePath, env };
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
