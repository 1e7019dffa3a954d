import { beforeAll, describe, expect, test } from 'vitest';
import { createCampaign } from '../../sdk/generated/sdk.gen.ts';
import type { Page, Route } from 'playwright-core';
import { rewardThenMessage } from '../e2e/installation.ts';
import { logIn, useConsole } from './support/console-in-browser.ts';

const consoleOf = useConsole({
  workers: 'all-in-one',
  sandbox: { SANDBOX_SEGMENTS: 'lapsed-riders=1000', SANDBOX_REWARDS_FAILURE_SHARE: '0.05' },
});

let ids: { runId: string; endedId: string; campaignId: string; draftId: string; userId: string };

beforeAll(async () => {
  const { api } = consoleOf.muster;
  const campaign = { countries: ['SG', 'VN'], chain: rewardThenMessage };
  const endedId = await api.run({ ...campaign, segment: 'lapsed-riders', name: 'Payday top-up, October' });
  await api.awaitEnd(endedId);
  const runId = await api.run({ ...campaign, segment: 'lapsed-riders', name: 'Payday, slowly', paceUsersPerSecond: 1 });
  const [failed] = await api.failures(endedId);
  const body = { ...campaign, name: 'A draft', audience: { include: [{ segment: 'lapsed-riders' }] } };
  const { id: draftId } = (await createCampaign({ client: api.client, body })).data;
  const { campaignId } = await api.progress(runId);
  ids = { runId, endedId, campaignId, draftId, userId: failed?.userId ?? 'nobody' };
});

const requestId = '01a1fd67-0000-7000-8000-00000832c8c0';

/** Answers like an API whose database does not respond. */
const isDown = (route: Route) =>
  route.fulfill({
    status: 503,
    contentType: 'application/problem+json',
    body: JSON.stringify({
      type: 'about:blank',
      title: 'Service Unavailable',
      status: 503,
      code: 'database-unavailable',
      detail: 'the database does not answer',
      errors: [],
      requestId,
    }),
  });

const failing = [
  ['campaigns', () => 'campaigns', 'The campaigns could not be read', 'Payday, slowly'],
  ['a campaign', () => `campaigns/${ids.campaignId}`, 'The campaign could not be read', 'Definition'],
  ['a new campaign', () => 'campaigns/new', 'The form could not be loaded', 'Review'],
  ['a live run', () => `runs/${ids.runId}`, 'The run could not be read', 'Through the chain'],
  ['a report', () => `runs/${ids.endedId}/report`, 'The report could not be read', 'Users by step and country'],
  ['failures', () => `runs/${ids.endedId}/failures`, 'The failures could not be read', 'Error detail'],
  ['one user', () => `runs/${ids.endedId}/users/${ids.userId}`, 'The user could not be read', 'What happened'],
  ['jobs', () => 'jobs', 'The jobs could not be read', 'No open jobs'],
  ['clients', () => 'clients', 'The clients could not be read', 'No clients yet'],
  ['scheduler', () => 'scheduler', 'The scheduler could not be read', 'Regions and nodes'],
  ['settings', () => 'system', 'The system could not be read', 'Dependencies'],
  ['schedules', () => 'schedules', 'The schedules could not be read', 'No schedules yet'],
  ['the shards view', () => 'shards', 'The shards could not be read', 'Longest lag'],
  [
    'quarantined messages',
    () => 'quarantine',
    'The quarantined messages could not be read',
    'No message is in quarantine',
  ],
  [
    'quarantined jobs',
    () => 'quarantine?kind=job',
    'The quarantined jobs could not be read',
    'No job is in quarantine',
  ],
  ['the audit log', () => 'audit', 'The changes could not be read', 'started a campaign'],
] as const;

