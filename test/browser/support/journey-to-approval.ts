import { expect } from 'vitest';
import type { Page } from 'playwright-core';
import {
  getApproval,
  listApprovals,
  listRuns,
  previewCampaign,
  previewUserFile,
} from '../../../sdk/generated/sdk.gen.ts';
import type { RunReport } from '../../../sdk/generated/types.gen.ts';
import { pageSegment } from '../../e2e/gather-evidence.ts';
import { button, canaryUsers, definitionOf, region, seen, type Journey } from './journey.ts';
import { cellsOf, effectsOf, figuresOf, displayed } from './shown-numbers.ts';

/**
 * A list as Excel saves it in a country of decimal commas: a byte order mark, semicolons, CRLF, headers of its own,
 * blanks behind ids, rows without an id. Some users of the segment that is left out are in it.
 */
async function excelList({ muster }: Journey): Promise<Buffer> {
  const segmentation = `${muster.sandboxUrl}/segmentation`;
  const staffOf = (country: string) => pageSegment(segmentation, 'staff', country);
  const users = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${prefix}-${String(index).padStart(6, '0')}`);
  const row = (country: string) => (user: string) => `${user};${country};Gold;1,5`;
  const inSingapore = [...users('sg', 1100), ...(await staffOf('SG')).slice(0, 40)];
  const inVietnam = [...users('vn', 420), ...(await staffOf('VN')).slice(0, 20)];
  const rows = [
    ...inSingapore.map(row('Singapore')),
    ...inVietnam.map(row('Vietnam')),
    ...users('sg', 7).map((user) => row('Singapore')(`${user} `)),
    ...['#N/A', '#N/A', '', 'NULL'].map(row('Vietnam')),
  ];
  return Buffer.from(`\ufeffCustomer ID;Country;Tier;Points\r\n${rows.join('\r\n')}\r\n`);
}

/** Uploads the list after a look at its preview, in which each number is the API's; nothing is stored before. */
async function bringList(page: Page, journey: Journey, file: { name: string; mimeType: string; buffer: Buffer }) {
  const chooser = page.waitForEvent('filechooser');
  const before = await journey.witness.lists();
  await journey.hand.press(button(page, 'Upload a list'));
  await (await chooser).setFiles(file);
  const preview = region(page, 'Preview of the file');
  await preview.getByRole('table', { name: 'First users' }).waitFor();
  const { client } = journey.muster.api;
  const headers = { 'content-type': 'text/csv' } as const;
  const read = (await previewUserFile({ client, body: new Blob([new Uint8Array(file.buffer)]), headers })).data;
  const lines = read.rejects.map(({ line, detail, value }) => [displayed(line), detail, value]);
  expect(await cellsOf(preview.getByRole('table', { name: /rejected lines/i }))).toEqual(lines);
  expect(await cellsOf(preview.getByRole('table', { name: 'First users' }))).toEqual(
    read.firstUsers.map(({ userId, country }) => [userId, country]),
  );
  const text = await seen(preview);
  const equation = `${displayed(read.rows)} lines = ${displayed(read.users)} with a user + ${displayed(read.rejected)} rejected.`;
  expect(text).toContain(equation);
  for (const { country, users } of read.countries) expect(text).toContain(`${country} ${displayed(users)}`);
  expect(await journey.witness.lists()).toEqual(before);

  await journey.hand.press(button(page, /^Upload \d/));
  const included = page.getByRole('list', { name: 'Included' });
  await included.getByText(file.name).waitFor();
  const stored = await journey.witness.lists();
  const added = { rows: stored.rows - before.rows, users: stored.users - before.users };
  const duplicates = stored.duplicates - before.duplicates;
  expect({ ...added, users: added.users + duplicates }).toEqual({ rows: read.rows, users: read.users });
  await expect
    .poll(() => seen(included))
    .toContain(`${displayed(added.users)} users · ${displayed(duplicates)} repeated · ${displayed(read.rejected)} `);
  return { ...added, duplicates };
}

/** Writes the campaign, and compares the review with what the API answers for the same definition. */
export async function writeCampaign(
  page: Page,
  journey: Journey,
  name: string,
): Promise<{ id: string; users: number }> {
  await journey.hand.press(page.getByRole('link', { name: /^New( campaign)?/ }).first());
  // The field of the name has the focus from the start.
  await page.locator('[data-pointer="/name"]:focus').waitFor();
  await page.keyboard.type(name);
  await journey.hand.write(page.getByLabel('Add a country by its code'), 'SG VN ');
  const file = { name: `${name}.csv`, mimeType: 'text/csv', buffer: await excelList(journey) };
  const { users } = await bringList(page, journey, file);
  await journey.hand.press(button(page, 'Exclude a segment'));
  await page.getByRole('combobox', { name: 'Segment' }).and(page.locator(':focus')).waitFor();
  await page.keyboard.type('staff');
  await page.keyboard.press('Enter');
  await page.getByRole('list', { name: 'Excluded' }).getByText('staff').waitFor();
  await journey.hand.choose(page.getByLabel('Add a step'), 'award-reward');
  await journey.hand.write(page.getByLabel('Pace, at most'), '100');
  await journey.hand.write(page.getByLabel('Canary, first'), String(canaryUsers));

  const review = page.getByRole('complementary', { name: 'Review' });
  await review.getByText('Ready to start.').waitFor();
  await journey.hand.press(button(page, 'Save draft'));
  await page.getByText('Saved as revision 1').waitFor();
  const id = /cmp_[0-9a-z]+/.exec(page.url())?.[0] ?? '';
  const definition = await definitionOf(journey, id);
  const { client } = journey.muster.api;
  const expected = (await previewCampaign({ client, body: definition })).data;
  await review.getByText('Ready to start.').waitFor();
  const sums = new Map((await cellsOf(review.getByRole('table'))).map(([label = '', value = '']) => [label, value]));
  const { atLeast, atMost } = expected.users;
  expect(sums.get('Audience, estimated')).toBe(`${displayed(atLeast)} to ${displayed(atMost ?? Number.NaN)}`);
  expect(sums.get('Included, estimated')).toBe(displayed(users));
  expect(atMost).toBe(users);
  const calls = expected.load.reduce((sum, line) => sum + (line.calls ?? 0), 0);
  expect(await seen(review)).toContain(`Callsat most ${displayed(calls)}`);
  return { id, users };
}

/** Sends a test to two users, and looks at the whole audience without a call. Returns the dry run. */
export async function tryIt(
  page: Page,
  journey: Journey,
  { id, users }: { id: string; users: number },
): Promise<RunReport> {
  await journey.hand.press(page.getByRole('link', { name: 'Test and dry run' }));
  await journey.hand.press(button(page, 'Send a test…'));
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: /^Users/ }).waitFor();
  await page.keyboard.type('tester-1\ntester-2');
  await journey.hand.press(button(dialog, 'Send it'));
  const test = await newestReport(journey, id, 'test');
  const through = test.steps.at(-1)?.succeeded ?? Number.NaN;
  await region(page, 'Test send').getByText(`${through} of ${test.audience.counted} through the chain`).waitFor();
  expect([test.audience.counted, through]).toEqual([
    2,
    (await journey.witness.run(test.runId)).steps.at(-1)?.succeeded,
  ]);

  await journey.hand.press(button(page, 'Start a dry run'));
  const dryRun = await newestReport(journey, id, 'dry-run');
  const stored = await journey.witness.run(dryRun.runId);
  const { counted, excluded } = dryRun.audience;
  expect({ counted, excluded }).toEqual({ counted: stored.fed, excluded: stored.excluded });
  expect([excluded, counted + excluded]).toEqual([60, users]);
  await region(page, 'Dry run').getByText(dryRunWords(dryRun)).waitFor();
  return dryRun;
}

function dryRunWords({ steps, audience: { counted, excluded } }: RunReport): string {
  const through = displayed(steps.at(-1)?.succeeded ?? Number.NaN);
  return `${through} of ${displayed(counted)} users would complete the chain; ${displayed(excluded)} are excluded.`;
}

async function newestReport(journey: Journey, campaignId: string, kind: 'test' | 'dry-run'): Promise<RunReport> {
  const { api } = journey.muster;
  const newest = async () => (await listRuns({ client: api.client, query: { campaignId, kind } })).data.items[0];
  await expect.poll(newest).toBeDefined();
  const { runId = '' } = (await newest()) ?? {};
  await api.awaitEnd(runId);
  return api.report(runId);
}

/** A second person approves what the first one has submitted. */
export async function approve(
  maker: Page,
  checker: Page,
  journey: Journey,
  { id, dryRun }: { id: string; dryRun: RunReport },
) {
  await journey.hand.press(button(maker, 'Submit for approval…'));
  await journey.hand.press(button(maker.getByRole('dialog'), 'Submit it'));
  await region(maker, 'Approval').getByText('Needs 1, has 0').waitFor();

  const { client } = journey.muster.api;
  const [waiting] = (await listApprovals({ client, query: { state: 'waiting' } })).data.items;
  const approval = (await getApproval({ client, path: { id: waiting?.id ?? '' } })).data;
  const atMost = Object.values(approval.usersAtMost).reduce((sum, users) => sum + users, 0);
  expect(atMost).toBe(await journey.witness.usersApproved(id));
  const counted = displayed(dryRun.audience.counted);

  if (await checker.getByRole('button', { name: 'Open navigation' }).isVisible())
    await journey.hand.press(button(checker, 'Open navigation'));
  await journey.hand.press(checker.getByRole('link', { name: /^Approvals/ }).first());
  const covered = region(checker, 'What you approve');
  await covered.getByText('Users, counted by the dry run').waitFor();
  const figures = await figuresOf(covered);
  const byCountry = Object.entries(approval.usersAtMost).map(([country, users]) => `${country} ${displayed(users)}`);
  expect(figures.get('Users, at most')).toBe(`${displayed(atMost)} | ${byCountry.join(' · ')}`);
  expect(figures.get('Users, counted by the dry run')).toMatch(new RegExp(`^${counted} \\|`));
  await region(checker, 'Dry run').getByText(dryRunWords(dryRun)).waitFor();
  await region(checker, 'Test send').getByText('2 of 2 through the chain').waitFor();
  await journey.hand.press(button(checker, 'Approve…'));
  const question = checker.getByRole('dialog');
  expect((await effectsOf(question)).map(([effect]) => effect)).toEqual([
    `${displayed(atMost)} users, at most`,
    `${counted} users, counted by the dry run`,
  ]);
  await journey.hand.press(button(question, 'Approve'));
  await checker.getByText('approved by rahayu').first().waitFor();
}
