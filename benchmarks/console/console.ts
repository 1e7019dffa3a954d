import { launchBrowser } from '../../test/browser/support/launch-browser.ts';
import { publishParts } from '../parts.ts';
import type { Table } from '../results.ts';
import { measureAtSize } from './at-size.ts';
import { measureBrowsing } from './browsing.ts';
import { withConsole } from './console-under-test.ts';
import { measureConsoles } from './consoles.ts';
import { measureMainThread } from './main-thread.ts';
import { measureStreams } from './streams.ts';

/**
 * Measures how busy a browser's main thread is during a run at 5,000 batches/s, and how long people wait for pages of
 * 100,000 failures. Also measures how 200 open consoles and 500 streams slow down the API's other clients. API,
 * Postgres and browser are real. Workers run only for the part `streams`. In the other parts SQL advances the counters
 * of the runs, because so many batches would take all cores.
 */
const question = 'What the console costs: the main thread of a browser, the time of a page, the API of others';

export interface ConsoleOptions {
  rounds: number;
  quick: boolean;
  only: string | undefined;
}

const parts: Readonly<Record<string, (options: ConsoleOptions) => Promise<Table[]>>> = {
  'main-thread': ({ quick }) =>
    withBrowser((browser) => withConsole((muster) => measureMainThread(browser, muster, { quick }))),
  'at-size': ({ quick }) =>
    withBrowser((browser) => withConsole((muster) => measureAtSize(browser, muster, { quick }))),
  browsing: ({ quick }) =>
    withBrowser((browser) => withConsole((muster) => measureBrowsing(browser, muster, { quick }))),
  consoles: (options) => withConsole((muster) => measureConsoles(muster, options)),
  streams: (options) => measureStreams(options),
};

export async function benchmarkConsole(options: ConsoleOptions): Promise<void> {
  await publishParts({ name: 'console', question, parts, only: options.only }, (part) => part(options));
}

type Browser = Awaited<ReturnType<typeof launchBrowser>>;

async function withBrowser<Answer>(run: (browser: Browser) => Promise<Answer>): Promise<Answer> {
  const browser = await launchBrowser();
  try {
    return await run(browser);
  } finally {
    await browser.close();
  }
}
