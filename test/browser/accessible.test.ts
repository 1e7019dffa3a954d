import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { shareReport } from '../../sdk/generated/sdk.gen.ts';
import { rewardThenMessage } from '../e2e/installation.ts';
import type { MusterApi } from '../e2e/muster-api.ts';
import { accessibleViews, type Ids } from './support/accessible-views.ts';
import { useConsole } from './support/console-in-browser.ts';
import { lostAnswers, runWithUnknownUsers } from './support/lost-answers.ts';
import { addJob, addRules, addTestedDraft, saveAudience } from './support/one-of-each.ts';
import { cutControls } from './support/cut-controls.ts';
import { smallTargets } from './support/small-targets.ts';

const consoleOf = useConsole({
  workers: 'all-in-one',
  ...lostAnswers,
  sandbox: {
    ...lostAnswers.sandbox,
    SANDBOX_SEGMENTS: 'lapsed-riders=1000,few=30',
    SANDBOX_REWARDS_FAILURE_SHARE: '0.05',
  },
});

const phone = 390;
const widths = [1440, 1280, phone];
/** Dialogs over a view, by the button that opens them. */
const dialogs = [
  { pathOf: ({ endedId }: Ids) => `runs/${endedId}/report`, button: 'Share…' },
  { pathOf: ({ endedId }: Ids) => `runs/${endedId}/report`, button: 'Other runs…' },
  { pathOf: ({ unknownId }: Ids) => `runs/${unknownId}/report`, button: /^Settle/ },
  { pathOf: ({ endedId }: Ids) => `runs/${endedId}/failures`, button: 'Time' },
  { pathOf: () => 'action-types?name=award-reward', button: /^Register/ },
  { pathOf: () => 'action-types?name=award-reward', button: 'Set the secret signing' },
  { pathOf: () => 'quiet-hours', button: /^New/ },
  { pathOf: () => 'caps', button: /^New/ },
  { pathOf: () => 'suppressions', button: /^Add users/ },
  { pathOf: () => 'suppressions', button: /^Upload/ },
  { pathOf: () => 'audiences?kind=saved', button: 'Change…' },
  { pathOf: () => 'audiences?kind=saved', button: 'Changes in revision 2' },
  { pathOf: () => 'templates', button: 'Change Payday' },
  { pathOf: () => 'templates', button: 'Revisions of Payday' },
  { pathOf: ({ draftId }: Ids) => `campaigns/${draftId}`, button: 'Restore revision 1' },
  { pathOf: () => 'clients/shop', button: 'Endpoint' },
  { pathOf: () => 'notifications', button: 'New notification' },
  { pathOf: () => 'system', button: 'Change…' },
  { pathOf: () => 'keys', button: 'New key' },
  { pathOf: () => 'keys', button: /^Change / },
];

let ids: Ids;

beforeAll(async () => {
  const { api } = consoleOf.muster;
  const endedId = await api.run({ ...campaign, name: 'Payday top-up, October' });
  await api.awaitEnd(endedId);
  const unknownId = await runWithUnknownUsers(api, 'few');
  const runId = await runSlowly(api, 'Payday top-up, November');
  const [failed] = await api.failures(endedId);
  const [draftId, testId] = await addTestedDraft(api);
  const jobId = await addJob(api);
  await addRules(api);
  const savedId = await saveAudience(api);
  ids = {
    savedId,
    jobId,
    runId,
    endedId,
    unknownId,
    draftId,
    testId,
    campaignId: (await api.progress(runId)).campaignId,
    userId: failed?.userId ?? 'nobody',
  };
});

const campaign = { countries: ['SG', 'VN'], segment: 'lapsed-riders', chain: rewardThenMessage };

/** It goes on for about ten minutes. */
function runSlowly(api: MusterApi, name: string): Promise<string> {
  return api.run({ ...campaign, name, paceUsersPerSecond: 1 });
}

/** `color-contrast: <span …>` for each place that axe finds. */
async function axeProblems(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
}

