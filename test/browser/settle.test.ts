import type { Locator } from 'playwright-core';
import { expect, test } from 'vitest';
import { useConsole } from './support/console-in-browser.ts';
import { lostAnswers, runWithUnknownUsers } from './support/lost-answers.ts';

const consoleOf = useConsole({
  workers: 'all-in-one',
  ...lostAnswers,
  sandbox: { ...lostAnswers.sandbox, SANDBOX_SEGMENTS: 'few=30' },
});

async function confirm(dialog: Locator, verb: string): Promise<void> {
  await dialog.getByRole('checkbox').check();
  await dialog.getByRole('button', { name: verb }).click();
  await dialog.getByRole('status').getByText('Settled.').waitFor();
}

test('a user settles unknown users by hand and by file, and the report balances without unknown users', async () => {
  const { api } = consoleOf.muster;
  const runId = await runWithUnknownUsers(api, 'few');
  const [byHand, ...inFile] = (await api.failures(runId)).map(({ userId }) => userId);
  if (byHand === undefined || inFile.length === 0) throw new Error('the run has users');
  const page = await consoleOf.loggedIn();
  await page.goto(`runs/${runId}/report`);
  await page.getByRole('button', { name: `Settle ${inFile.length + 1} unknown…` }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('It has no status endpoint', { exact: false }).waitFor();

  await dialog.getByRole('button', { name: 'One user by hand' }).click();
  await dialog.getByLabel(/^User id/).fill(byHand);
  await confirm(dialog, 'Settle as succeeded');

  await dialog.getByRole('button', { name: 'Settle more' }).click();
  await dialog.getByRole('button', { name: 'By a file' }).click();
  const lines = inFile.map((userId) => `${userId},1,failed,no-account\n`).join('');
  const file = { name: 'settled.csv', mimeType: 'text/csv', buffer: Buffer.from(lines) };
  await dialog.getByLabel(/^File/).setInputFiles(file);
  await confirm(dialog, 'Settle by this file');
  await page.getByRole('dialog', { name: 'No unknown users left' }).waitFor();
  await dialog.getByRole('button', { name: 'Done' }).click();

  await page.getByText(`${inFile.length + 1} unknown outcomes settled since the run ended.`).waitFor();
  await page.getByRole('rowheader', { name: 'no-account' }).waitFor();
  const [line] = (await api.report(runId)).steps;
  expect(line).toMatchObject({ unknown: 0, succeeded: 1, failed: inFile.length });
});
