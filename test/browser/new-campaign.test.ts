import { describe, expect, it, test } from 'vitest';
import { getCampaign } from '../../sdk/generated/sdk.gen.ts';
import type { Page } from 'playwright-core';
import { awaitThat, useConsole } from './support/console-in-browser.ts';

const consoleOf = useConsole({
  workers: 'all-in-one',
  sandbox: { SANDBOX_SEGMENTS: 'loyalty-members=1200,staff=100' },
});

const list = {
  name: 'partners.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from('userId,country\np1,SG\np2,VN\np1,SG\n,SG\n'),
};

async function addSegment(page: Page, adder: string, segment: string): Promise<void> {
  await page.getByRole('button', { name: adder }).click();
  await page.getByRole('combobox', { name: 'Segment' }).fill(segment);
  await page.getByRole('button', { name: 'Add', exact: true }).click();
}

async function fillEverySection(page: Page, name: string): Promise<void> {
  await page.getByLabel('Name of the campaign').fill(name);
  await page.getByLabel('Add a country by its code').fill('SG VN ');
  await page.getByRole('textbox', { name: 'Hold out' }).fill('5');
  await page.getByLabel('Seed').fill('loyalty-2027');
  await addSegment(page, 'Include a segment', 'loyalty-members');
  await page.getByLabel('File with a list of users').setInputFiles(list);
  await page.getByRole('button', { name: /^Upload \d+ B$/ }).click();
  // One of four rows is no user, and more than 5 % need a click.
  await page.getByRole('button', { name: 'Skip 1 row and upload' }).click();
  await page.getByRole('list', { name: 'Included' }).getByText('partners.csv').waitFor();
  await addSegment(page, 'Exclude a segment', 'staff');

  await page.getByLabel('Add a step').selectOption('award-reward');
  await page.getByLabel('Parameters').fill('{"rewardId": "ride-5"}');
  await page.getByLabel('Cost per user').fill('2');
  const budgets = page.getByRole('group', { name: /^Budgets/ });
  await budgets.getByLabel('SG').fill('5,000');
  await budgets.getByLabel('VN').fill('5,000');

  await page.getByRole('button', { name: 'Recurring' }).click();
  await page.getByLabel('By', { exact: true }).selectOption('cron');
  await page.getByLabel('Rule, five fields').fill('30 2 4 * *');
  await page.getByLabel('Zone', { exact: true }).fill('Australia/Sydney');
  await page.getByLabel('Pace, at most').fill('1,200');
  await page.getByLabel('Deadline after start', { exact: true }).fill('2');
  await page.getByLabel('Pause automatically at').fill('5');
}

test('a user fills every section of a campaign, reloads, saves a draft, changes, schedules and unschedules it', async () => {
  const page = await consoleOf.loggedIn();
  await page.goto('campaigns/new');
  await fillEverySection(page, 'Monthly loyalty points');
  await page.getByText('At 02:30, on day 4 of the month').waitFor();
  await page.getByRole('table', { name: 'The next starts' }).getByRole('row').nth(5).waitFor();
  const review = page.getByRole('complementary', { name: 'Review' });
  await review.getByText('Ready to start.').waitFor();
  await review
    .getByRole('row')
    .filter({ hasText: /Audience, estimated[\d,]+ to [\d,]+/ })
    .waitFor();

  await page.reload();
  await page.getByText('were kept in this tab').waitFor();
  expect(await page.getByLabel('Name of the campaign').inputValue()).toBe('Monthly loyalty points');

  await page.getByRole('button', { name: 'Save draft' }).click();
  await page.waitForURL(/\/campaigns\/cmp_[0-9a-z]+\/edit$/);
  await page.getByText('Saved as revision 1').waitFor();
  await page.getByLabel('Pace, at most').fill('');
  await page.getByRole('button', { name: 'Save draft' }).click();
  await page.getByText('Saved as revision 2').waitFor();

  const id = /cmp_[0-9a-z]+/.exec(page.url())?.[0] ?? '';
  const { client } = consoleOf.muster.api;
  expect((await getCampaign({ client, path: { id } })).data).toMatchObject({
    name: 'Monthly loyalty points',
    countries: ['SG', 'VN'],
    deadlineSeconds: 172_800,
    pauseAtFailedPercent: 5,
    audience: { include: [{ segment: 'loyalty-members' }, {}], exclude: [{ segment: 'staff' }], holdOutPercent: 5 },
    chain: [{ action: 'award-reward', params: { rewardId: 'ride-5' }, unitsPerUser: 2 }],
    budgets: [
      { country: 'SG', units: 5000 },
      { country: 'VN', units: 5000 },
    ],
    schedule: { type: 'recurring', cron: '30 2 4 * *', zone: 'Australia/Sydney' },
  });

  await page.getByRole('button', { name: 'Schedule…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Schedule “Monthly loyalty points”?' });
  await dialog.filter({ hasText: /[\d,]+ to [\d,]+users/ }).waitFor();
  await dialog.getByRole('button', { name: 'Schedule it' }).click();
  await page.getByRole('heading', { name: 'Monthly loyalty points', level: 1 }).waitFor();
  await page.locator('.head .badge', { hasText: 'Scheduled' }).waitFor();

  await page.getByRole('button', { name: 'Unschedule…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Unschedule it' }).click();
  await page.locator('.head .badge', { hasText: 'Draft' }).waitFor();
  await page.getByRole('link', { name: 'Duplicate' }).click();
  await awaitThat(
    async () => (await page.getByLabel('Name of the campaign').inputValue()) === 'Monthly loyalty points, copy',
  );
});