describe.each(['light', 'dark'] as const)('the console in the %s theme', (colorScheme) => {
  const timeout = Object.keys(accessibleViews).length * 15_000;
  test(
    'has no axe violation in any view at any width, and no target too small for a finger on a phone',
    { timeout },
    async () => {
      const page = await consoleOf.loggedIn({ colorScheme });
      const found: Record<string, string[]> = {};
      for (const [name, pathOf] of Object.entries(accessibleViews)) {
        await page.goto(pathOf(ids));
        for (const width of widths) {
          await page.setViewportSize({ width, height: 900 });
          await page.locator('main[aria-busy="false"]').waitFor();
          const problems = await axeProblems(page);
          const widest = await page.evaluate<number>('document.documentElement.scrollWidth');
          if (width === phone && widest > width) problems.push(`scrolls sideways: it is ${widest} px wide`);
          if (width === phone) problems.push(...(await smallTargets(page)));
          if (problems.length > 0) found[`${name} at ${width} px`] = problems;
        }
      }
      expect(found).toEqual({});
    },
  );

  test('has no axe violation in any dialog', { timeout: dialogs.length * 20_000 }, async () => {
    const page = await consoleOf.loggedIn({ colorScheme });
    const found: Record<string, string[]> = {};
    for (const { pathOf, button } of dialogs) {
      for (const width of [1280, phone]) {
        await page.setViewportSize({ width, height: 900 });
        await page.goto(pathOf(ids));
        await page.getByRole('button', { name: button }).first().click();
        await page.getByRole('dialog').waitFor();
        const problems = await axeProblems(page);
        problems.push(...(await cutControls(page)));
        if (width === phone) problems.push(...(await smallTargets(page)));
        if (problems.length > 0) found[`${pathOf(ids)} ${String(button)} at ${width} px`] = problems;
      }
    }
    expect(found).toEqual({});
  });

  test('has no axe violation in a shared report', async () => {
    const { client } = consoleOf.muster.api;
    const path = { id: ids.endedId };
    const { link } = (await shareReport({ client, path, body: {} })).data;
    const page = await consoleOf.visitor({ colorScheme });
    await page.goto(link);
    const found: Record<string, string[]> = {};
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 });
      const problems = await axeProblems(page);
      const widest = await page.evaluate<number>('document.documentElement.scrollWidth');
      if (widest > width) problems.push(`scrolls sideways: it is ${widest} px wide`);
      if (problems.length > 0) found[`${width} px`] = problems;
    }
    expect(found).toEqual({});
  });

  test('has no axe violation in overlays or on the log-in page', async () => {
    const page = await consoleOf.visitor({ colorScheme });
    await page.goto('log-in');
    await page.getByLabel('API key').waitFor();
    const outside = await new AxeBuilder({ page }).analyze();
    expect(outside.violations.map(({ id }) => id)).toEqual([]);
    const inside = await consoleOf.loggedIn({ colorScheme });
    for (const keys of ['Control+k', '?']) {
      await inside.goto('campaigns');
      await inside.getByRole('row').nth(1).waitFor();
      await inside.keyboard.press(keys);
      await inside.getByRole('dialog').waitFor();
      const { violations } = await new AxeBuilder({ page: inside }).analyze();
      expect({ keys, violations: violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`) }).toEqual({
        keys,
        violations: [],
      });
    }
  });
});

test('the log-in page and overlays have no target too small for a finger on a phone', async () => {
  const viewport = { width: phone, height: 900 };
  const page = await consoleOf.visitor({ viewport });
  await page.goto('log-in');
  await page.getByLabel('API key').waitFor();
  expect(await smallTargets(page)).toEqual([]);
  const inside = await consoleOf.loggedIn({ viewport });
  const ways = [
    () => inside.getByRole('button', { name: 'Open navigation' }).click(),
    () => inside.keyboard.press('Control+k'),
    () => inside.keyboard.press('?'),
  ];
  for (const open of ways) {
    await inside.goto('campaigns');
    await inside.locator('main[aria-busy="false"]').waitFor();
    await open();
    await inside.getByRole('dialog').waitFor();
    expect(await smallTargets(inside)).toEqual([]);
  }
});

test('the calendar has no target too small for a finger on a phone, also at the ends of the week', async () => {
  const page = await consoleOf.loggedIn({ viewport: { width: phone, height: 900 } });
  await page.route('**/v1/campaigns/calendar?*', async (route) => {
    const response = await route.fetch();
    const calendar = calendarAnswer.parse(await response.json());
    for (const [index, { starts }] of calendar.items.entries()) {
      const at = index % 2 === 0 ? calendar.from : new Date(Date.parse(calendar.until) - 1000).toISOString();
      for (const start of starts) Object.assign(start, { at, until: at });
    }
    await route.fulfill({ response, json: calendar });
  });
  await page.goto('calendar');
  await page.locator('.cal-start').nth(1).waitFor();
  expect(await smallTargets(page)).toEqual([]);
});

/** The fields of the calendar that the test changes. */
const calendarAnswer = z.looseObject({
  from: z.string(),
  until: z.string(),
  items: z.array(z.looseObject({ starts: z.array(z.looseObject({ at: z.string() })) })),
});

describe('the keyboard focus', () => {
  let runId: string;

  // On a busy machine, the run of the first tests has ended by now.
  beforeAll(async () => {
    runId = await runSlowly(consoleOf.muster.api, 'Payday top-up, Christmas');
  });

  test('returns to the button that opened a dialog, however the dialog is closed', async () => {
    const page = await consoleOf.loggedIn();
    await page.goto(`runs/${runId}`);
    const opener = page.getByRole('button', { name: 'Pause', exact: true });
    const dialog = page.getByRole('dialog');
    const ways = [
      () => page.keyboard.press('Escape'),
      () => dialog.getByRole('button', { name: 'Keep running' }).click(),
    ];
    for (const close of ways) {
      await opener.click();
      await dialog.waitFor();
      expect(await focused(page)).not.toBe('Pause');
      await close();
      await dialog.waitFor({ state: 'detached' });
      expect(await focused(page)).toBe('Pause');
    }
  });

  test('returns to the menu button after the menu or a dialog opened from it is closed', async () => {
    const page = await consoleOf.loggedIn();
    await page.goto(`runs/${runId}`);
    await page.getByRole('button', { name: 'More', exact: true }).click();
    await page.getByRole('menuitem', { name: /^Explain a user/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await focused(page)).toBe('More');
  });
});

/** The name of what has the focus. */
async function focused(page: Page): Promise<string> {
  const element = page.locator(':focus');
  if ((await element.count()) === 0) return 'nothing';
  return (await element.getAttribute('aria-label')) ?? (await element.innerText());
}
