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
 * Does a browser stay free while a run goes on at 5,000 batches/s, how long do people wait for pages of 100,000
 * failures, and what do the API's other clients notice of 200 open consoles and of 500 streams? API and Postgres are
 * real, and so is the browser. But for the streams no worker runs: what runs count is advanced by SQL, because so many
 * batches would leave no core for what is measured.
 */
const question = 'What the console costs: the main thread of a browser, the time of a page, the API of others';

export interface ConsoleOptions {
  rounds: number;
  quick: boolean;
  only: string | undefined;
}

const parts: Readonly<Record<string, (options: ConsoleOptions) => Promise<Table[]>>> = {
  'main-thread': ({ quick }) =>
    inBrowser((browser) => withConsole((muster) => measureMainThread(browser, muster, { quick }))),
  'at-size': ({ quick }) => inBrowser((browser) => withConsole((muster) => measureAtSize(browser, muster, { quick }))),
  browsing: ({ quick }) => inBrowser((browser) => withConsole((muster) => measureBrowsing(browser, muster, { quick }))),
  consoles: (options) => withConsole((muster) => measureConsoles(muster, options)),
  streams: (options) => measureStreams(options),
};

export async function benchmarkConsole(options: ConsoleOptions): Promise<void> {
  await publishParts({ name: 'console', question, parts, only: options.only }, (part) => part(options));
}

type Browser = Awaited<ReturnType<typeof launchBrowser>>;

async function inBrowser<Answer>(run: (browser: Browser) => Promise<Answer>): Promise<Answer> {
  const browser = await launchBrowser();
  try {
    return await run(browser);
  } finally {
    await browser.close();
  }
}