test('a refused form shows each problem at its field, and the review links to the field', async () => {
  const page = await consoleOf.loggedIn();
  await page.goto('campaigns/new');
  await page.getByLabel('Add a country by its code').fill('SG ');
  await page.getByLabel('Name of the campaign').fill('Half written');
  await page.getByLabel('Seed').focus();
  await addSegment(page, 'Include a segment', 'no-such-segment');
  await page.getByLabel('Add a step').selectOption('award-reward');
  await page.getByLabel('Parameters').fill('{');
  await page.getByLabel('Pace, at most').fill('fast');
  // The test clicks directly from the last field, before the form has checked this field.
  await page.getByRole('button', { name: 'Start…' }).click();

  const at = (pointer: string) => page.locator(`[data-pointer="${pointer}"]`);
  await at('/paceUsersPerSecond').and(page.locator('[aria-invalid="true"]')).waitFor();
  await at('/chain/0/params').and(page.locator('[aria-invalid="true"]')).waitFor();
  await page
    .getByRole('list', { name: 'Included' })
    .getByText(/there is no segment "no-such-segment"/i)
    .waitFor();
  await page.getByRole('complementary', { name: 'Review' }).getByRole('button', { name: 'Pace' }).click();
  const focused = () => page.evaluate('document.activeElement.dataset.pointer');
  await awaitThat(async () => (await focused()) === '/paceUsersPerSecond');
});

test('a click from a field directly on a button works, even if the field then shows a problem', async () => {
  const page = await consoleOf.loggedIn();
  await page.goto('campaigns/new');
  const review = page.getByRole('complementary', { name: 'Review' });
  await review.getByRole('button', { name: 'Enter a name' }).waitFor();
  await page.getByLabel('Name of the campaign').focus();
  await page.getByRole('button', { name: 'Include a segment' }).click();
  await page.getByRole('combobox', { name: 'Segment' }).waitFor();
  await page.locator('[data-pointer="/name"][aria-invalid="true"]').waitFor();

  await page.getByRole('textbox', { name: 'Hold out' }).fill('a few of them');
  await page.getByRole('button', { name: 'Exclude a list' }).click();
  await page.locator('[data-pointer="/audience/holdOutPercent"][aria-invalid="true"]').waitFor();
  await page.getByRole('button', { name: 'Exclude a list', expanded: true }).waitFor();
  // The form adds a typed country when its field loses the focus. Only then do the buttons below it move.
  await page.getByLabel('Add a step').selectOption('award-reward');
  await page.getByLabel('Add a country by its code').fill('VN');
  await page.getByRole('button', { name: 'Add Singapore' }).click();
  await page.getByRole('button', { name: 'Remove Vietnam' }).waitFor();
  await page.getByRole('button', { name: 'Remove Singapore' }).waitFor();
});

describe('a real mouse', () => {
  it('operates every kind of control of the campaign editor', async () => {
    const { api } = consoleOf.muster;
    const chain = [{ action: 'award-reward', params: { rewardId: 'ride-5' } }];
    await api.run({ name: 'Earlier campaign', countries: ['SG'], segment: 'staff', chain });
    const page = await consoleOf.loggedIn();
    await page.goto('campaigns/new');

    await page.getByRole('button', { name: 'Exclude an earlier run' }).click();
    await page.getByLabel('Earlier run', { exact: true }).selectOption({ index: 1 });
    const box = page.getByRole('checkbox', { name: 'failed' });
    // Each of these fails if the click does not change the box.
    await box.check();
    await box.uncheck();
    await box.check();
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('list', { name: 'Excluded' }).getByText('failed').waitFor();

    await page.getByRole('button', { name: 'Recurring' }).click();
    await page.getByRole('button', { name: 'Recurring', pressed: true }).waitFor();
    await page.getByLabel('Name of the campaign').click();
    await page.keyboard.type('Operated');
    expect(await page.getByLabel('Name of the campaign').inputValue()).toBe('Operated');
  });
});

test('the review lists the missing entries one by one', async () => {
  const page = await consoleOf.loggedIn();
  await page.goto('campaigns/new');
  const requested = page.getByRole('complementary', { name: 'Review' }).getByRole('listitem');
  const expected = ['Enter a name', 'Choose a country', 'Add users: a segment, a list or an earlier run', 'Add a step'];
  await requested.first().waitFor();
  expect(await requested.allTextContents()).toEqual(expected);
  await requested.getByRole('button', { name: 'Choose a country' }).click();
  const focused = () => page.evaluate('document.activeElement.ariaLabel');
  await awaitThat(async () => (await focused()) === 'Add a country by its code');
});

test('a click on a shard shows its partitions and owners', async () => {
  const page = await consoleOf.loggedIn();
  await page.goto('shards');
  await page.getByRole('button', { name: /award-reward SG/ }).click();
  await page.waitForURL(/shard=award-reward\.SG/);
  await page.getByRole('table', { name: 'Partitions and their owners' }).getByRole('row').nth(1).waitFor();
});
