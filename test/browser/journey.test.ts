import { expect, test } from 'vitest';
import type { Locator, Page } from 'playwright-core';
import { rewardThenMessage } from '../e2e/installation.ts';
import { awaitThat, useConsole } from './support/console-in-browser.ts';

const users = 3000;

const consoleOf = useConsole({
  workers: 'all-in-one',
  sandbox: { SANDBOX_SEGMENTS: `lapsed-riders=${users}`, SANDBOX_REWARDS_FAILURE_SHARE: '0.05' },
});

const badge = (page: Page, state: string) => page.locator('.head .badge', { hasText: state });

/** The number that a page begins with: users through the chain. */
async function succeeded(page: Page): Promise<number> {
  const text = (await page.locator('.kpi', { hasText: 'Through the chain' }).locator('.sub').textContent()) ?? '';
  return Number(/[\d,]+/.exec(text)?.[0].replaceAll(',', '') ?? Number.NaN);
}

async function press(dialog: Locator, name: RegExp): Promise<void> {
  await dialog.getByRole('button', { name }).click();
  await dialog.waitFor({ state: 'detached' });
}

async function writeCampaign(page: Page, name: string): Promise<void> {
  await page.getByRole('link', { name: /New campaign/ }).click();
  await page.getByLabel('Name of the campaign').fill(name);
  await page.getByLabel('Add a country by its code').fill('SG VN ');
  await page.getByRole('button', { name: 'Include a segment' }).click();
  await page.getByRole('combobox', { name: 'Segment' }).fill('lapsed-riders');
  await page.getByRole('combobox', { name: 'Segment' }).press('Enter');
  await page.getByLabel('Add a step').selectOption('award-reward');
  await page.getByLabel('Add a step').selectOption('send-message');
  await page.getByLabel('Pace, at most').fill('150');
}

test('a user writes, starts, watches, pauses, resumes, reports and retries a campaign, and explains one of its users', async () => {
  const page = await consoleOf.loggedIn();
  await writeCampaign(page, 'Payday top-up');
  await page.getByRole('button', { name: 'Start…' }).click();
  await press(page.getByRole('dialog', { name: 'Start “Payday top-up”?' }), /^Start it$/);
  await page.waitForURL(/\/runs\/run_/);

  await badge(page, 'Running').waitFor();
  await awaitThat(async () => (await succeeded(page)) > 0);
  const seen = await succeeded(page);
  await awaitThat(async () => (await succeeded(page)) > seen);

  await page.keyboard.press('p');
  await press(page.getByRole('dialog', { name: 'Pause this run?' }), /^Pause run$/);
  await badge(page, 'Paused').waitFor();
  await page.getByRole('button', { name: 'Resume' }).click();
  await press(page.getByRole('dialog', { name: 'Resume this run?' }), /^Resume run$/);
  await badge(page, 'Running').waitFor();

  await badge(page, 'Completed').waitFor({ timeout: 90_000 });
  const runId = /run_[0-9a-z]+/.exec(page.url())?.[0] ?? '';
  await page.getByRole('link', { name: 'Open report' }).click();
  // The test waits for this button, because the page of the live run has all the other elements too.
  await page.getByRole('button', { name: 'Print' }).waitFor();
  const { steps } = await consoleOf.muster.api.report(runId);
  const through = steps.at(-1)?.succeeded ?? Number.NaN;
  expect(await page.getByRole('main').textContent()).toContain(through.toLocaleString('en-US'));

  const [failed] = await consoleOf.muster.api.failures(runId);
  await page.keyboard.press('e');
  const explain = page.getByRole('dialog', { name: 'Explain a user' });
  await explain.getByLabel(/User id/).fill(failed?.userId ?? '');
  await press(explain, /^Explain user$/);
  await page.getByRole('heading', { name: failed?.userId ?? '', level: 1 }).waitFor();
  await page.getByText('Got nothing', { exact: false }).first().waitFor();
  await page.goBack();

  await page.getByRole('main').locator('tbody [role="checkbox"], tbody input[type="checkbox"]').first().click();
  await page.getByRole('button', { name: /^Retry these/ }).click();
  await press(page.getByRole('dialog', { name: /^Retry .+\?$/ }), /^Retry \d/);
  await page.waitForURL((at) => at.pathname.includes('/runs/run_') && !at.pathname.includes(runId));
  await page.locator('.head .badge').first().waitFor();
});

test('the cancel dialog shows how many users are halfway and requires a typed word, then the run is cancelled', async () => {
  const page = await consoleOf.loggedIn();
  const runId = await consoleOf.muster.api.run({
    name: 'Lapsed riders, trial',
    countries: ['SG'],
    segment: 'lapsed-riders',
    chain: rewardThenMessage,
    paceUsersPerSecond: 20,
  });
  await page.goto(`runs/${runId}`);
  await badge(page, 'Running').waitFor();
  await page.getByRole('button', { name: 'Cancel…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Cancel this run for good?' });
  const confirm = dialog.getByRole('button', { name: 'Cancel run' });
  await dialog.getByText(/users? half-way/).waitFor();
  expect(await confirm.isDisabled()).toBe(true);
  await dialog.getByRole('textbox').fill('cancel');
  await press(dialog, /^Cancel run$/);
  await badge(page, 'Cancelled').waitFor();
  await page.goto('campaigns?state=ended');
  await page
    .getByRole('row', { name: /Lapsed riders, trial/ })
    .getByText('Cancelled', { exact: true })
    .waitFor();
});

test('a refused form shows each problem at its field and focuses the first one', async () => {
  const page = await consoleOf.loggedIn();
  await page.goto('campaigns/new');
  await page.getByLabel('Add a country by its code').fill('SG XX ');
  await page.getByLabel('Add a step').selectOption('award-reward');
  await page.getByRole('button', { name: 'Start…' }).click();
  const name = page.getByLabel('Name of the campaign');
  await page.locator('[data-pointer="/name"][aria-invalid="true"]').waitFor();
  // The form moves the focus after it has rendered the problems.
  await awaitThat(async () => (await page.evaluate('document.activeElement.dataset.pointer')) === '/name');
  await name.fill('Named now');
  await awaitThat(async () => (await name.getAttribute('aria-invalid')) === null);
  await page.locator('[data-wrong]', { hasText: 'XX' }).first().waitFor();
  await page.locator('[data-wrong]', { hasText: 'Include any of' }).first().waitFor();
});
