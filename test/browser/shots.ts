import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { z } from 'zod';
import { launchBrowser } from './support/launch-browser.ts';

/**
 * `npm run console:shots -- --url http://127.0.0.1:8080 --key muster_…`: every view of a running system, light, dark and on a phone, into
 * `docs/console/`. Whatever runs at that moment is what they show: the demo is a good place.
 */
const { values } = parseArgs({
  options: {
    url: { type: 'string', default: process.env['MUSTER_API_URL'] ?? 'http://127.0.0.1:8080' },
    key: { type: 'string', default: process.env['MUSTER_API_KEY'] ?? '' },
    out: { type: 'string', default: join(import.meta.dirname, '../../docs/console') },
  },
});

/** A picture in the documentation is loaded by whoever reads it. */
const maxBytes = 150 * 1024;

const looks = [
  { name: 'light', colorScheme: 'light', viewport: { width: 1440, height: 900 } },
  { name: 'dark', colorScheme: 'dark', viewport: { width: 1440, height: 900 } },
  { name: 'narrow', colorScheme: 'light', viewport: { width: 1280, height: 800 } },
  { name: 'phone', colorScheme: 'light', viewport: { width: 390, height: 844 } },
] as const;

const listed = z.object({
  items: z.array(
    z.object({ id: z.string(), run: z.object({ runId: z.string(), endedAt: z.string().nullable() }).nullable() }),
  ),
});
const failed = z.object({ items: z.array(z.object({ userId: z.string() })) });

await mkdir(values.out, { recursive: true });
const browser = await launchBrowser();
try {
  const paths = await pathsOf();
  for (const look of looks) await shoot(browser, look, paths);
} finally {
  await browser.close();
}

/** The views, each at something that there is. */
async function pathsOf(): Promise<Map<string, string>> {
  const { items } = listed.parse(await ask('/v1/campaigns?sort=state&limit=50'));
  const runs = items.flatMap(({ run }) => run ?? []);
  const live = runs.find(({ endedAt }) => endedAt === null) ?? runs[0];
  const ended = runs.find(({ endedAt }) => endedAt !== null);
  const [user] = ended ? failed.parse(await ask(`/v1/runs/${ended.runId}/failures?limit=1`)).items : [];
  const [campaign] = items;
  return new Map([
    ['campaigns', 'campaigns'],
    ['new-campaign', 'campaigns/new'],
    ...(campaign ? [['campaign', `campaigns/${campaign.id}`] as const] : []),
    ...(live ? [['live-run', `runs/${live.runId}`] as const] : []),
    ...(ended ? [['report', `runs/${ended.runId}/report`] as const] : []),
    ...(ended ? [['failures', `runs/${ended.runId}/failures`] as const] : []),
    ...(ended && user ? [['user', `runs/${ended.runId}/users/${encodeURIComponent(user.userId)}`] as const] : []),
    ['shards', 'shards'],
    ['dead-letters', 'dead-letters'],
    ['audit', 'audit'],
  ]);
}

async function ask(path: string): Promise<unknown> {
  const answer = await fetch(new URL(path, values.url), { headers: { authorization: `Bearer ${values.key}` } });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

async function shoot(from: Browser, look: (typeof looks)[number], paths: ReadonlyMap<string, string>): Promise<void> {
  const { name, ...options } = look;
  const context = await from.newContext({ ...options, baseURL: `${values.url}/`, reducedMotion: 'reduce' });
  const page = await context.newPage();
  await page.goto('log-in');
  await page.getByLabel('API key').fill(values.key);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.waitForURL((at) => !at.pathname.endsWith('/log-in'));
  for (const [view, path] of paths) {
    await page.goto(path);
    await page.locator('main[aria-busy="false"]').waitFor();
    await keep(page, join(values.out, `${view}-${name}.png`));
  }
  await context.close();
}

async function keep(page: Page, file: string): Promise<void> {
  await writeFile(file, await page.screenshot({ animations: 'disabled' }));
  const { size } = await stat(file);
  if (size <= maxBytes) return;
  await rm(file);
  const smaller = file.replace(/\.png$/, '.jpg');
  await writeFile(smaller, await page.screenshot({ animations: 'disabled', type: 'jpeg', quality: 80 }));
}
