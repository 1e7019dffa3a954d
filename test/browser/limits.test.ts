import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { rewardThenMessage } from '../e2e/installation.ts';
import { useConsole } from './support/console-in-browser.ts';

const consoleOf = useConsole({
  workers: 'all-in-one',
  sandbox: { SANDBOX_SEGMENTS: 'lapsed-riders=600', SANDBOX_REWARDS_FAILURE_SHARE: '0' },
});

const badge = (page: Page, state: string) => page.locator('.head .badge', { hasText: state });
const limits = (page: Page) => page.getByRole('dialog', { name: 'Limits of this run' });

test('a user lowers the pace of an active run, and the header, the events and the API show the change', async () => {
  const { api } = consoleOf.muster;
  const [countries, segment] = [['SG'], 'lapsed-riders'];
  // A minute of users: the run must not end before the limits are changed, on a busy machine either.
  const campaign = { countries, segment, chain: rewardThenMessage, paceUsersPerSecond: 4 };
  const runId = await api.run({ ...campaign, name: 'Payday, slowly' });
  const page = await consoleOf.loggedIn();
  await page.goto(`runs/${runId}`);
  await badge(page, 'Running').waitFor();
  await page.getByRole('button', { name: 'Limits…' }).click();
  const dialog = limits(page);
  await dialog.getByRole('textbox', { name: /^Pace/ }).fill('2');
  await dialog.getByText(/^Ends about/).waitFor();
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`)).toEqual([]);
  await dialog.getByRole('textbox', { name: /^Reason/ }).fill('rewards asked for it');
  await dialog.getByRole('button', { name: 'Change 1 limit' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.locator('.meta', { hasText: 'at most 2 users/s' }).waitFor();
  await page.getByText('changed the pace from 4 users/s to 2 users/s', { exact: false }).waitFor();
  await page.getByText('rewards asked for it', { exact: false }).waitFor();
  expect((await api.progress(runId)).settings.paceUsersPerSecond).toBe(2);
});

test('a user raises the budget of a paused run from its banner and resumes it, and all users are reached', async () => {
  const { api } = consoleOf.muster;
  const [reward, message] = rewardThenMessage;
  if (!reward || !message) throw new Error('the chain has two steps');
  const runId = await api.run({
    name: 'Payday, too dear',
    countries: ['SG'],
    segment: 'lapsed-riders',
    chain: [{ ...reward, unitsPerUser: 1 }, message],
    budgets: [{ country: 'SG', units: 100 }],
  });
  const page = await consoleOf.loggedIn();
  await page.goto(`runs/${runId}`);
  await badge(page, 'Paused').waitFor({ timeout: 90_000 });
  await page.getByText('Raise the budget of the campaign, then resume the run', { exact: false }).waitFor();
  await page.getByRole('region', { name: 'Budget' }).getByText('0 left').waitFor();
  await page.getByRole('button', { name: 'Raise the budget…' }).click();
  const dialog = limits(page);
  await dialog.getByRole('textbox', { name: /^Budget of SG/ }).fill('1,000');
  await dialog.getByRole('button', { name: 'Change 1 limit and resume' }).click();
  await dialog.waitFor({ state: 'detached' });
  await badge(page, 'Completed').waitFor({ timeout: 90_000 });
  const { steps, audience, budgets } = await api.report(runId);
  expect(audience.counted).toBeGreaterThan(100);
  expect(steps.map(({ succeeded }) => succeeded)).toEqual([audience.counted, audience.counted]);
  expect(budgets).toMatchObject([{ units: 1000, used: audience.counted }]);
});