test('without the API each view names the data it could not load, states that nothing was changed and offers a retry', async () => {
  const first = await consoleOf.loggedIn();
  const context = first.context();
  await context.route(/\/v1\/(?!session)/, isDown);
  const tell = async ([name, path, title, whatIsThere]: (typeof failing)[number]) => {
    const page = await context.newPage();
    await page.goto(path());
    const alert = page.getByRole('alert').filter({ hasText: title });
    await alert.waitFor();
    const text = await alert.textContent();
    return { name, page, alert, whatIsThere, text };
  };
  const pages = await Promise.all(failing.map(tell));
  for (const { name, text } of pages) {
    expect(text, name).toContain('The database does not answer. Nothing was changed.');
    expect(text, name).toContain('request 01a1fd67');
  }
  const askAgain = async ({ page, alert }: (typeof pages)[number]) => {
    const again = alert.getByRole('button', { name: 'Try again' });
    await Promise.all([page.waitForRequest(/\/v1\//), again.click()]);
    await alert.waitFor();
  };
  await Promise.all(pages.map(askAgain));
  await context.unroute(/\/v1\/(?!session)/);
  const isBack = async ({ name, page, alert, whatIsThere }: (typeof pages)[number]) => {
    const again = alert.getByRole('button', { name: 'Try again' });
    const displayed = page.getByText(whatIsThere).filter({ visible: true }).first();
    // Some panels load again as soon as the stream reconnects, and then have no button. What counts is that the data is
    // displayed.
    again.click({ timeout: 60_000 }).catch(() => undefined);
    return displayed.waitFor({ timeout: 60_000 }).then(
      () => name,
      async () => `${name} shows ${(await page.getByRole('main').textContent()) ?? 'nothing'}`,
    );
  };
  expect(await Promise.all(pages.map(isBack))).toEqual(failing.map(([name]) => name));
});

test('a panel that cannot be loaded shows its own error, and the numbers of the run stay live', async () => {
  const page = await consoleOf.loggedIn();
  await page.route(/\/runs\/run_[0-9a-z]+\/(report|events)/, isDown);
  await page.goto(`runs/${ids.runId}`);
  await page.getByRole('alert').filter({ hasText: 'The failures could not be read' }).waitFor();
  await page.getByRole('alert').filter({ hasText: 'The events could not be read' }).waitFor();
  await page
    .getByRole('status')
    .filter({ hasText: /Live, updated \d s ago/ })
    .waitFor();
  expect(await page.getByRole('button', { name: 'Pause' }).getAttribute('aria-disabled')).toBeNull();
});

describe('a polled view', () => {
  const polled = [
    ['the shards view', () => 'shards', /\/v1\/shards/],
    ['the quarantine view', () => 'quarantine', /\/v1\/quarantine\/(messages|steps)/],
    ['a campaign', () => `campaigns/${ids.campaignId}`, /\/v1\/campaigns\//],
  ] as const;

  test.each(polled)(
    'is marked as stale while the API does not answer, and keeps its data: %s',
    async (_name, path, requested) => {
      const page = await consoleOf.loggedIn();
      await page.goto(path());
      const fresh = page.getByRole('status').filter({ hasText: /Live, updated \d s ago/ });
      await fresh.waitFor();
      const heading = await page.getByRole('heading', { level: 1 }).textContent();
      await page.route(requested, isDown);
      const banner = page.locator('.banner', { hasText: 'connecting again' });
      await banner.waitFor();
      expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe(heading);
      await page.unroute(requested);
      await banner.getByRole('button', { name: 'Try now' }).click();
      await banner.waitFor({ state: 'detached' });
      await fresh.waitFor();
    },
  );
});

describe('a viewer', () => {
  const may = {
    'A draft': { path: () => `campaigns/${ids.draftId}`, buttons: ['Duplicate', 'Edit', 'Start…'] },
    'A live run': { path: () => `runs/${ids.runId}`, buttons: ['Pause', 'Limits…', 'Cancel…'] },
    'A report': { path: () => `runs/${ids.endedId}/report`, buttons: ['Retry…', 'Run again…'] },
    'A shard': { path: () => 'shards?shard=award-reward.SG', buttons: ['Add partitions…'] },
  };

  async function asViewer(): Promise<Page> {
    const page = await consoleOf.visitor();
    await logIn(page, await consoleOf.keyOf('viewer'));
    return page;
  }

  test('sees each disabled control with the role that can use it', async () => {
    const page = await asViewer();
    for (const [view, { path, buttons }] of Object.entries(may)) {
      await page.goto(path());
      for (const name of buttons) {
        const button = page.locator('main, header').getByRole('button', { name, exact: true });
        await button.waitFor();
        expect(await button.getAttribute('aria-disabled'), `${name} of ${view}`).toBe('true');
      }
      const last = page.locator('main').getByRole('button', { name: buttons.at(-1) ?? '', exact: true });
      await last.hover();
      await page
        .getByRole('tooltip')
        .filter({ hasText: /^Needs the role (manager|operator); this key is a viewer$/ })
        .waitFor();
    }
  });

  test('is not shown a form that the role cannot submit', async () => {
    const page = await asViewer();
    await page.goto('campaigns/new');
    await page.getByText('This key cannot create campaigns').waitFor();
    await page.getByText('Needs the role manager; this key is a viewer', { exact: false }).waitFor();
    expect(await page.locator('main').getByRole('textbox').count()).toBe(0);
  });

  test('opens no dialog by keyboard shortcut, and is refused by the API whatever the page does', async () => {
    const page = await asViewer();
    await page.goto(`runs/${ids.runId}`);
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await page.keyboard.press('p');
    await page.keyboard.press('e');
    // Only the dialog with a question about a user opened; the shortcut for a pause did nothing.
    expect(await page.getByRole('dialog').getAttribute('aria-label')).toBe('Explain a user');
    const refused = await page.request.post(`v1/runs/${ids.runId}/pause`, { data: {} });
    expect(refused.status()).toBe(403);
  });
});
