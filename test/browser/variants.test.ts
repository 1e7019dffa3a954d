import { describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { useConsole } from './support/console-in-browser.ts';
import { obstacles, phone } from './support/obstacles.ts';

const consoleOf = useConsole({
  workers: 'all-in-one',
  sandbox: { SANDBOX_SEGMENTS: 'riders=5000', SANDBOX_REWARDS_FAILURE_SHARE: '0.05' },
});

async function fillForm(page: Page): Promise<void> {
  await page.goto('campaigns/new');
  await page.getByLabel('Name of the campaign').fill('Two rewards');
  await page.getByLabel('Add a country by its code').fill('SG ');
  await page.getByRole('textbox', { name: 'Hold out' }).fill('10');
  await page.getByLabel('Seed', { exact: true }).fill('two rewards');
  await page.getByRole('button', { name: 'Include a segment' }).click();
  await page.getByRole('combobox', { name: 'Segment' }).fill('riders');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByLabel('Add a step').selectOption('award-reward');
  await page.getByLabel('Parameters').fill('{"rewardId": "ride-5"}');
  // By keyboard alone: the button, then the fields of the second variant.
  await page.getByRole('button', { name: 'Variants of step 1' }).focus();
  await page.keyboard.press('Enter');
  const second = page.getByRole('group', { name: 'Variant B' });
  await second.getByLabel('Parameters').fill('{"rewardId": "ride-9"}');
  await second.getByLabel('Variant', { exact: true }).fill('Bigger');
  await page.getByLabel('Add a step').selectOption('send-message');
  // With both seeds, each run of this test has the same users in each variant, and so the same verdict.
  await page.getByLabel('Split seed').fill('two rewards');
  const message = page.getByRole('group', { name: /^Step 2/ });
  await message.getByLabel('Parameters').fill('{"template": "payday"}');
}

/** Returns the numbers of a row of the table, without its name and its percentages. */
async function figuresOf(page: Page, step: number, row: string): Promise<number[]> {
  const table = page.getByRole('region', { name: `Variants in step ${step}` }).getByRole('table');
  const cells = await table
    .getByRole('row', { name: new RegExp(`^${row}`) })
    .getByRole('cell')
    .allTextContents();
  return cells.map((cell) => Number((/^[\d,]+/.exec(cell)?.[0] ?? '').replaceAll(',', '')));
}

describe('a campaign with two variants', () => {
  it.each([1440, phone])('is written, reviewed, started and reported at %d px', async (width) => {
    const page = await consoleOf.loggedIn({ viewport: { width, height: 844 } });
    await fillForm(page);
    const review = page.getByRole('complementary', { name: 'Review' });
    await review.getByText('Ready to start.').waitFor();
    await review.getByRole('row', { name: 'variant A, 50 % about 900' }).waitFor();
    await review.getByRole('row', { name: 'variant Bigger, 50 % about 900' }).waitFor();
    expect(await obstacles(page, width)).toEqual([]);

    await page.getByRole('button', { name: 'Start…' }).click();
    const dialog = page.getByRole('dialog', { name: 'Start “Two rewards”?' });
    await dialog.getByText(/A about 900 · Bigger about 900 users/).waitFor();
    await dialog.getByRole('button', { name: 'Start it' }).click();
    // The page of the campaign follows the start to its run.
    await page.waitForURL(/\/runs\/run_\w+$/);
    const runId = page.url().replace(/^.*\//, '');
    await consoleOf.muster.api.awaitEnd(runId);
    await page.getByRole('link', { name: 'Report' }).first().click();

    const panel = page.getByRole('region', { name: 'Variants', exact: true });
    await panel.getByText('A, 50 % · Bigger, 50 %').waitFor();
    for (const step of [1, 2]) {
      for (const row of ['Users', 'Succeeded', 'Failed', 'Held out']) {
        const [a = 0, bigger = 0, all = 0] = await figuresOf(page, step, row);
        expect({ row, step, sum: a + bigger }).toEqual({ row, step, sum: all });
      }
    }
    expect((await figuresOf(page, 1, 'Users')).at(-1)).toBe(2000);
    const [lead] = await panel.getByRole('listitem').allTextContents();
    expect(lead).toMatch(/^Succeeded Bigger − A: [+−]?[\d.]+ points, between [+−][\d.]+ and [+−][\d.]+/);
    expect(lead).toMatch(/Not enough users yet: [\d,]+ needed in each, [\d,]+ so far|No difference that matters/);
    expect(await obstacles(page, width)).toEqual([]);

    await page.goto(`campaigns/${(await consoleOf.muster.api.progress(runId)).campaignId}`);
    await page.getByRole('list', { name: 'Variants of step 1' }).getByText('ride-9').waitFor();
  });
});
