import type { Browser, Page } from 'playwright-core';
import { z } from 'zod';
import { pageSize, probed, probeScript, type Probed } from './page-probe.ts';

/** A page whose main thread is observed from its first moment on. */
export interface ProbedPage {
  readonly page: Page;
  /** Resets all counters. */
  reset(): Promise<void>;
  /** Returns the figures since the last reset. */
  read(): Promise<Probed>;
  /** Runs a garbage collection and returns the size of the heap. */
  heapMiB(): Promise<number>;
  size(): Promise<z.infer<typeof pageSize>>;
  /** Returns the milliseconds from the navigation until the page's rows were painted. */
  firstRowsMs(): Promise<number>;
  /** Returns the milliseconds from a person's action until other rows, or the page of a user, were painted. */
  timeOf(awaited: 'rows' | 'user', act: () => Promise<unknown>): Promise<number>;
  close(): Promise<void>;
}

interface PageTerms {
  /** Cookie of the session as a request sends it; undefined if no person is logged in. */
  cookie?: string;
  url: string;
  /** Additional script to run in the page. */
  script?: string;
}

const viewport = { width: 1440, height: 900 };
const patienceMs = 60_000;
const heapUsage = z.object({ usedSize: z.number() });

/** Opens a page in a browser context of its own, so that the browser gives it a process of its own. */
export async function openPage(browser: Browser, { cookie, url, script }: PageTerms): Promise<ProbedPage> {
  const context = await browser.newContext({ viewport, baseURL: `${url}/` });
  context.setDefaultTimeout(patienceMs);
  if (cookie !== undefined) {
    const [name = '', value = ''] = cookie.split('=');
    await context.addCookies([{ name, value, url, httpOnly: true, sameSite: 'Strict' }]);
  }
  await context.addInitScript({ content: script === undefined ? probeScript : `${probeScript};${script}` });
  const page = await context.newPage();
  const tools = await context.newCDPSession(page);
  return {
    page,
    reset: () => page.evaluate('musterProbe.reset()'),
    read: async () => probed.parse(await page.evaluate('musterProbe.read()')),
    heapMiB: async () => {
      await tools.send('HeapProfiler.collectGarbage');
      return heapUsage.parse(await tools.send('Runtime.getHeapUsage')).usedSize / 1024 ** 2;
    },
    size: async () => pageSize.parse(await page.evaluate('musterProbe.size()')),
    firstRowsMs: async () => z.number().parse(await page.evaluate('musterProbe.took()')),
    timeOf: async (awaited, act) => {
      await page.evaluate(`musterProbe.arm(${JSON.stringify(awaited)})`);
      await act();
      return z.number().parse(await page.evaluate('musterProbe.took()'));
    },
    close: () => context.close(),
  };
}
