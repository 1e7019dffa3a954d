import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { z } from 'zod';
import { launchBrowser } from './support/launch-browser.ts';
import { displayedViews, type Found } from './support/shown-views.ts';
import { keepPicture, logInByKey } from './support/take-pictures.ts';

/**
 * `npm run console:shots -- --url http://127.0.0.1:8080 --key muster_…`: the views of a running system into
 * `docs/console/`, each in the light theme, the main ones in the dark one and on a phone too. With `--all` each of them
 * in every theme and width, to be looked at. Whatever runs at that moment is what they show: the demo is a good place,
 * with a run that still goes on.
 */
const { values } = parseArgs({
  options: {
    url: { type: 'string', default: process.env['MUSTER_API_URL'] ?? 'http://127.0.0.1:8080' },
    key: { type: 'string', default: process.env['MUSTER_API_KEY'] ?? '' },
    out: { type: 'string', default: join(import.meta.dirname, '../../docs/console') },
    all: { type: 'boolean', default: false },
  },
});

const wide = { width: 1440, height: 900 };
const narrow = { width: 1280, height: 800 };
const phone = { width: 390, height: 844 };

const kept = [
  { name: 'light', colorScheme: 'light', viewport: wide, isOfMain: false },
  { name: 'dark', colorScheme: 'dark', viewport: wide, isOfMain: true },
  { name: 'phone', colorScheme: 'light', viewport: phone, isOfMain: true },
] as const;
const others = [
  { name: 'narrow', colorScheme: 'light', viewport: narrow, isOfMain: false },
  { name: 'narrow-dark', colorScheme: 'dark', viewport: narrow, isOfMain: false },
  { name: 'phone-dark', colorScheme: 'dark', viewport: phone, isOfMain: false },
] as const;
const mainViews = new Set(displayedViews.filter(({ isMain }) => isMain).map(({ name }) => name));

type Look = (typeof kept | typeof others)[number];

const listed = z.object({
  items: z.array(
    z.object({
      id: z.string(),
      state: z.string(),
      run: z.object({ runId: z.string(), endedAt: z.string().nullable() }).nullable(),
    }),
  ),
});
const failed = z.object({ items: z.array(z.object({ userId: z.string() })) });
const named = z.object({ items: z.array(z.object({ id: z.string() })) });

await mkdir(values.out, { recursive: true });
const browser = await launchBrowser();
try {
  const paths = await pathsOf();
  const looks: readonly Look[] = values.all ? [...kept, ...others] : kept;
  for (const look of looks) await shoot(browser, look, paths);
} finally {
  await browser.close();
}

/** The views, each at something that there is. */
async function pathsOf(): Promise<Map<string, string>> {
  const { items } = listed.parse(await ask('/v1/campaigns?sort=state&limit=50'));
  const hasEnded = items.filter(({ run }) => run !== null && run.endedAt !== null);
  const ended = (hasEnded.find(({ state }) => state.startsWith('completed')) ?? hasEnded[0])?.run;
  const live = items.find(({ state, run }) => state === 'running' && run !== null)?.run ?? ended;
  const draft = items.find(({ state }) => state === 'draft');
  const campaign = items.find(({ state }) => state === 'scheduled') ?? items[0];
  const [user] = ended ? failed.parse(await ask(`/v1/runs/${ended.runId}/failures?limit=1`)).items : [];
  const [client] = named.parse(await ask('/v1/clients?limit=1')).items;
  const [job] = named.parse(await ask('/v1/jobs?limit=1')).items;
  const found: Found = {
    campaign: campaign?.id,
    draft: draft?.id,
    liveRun: live?.runId,
    endedRun: ended?.runId,
    user: user?.userId,
    client: client?.id,
    job: job?.id,
  };
  return new Map(
    displayedViews.flatMap(({ name, pathOf }) => {
      const path = pathOf(found);
      return path === undefined ? [] : [[name, path] as const];
    }),
  );
}

async function ask(path: string): Promise<unknown> {
  const answer = await fetch(new URL(path, values.url), { headers: { authorization: `Bearer ${values.key}` } });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

async function shoot(from: Browser, look: Look, paths: ReadonlyMap<string, string>): Promise<void> {
  const { name, isOfMain, ...options } = look;
  const context = await from.newContext({ ...options, baseURL: `${values.url}/`, reducedMotion: 'reduce' });
  const page = await context.newPage();
  await page.goto('log-in');
  await page.getByLabel('API key').waitFor();
  if (values.all || !isOfMain) await keep(page, `log-in-${name}`);
  await logInByKey(page, values.key);
  for (const [view, path] of paths) {
    if (isOfMain && !values.all && !mainViews.has(view)) continue;
    await page.goto(path);
    await page.locator('main[aria-busy="false"]').waitFor();
    if (view === 'live-run') await awaitRates(page);
    await keep(page, `${view}-${name}`);
  }
  await context.close();
}

/**
 * Waits until the page shows a rate for each step. The console computes a rate from two reads; a run that has ended or
 * does not progress has none.
 */
async function awaitRates(page: Page): Promise<void> {
  const moving = page.getByRole('row').filter({ hasText: /[1-9][\d,.]*\/s/ });
  await moving
    .first()
    .waitFor({ timeout: 10_000 })
    .catch(() => undefined);
}

async function keep(page: Page, name: string): Promise<void> {
  await keepPicture(page, join(values.out, `${name}.webp`));
}
