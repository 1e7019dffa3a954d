import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { z } from 'zod';
import { launchBrowser } from './support/launch-browser.ts';
import { keepPicture, logInByKey } from './support/take-pictures.ts';

/**
 * `npm run shop:shots -- --key muster_… --inbox http://127.0.0.1:…`: pictures of a running `npm run demo -- --shop` into
 * `docs/connectors/`: the report of the campaign, the inbox beside it, and the preview of a mail.
 */
const { values } = parseArgs({
  options: {
    url: { type: 'string', default: 'http://127.0.0.1:8080' },
    key: { type: 'string', default: process.env['MUSTER_API_KEY'] ?? '' },
    inbox: { type: 'string', default: 'http://127.0.0.1:8025' },
    out: { type: 'string', default: join(import.meta.dirname, '../../docs/connectors') },
  },
});

/** A lapsed customer of the demo (cli/demo/shop/shop-database.ts). */
const customer = 'sg-000005';
const viewport = { width: 1240, height: 800 };
const campaigns = z.object({
  items: z.array(z.object({ id: z.string(), run: z.object({ runId: z.string() }).nullable() })).min(1),
});

await mkdir(values.out, { recursive: true });
const browser = await launchBrowser();
try {
  const context = await browser.newContext({ viewport, baseURL: `${values.url}/`, reducedMotion: 'reduce' });
  const page = await context.newPage();
  await page.goto('log-in');
  await logInByKey(page, values.key);
  const { items } = campaigns.parse(await read(new URL('/v1/campaigns?limit=1', values.url)));
  const [{ id, run } = { id: '', run: null }] = items;
  await page.goto(`runs/${run?.runId ?? ''}/report`);
  await page.locator('main[aria-busy="false"]').waitFor();
  await keep(page, 'report');
  await openPreview(page, id);
  await keep(page, 'preview');
  await page.goto(values.inbox);
  await keep(page, 'inbox');
} finally {
  await browser.close();
}

async function read(address: URL): Promise<unknown> {
  const answer = await fetch(address, { headers: { authorization: `Bearer ${values.key}` } });
  if (!answer.ok) throw new Error(`${address.href}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

async function openPreview(page: Page, campaign: string): Promise<void> {
  await page.goto(`campaigns/${campaign}`);
  await page.getByRole('button', { name: 'Preview…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel(/^User/).fill(customer);
  await dialog.getByRole('button', { name: 'Preview', exact: true }).click();
  await page.frameLocator('iframe').getByRole('heading').waitFor();
}

async function keep(page: Page, name: string): Promise<void> {
  await keepPicture(page, join(values.out, `${name}.webp`));
}
