import { describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { useConsole } from './support/console-in-browser.ts';
import { createHand } from './support/hand.ts';
import { obstacles, phone } from './support/obstacles.ts';

const consoleOf = useConsole({
  workers: 'all-in-one',
  sandbox: { SANDBOX_SEGMENTS: 'riders=5000', SANDBOX_REWARDS_FAILURE_SHARE: '0.05' },
});

async function fillForm(page: Page): Promise<void> {
  await page.goto('campaigns/new');
  await page.getByLabel('Name of the campaign').fill('Try, then choose');
  await page.getByLabel('Add a country by its code').fill('SG ');
  await page.getByRole('button', { name: 'Include a segment' }).click();
  await page.getByRole('combobox', { name: 'Segment' }).fill('riders');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByLabel('Add a step').selectOption('award-reward');
  await page.getByLabel('Parameters').fill('{"rewardId": "ride-5"}');
  await page.getByRole('button', { name: 'Variants of step 1' }).click();
  const second = page.getByRole('group', { name: 'Variant B' });
  await second.getByLabel('Parameters').fill('{"rewardId": "ride-9"}');
  await second.getByLabel('Variant', { exact: true }).fill('Bigger');
  await page.getByLabel('Split seed').fill('try, then choose');
  await page.getByLabel('Canary, first').fill('20 %');
}

describe('a campaign whose variant is chosen after a canary', () => {
  it.each([1440, phone])('is written, tried, decided and reported at %d px', async (width) => {
    const page = await consoleOf.loggedIn({ viewport: { width, height: 844 } });
    const hand = createHand();
    await fillForm(page);
    await hand.choose(page.getByLabel('When the canary users have ended'), 'choose-variant');
    const review = page.getByRole('complementary', { name: 'Review' });
    await review.getByRole('row', { name: 'variant Bigger, 10 % about 200' }).waitFor();
    await review.getByRole('row', { name: 'the variant you choose about 1,600' }).waitFor();
    await review.getByText('Ready to start.').waitFor();
    expect(await obstacles(page, width)).toEqual([]);

    await hand.press(page.getByRole('button', { name: 'Start…' }));
    const start = page.getByRole('dialog', { name: 'Start “Try, then choose”?' });
    await start.getByText(/pauses until a person chooses the variant of all other users/).waitFor();
    await hand.press(start.getByRole('button', { name: 'Start it' }));
    await page.waitForURL(/\/runs\/run_\w+$/);
    const runId = page.url().replace(/^.*\//, '');

    // The run waits for a person, so this page stays as it is.
    await hand.press(page.getByRole('button', { name: 'Choose a variant…' }));
    const dialog = page.getByRole('dialog', { name: 'Choose a variant' });
    await dialog.getByRole('listitem').filter({ hasText: 'Bigger − A' }).waitFor();
    await dialog.getByText(/^about 1,[56]\d\d$/).waitFor();
    expect(await dialog.getByRole('button', { name: 'Choose this variant' }).isDisabled()).toBe(true);
    await hand.press(dialog.getByRole('radio', { name: /^Bigger/ }));
    await dialog.getByText('Get Bigger.').waitFor();
    expect(await obstacles(page, width)).toEqual([]);
    await hand.press(dialog.getByRole('button', { name: 'Choose this variant' }));
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('chose Bigger for all other users, and resumed the run').waitFor();

    await consoleOf.muster.api.awaitEnd(runId);
    await page
      .getByRole('link', { name: /report/i })
      .first()
      .click();
    const panel = page.getByRole('region', { name: 'Variants', exact: true });
    await panel.getByText('A, 50 % · Bigger, 50 % of the canary users; all others get Bigger').waitFor();
    expect(await obstacles(page, width)).toEqual([]);
  });
});
