import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { z } from 'zod';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { startInstallation, type Installation, type InstallationOptions } from '../../e2e/installation.ts';
import { launchBrowser } from './launch-browser.ts';

/**
 * Time-out for a page to show what a test expects: a busy machine is slow, and a test that exceeds it reports the
 * expectation.
 */
export const patienceMs = 30_000;

/** A whole Muster, and a browser in which its console is opened. */
export interface ConsoleInBrowser {
  readonly muster: Installation;
  readonly url: string;
  readonly apiKey: string;
  /**
   * A browser of somebody else: no cookie, no storage of the others. Closed after the test, which fails where a page
   * broke.
   */
  visitor(options?: BrowserContextOptions): Promise<Page>;
  /** A new key of that role. */
  keyOf(role: string): Promise<string>;
  /** The same, logged in with the key of the installation. */
  loggedIn(options?: BrowserContextOptions): Promise<Page>;
}

/** Starts Muster and a browser before the tests of the file, and stops both after them. */
export function useConsole(options: InstallationOptions): ConsoleInBrowser {
  let muster: Installation | undefined;
  let browser: Browser | undefined;
  const contexts: BrowserContext[] = [];
  const broken: Error[] = [];

  beforeAll(async () => {
    [muster, browser] = await Promise.all([startInstallation(options), launchBrowser()]);
  });
  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()));
    const errors = broken.splice(0);
    if (errors.length > 0) throw new AggregateError(errors, 'a page of the console broke');
  });
  afterAll(async () => {
    await browser?.close();
    await muster?.stop();
  });

  function running(): Installation {
    if (!muster) throw new Error('the installation is not started');
    return muster;
  }

  const url = () => running().cliEnvironment['MUSTER_API_URL'] ?? '';
  const apiKey = () => running().cliEnvironment['MUSTER_API_KEY'] ?? '';

  async function visitor(contextOptions: BrowserContextOptions = {}): Promise<Page> {
    if (!browser) throw new Error('the browser is not started');
    const context = await browser.newContext({ baseURL: url(), reducedMotion: 'reduce', ...contextOptions });
    contexts.push(context);
    context.setDefaultTimeout(patienceMs);
    const page = await context.newPage();
    page.on('pageerror', (error) => broken.push(error));
    page.on('console', (message) => {
      // The frame of a message reports what the message tried to do.
      const isOfMessage = message.location().url.endsWith('/message-frame');
      if (!isOfMessage && message.text().includes('Content Security Policy')) broken.push(new Error(message.text()));
    });
    return page;
  }

  return {
    get muster() {
      return running();
    },
    get url() {
      return url();
    },
    get apiKey() {
      return apiKey();
    },
    visitor,
    keyOf: (role) => makeKey(running(), role),
    loggedIn: async (contextOptions) => {
      const page = await visitor(contextOptions);
      await logIn(page, apiKey());
      return page;
    },
  };
}

const madeKey = z.object({ secret: z.string() });

async function makeKey({ cliEnvironment, database }: Installation, role: string): Promise<string> {
  const args = ['cli/muster.ts', 'first-key', `a ${role}`, '--role', role, '--json'];
  const env = { ...process.env, ...cliEnvironment, DATABASE_URL: database.url };
  const { stdout } = await promisify(execFile)(process.execPath, args, { env });
  return madeKey.parse(JSON.parse(stdout)).secret;
}

/** Logs in like a person: the key into the field, then the button. */
export async function logIn(page: Page, apiKey: string): Promise<void> {
  if (!page.url().includes('/log-in')) await page.goto('log-in');
  await page.getByLabel('API key').fill(apiKey);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.waitForURL((at) => !at.pathname.endsWith('/log-in'));
}

/**
 * Looks again and again until it is so: for what no single element says. Each look waits for a frame of the page, so no
 * time is set.
 */
export async function awaitThat(isSo: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`it was not so within ${patienceMs} ms: ${String(isSo)}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
