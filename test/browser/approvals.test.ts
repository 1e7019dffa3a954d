import { expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { z } from 'zod';
import { logIn, useConsole } from './support/console-in-browser.ts';

const consoleOf = useConsole({ workers: 'all-in-one', sandbox: { SANDBOX_SEGMENTS: 'lapsed-riders=1200' } });

async function ask(key: string, method: 'POST' | 'PUT', path: string, body: object): Promise<unknown> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const answer = await fetch(`${consoleOf.url}/v1${path}`, { method, headers, body: JSON.stringify(body) });
  expect(answer.status, await answer.clone().text()).toBeLessThan(300);
  return answer.json();
}

const keyOf = async (owner: string, role: string) =>
  z
    .object({ secret: z.string() })
    .parse(await ask(consoleOf.apiKey, 'POST', '/api-keys', { name: `${owner}, ${role}`, owner, role })).secret;

const approvalPanel = (page: Page) => page.getByRole('region', { name: 'Approval', exact: true });

test('a campaign starts only after a second person has approved it, and a change needs a new approval', async () => {
  await ask(consoleOf.apiKey, 'PUT', '/approval-policy', { rules: [{ usersAbove: 100, approvers: 1 }] });
  const [asMaker, asChecker] = [await keyOf('mei', 'manager'), await keyOf('rahayu', 'approver')];
  const { id } = z.object({ id: z.string() }).parse(
    await ask(asMaker, 'POST', '/campaigns', {
      name: 'Payday top-up',
      countries: ['SG'],
      audience: { include: [{ segment: 'lapsed-riders' }] },
      chain: [{ action: 'award-reward', params: { rewardId: 'ride-5' } }],
    }),
  );

  const maker = await consoleOf.visitor();
  await logIn(maker, asMaker);
  await maker.goto(`campaigns/${id}`);
  await maker.getByRole('button', { name: 'Start…' }).click();
  const question = maker.getByRole('dialog');
  await question.getByText('The approval policy requires approval by other people', { exact: false }).waitFor();
  expect(await question.getByRole('button', { name: 'Start it' }).count()).toBe(0);
  await question.getByRole('button', { name: 'Submit for approval' }).click();
  await approvalPanel(maker).getByText('Needs 1, has 0').waitFor();
  await approvalPanel(maker).getByRole('link', { name: 'Open the approval' }).click();
  await maker.getByText('needs approver', { exact: false }).waitFor();

  const checker = await consoleOf.visitor();
  await logIn(checker, asChecker);
  await checker.getByRole('link', { name: 'Approvals, 1 wait for an approval' }).click();
  await checker
    .getByRole('region', { name: 'What you approve' })
    .getByText(/^SG \d+$/)
    .waitFor();
  await checker.getByLabel('Comment for mei').fill('no hold-out?');
  await checker.getByRole('button', { name: 'Send back' }).click();
  await checker.getByText('sent back: “no hold-out?”').first().waitFor();

  await maker.goto(`campaigns/${id}`);
  await approvalPanel(maker).getByText('sent back: “no hold-out?”').waitFor();
  await ask(asMaker, 'POST', `/campaigns/${id}/submit`, {});

  await checker.goto('approvals');
  await checker.getByRole('button', { name: 'Approve…' }).click();
  await checker.getByRole('dialog').getByRole('button', { name: 'Approve' }).click();
  await checker.getByText('approved by rahayu').first().waitFor();

  await maker.reload();
  await approvalPanel(maker).getByText('approved by rahayu').waitFor();
  await maker.getByRole('button', { name: 'Start…' }).click();
  await maker.getByRole('button', { name: 'Start it' }).click();
  await maker.locator('main a[href*="/runs/run_"]').first().click();
  await maker.locator('.head .badge', { hasText: 'Completed' }).waitFor();
});
