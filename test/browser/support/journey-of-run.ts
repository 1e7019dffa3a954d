import { expect } from 'vitest';
import type { Locator, Page } from 'playwright-core';
import { z } from 'zod';
import { previewCampaign, previewCancel } from '../../../sdk/generated/sdk.gen.ts';
import type { RunReport } from '../../../sdk/generated/types.gen.ts';
import { badge, button, canaryUsers, definitionOf, region, seen, type Journey } from './journey.ts';
import { effectsOf, figuresOf, numbersIn, displayed, textsOf } from './shown-numbers.ts';

/** Starts the campaign, and lets its run continue after the canary. Returns the id of the run. */
export async function startWithCanary(page: Page, journey: Journey, { id, dryRun }: { id: string; dryRun: RunReport }) {
  await region(page, 'Approval').getByText('approved by rahayu').waitFor();
  await journey.hand.press(button(page, 'Start…'));
  const start = page.getByRole('dialog');
  await start.getByText('users, counted by the dry run').waitFor();
  const expected = (await previewCampaign({ client: journey.muster.api.client, body: await definitionOf(journey, id) }))
    .data;
  const calls = expected.load.reduce((sum, line) => sum + (line.calls ?? 0), 0);
  const effects = new Map(await effectsOf(start));
  const named = [...effects.keys()].filter((effect) => /users|calls|deadline/.test(effect));
  expect(named).toEqual([
    `${displayed(dryRun.audience.counted)} users, counted by the dry run`,
    `${canaryUsers} canary, users`,
    `${displayed(calls)} calls at most`,
    '1 d deadline',
  ]);
  await journey.hand.press(button(start, 'Start it'));
  await page.waitForURL(/\/runs\/run_/);
  const runId = /run_[0-9a-z]+/.exec(page.url())?.[0] ?? '';

  await button(page, 'Continue…').waitFor();
  await expectRunDisplayed(page, journey, runId, canaryUsers);
  await journey.hand.press(button(page, 'Continue…'));
  const confirmation = page.getByRole('dialog', { name: 'Continue with all other users?' });
  await expectResumeDisplayed(confirmation, journey, runId, dryRun.audience.counted - canaryUsers);
  await journey.hand.press(button(confirmation, 'Continue'));
  await confirmation.waitFor({ state: 'detached' });
  return runId;
}

/**
 * Expects the page to show the key figures of a paused run as the API and the database have them, and this number of
 * fed users.
 */
async function expectRunDisplayed(page: Page, journey: Journey, runId: string, fed?: number): Promise<void> {
  const { audience, steps } = await journey.muster.api.progress(runId);
  const stored = await journey.witness.run(runId);
  const [through, failed] = [steps.at(-1)?.succeeded ?? Number.NaN, steps.reduce((sum, line) => sum + line.failed, 0)];
  expect([audience.counted, through, failed]).toEqual([
    fed ?? stored.fed,
    stored.steps.at(-1)?.succeeded,
    stored.steps.reduce((sum, line) => sum + line.failed, 0),
  ]);
  await expect
    .poll(async () => (await figuresOf(page.getByRole('main'))).get('Through the chain'))
    .toContain(`${displayed(through)} of `);
  const figures = await figuresOf(page.getByRole('main'));
  expect(numbersIn(figures.get('Failed at a step') ?? '')[0]).toBe(displayed(failed));
}

/** Expects a dialog that resumes a run to show the number of users who have not been called. */
async function expectResumeDisplayed(
  dialog: Locator,
  journey: Journey,
  runId: string,
  leftUsers: number,
): Promise<void> {
  const preview = (await previewCancel({ client: journey.muster.api.client, path: { id: runId } })).data;
  const waiting = preview.notStartedUsers + preview.halfWayUsers;
  const left = waiting + (preview.notFedUsers ?? Number.NaN);
  expect(left).toBe(leftUsers);
  await dialog.getByText('users pending').waitFor();
  await expect.poll(async () => (await effectsOf(dialog))[0]?.[0]).toContain(`${displayed(left)} users pending`);
}

/** Pauses the run while it calls users, and resumes it. */
export async function pauseAndResume(page: Page, journey: Journey, runId: string, users: number): Promise<void> {
  const { api } = journey.muster;
  await expect.poll(async () => (await api.progress(runId)).audience.counted).toBeGreaterThan(canaryUsers);
  const previewed = page.waitForResponse((response) => response.url().includes(`${runId}/cancel-preview`));
  await journey.hand.press(button(page, 'Pause'));
  const pause = page.getByRole('dialog', { name: 'Pause this run?' });
  const answered = previewShape.parse(await (await previewed).json());
  const waiting = answered.notStartedUsers + answered.halfWayUsers;
  await expect
    .poll(async () => (await effectsOf(pause)).map(([effect]) => numbersIn(effect)[0]))
    .toEqual(
      expect.arrayContaining([displayed(answered.inFlight.batches), displayed(answered.waiting), displayed(waiting)]),
    );
  await journey.hand.press(button(pause, 'Pause run'));
  await badge(page, 'Paused').waitFor();
  await expectRunDisplayed(page, journey, runId);

  await journey.hand.press(button(page, 'Resume'));
  const resume = page.getByRole('dialog', { name: 'Resume this run?' });
  const stored = await journey.witness.run(runId);
  const ended = stored.steps.reduce((sum, { succeeded, failed }) => sum + succeeded + failed, 0);
  await expectResumeDisplayed(resume, journey, runId, users - ended);
  await journey.hand.press(button(resume, 'Resume run'));
  await badge(page, 'Running').waitFor();
}

const previewShape = z.object({
  notStartedUsers: z.int(),
  halfWayUsers: z.int(),
  waiting: z.int(),
  inFlight: z.object({ batches: z.int() }),
});

/** Reads the report, and makes a link to it. Returns the link. */
export async function readAndShare(page: Page, journey: Journey, { runId, users }: { runId: string; users: number }) {
  await badge(page, 'Completed').waitFor({ timeout: 120_000 });
  await journey.hand.press(page.getByRole('link', { name: 'Open report' }));
  const sum = region(page, 'The sum');
  await sum.waitFor();
  const report = await journey.muster.api.report(runId);
  const line = report.steps.at(-1);
  const stored = await journey.witness.run(runId);
  expect([line?.audience, line?.succeeded, line?.failed]).toEqual([
    users,
    stored.steps.at(-1)?.succeeded,
    stored.steps.at(-1)?.failed,
  ]);
  expect(line?.succeeded).toBe(await journey.muster.effectsOf(runId, 1));
  const terms = await textsOf(sum.locator('.term'));
  expect(terms).toEqual([
    `${displayed(users)}audience`,
    `${displayed(line?.succeeded ?? Number.NaN)}succeeded`,
    `${displayed(line?.failed ?? Number.NaN)}failed`,
    ...['skipped', 'suppressed', 'held out', 'expired', 'cancelled', 'unknown'].map((outcome) => `0${outcome}`),
  ]);
  const main = await seen(page.getByRole('main'));
  expect(main).toContain(`${displayed(report.audience.excluded)} users were excluded`);
  for (const { users: each } of report.failures) expect(numbersIn(main)).toContain(displayed(each));

  await journey.hand.press(button(page, 'Share…'));
  const share = page.getByRole('dialog', { name: 'Share this report' });
  await journey.hand.press(button(share, 'Create a link'));
  return { report, link: (await share.locator('code').textContent()) ?? '' };
}

/** A colleague without a key opens the link. */
export async function readShared(page: Page, link: string, report: RunReport): Promise<void> {
  await page.goto(link);
  await page.getByRole('heading', { name: report.campaignName }).waitFor();
  // `innerText` separates the cells of a table by white space.
  const body = await page.locator('body').innerText();
  const counts = report.countries.flatMap(({ steps }) => steps.flatMap(({ succeeded, failed }) => [succeeded, failed]));
  const expected = [report.audience.counted, ...counts, ...report.failures.map(({ users }) => users)].map(displayed);
  expect(numbersIn(body)).toEqual(expect.arrayContaining(expected));
}
