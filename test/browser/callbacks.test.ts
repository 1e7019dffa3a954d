import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { z } from 'zod';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { addClientEndpointKey, createClient, createJob } from '../../sdk/generated/sdk.gen.ts';
import { awaitThat, logIn, useConsole } from './support/console-in-browser.ts';

const consoleOf = useConsole({ workers: 'all-in-one', sandbox: {} });

/** Calls of the service that is called back, and whether it is broken. */
const called: string[] = [];
let isBroken = true;
let receiver: Server;
let url: string;

const address = z.object({ port: z.number() });

beforeAll(async () => {
  receiver = createServer((request, response) => {
    request.resume();
    const path = request.url ?? '';
    called.push(path);
    response.writeHead(path === '/broken' && isBroken ? 500 : 200).end('{}');
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const { port } = address.parse(receiver.address());
  url = `http://127.0.0.1:${port}`;
  const { client } = consoleOf.muster.api;
  const egress = { allow: [{ cidr: '127.0.0.0/8', port }] };
  await createClient({ client, body: { name: 'shop', endpoint: { egress, retry: { strategy: 'none' } } } });
  await addClientEndpointKey({ client, path: { id: 'shop', endpoint: 'default' }, body: {} });
});
afterAll(() => receiver.close());

const timesCalled = (path: string) => called.filter((each) => each === path).length;

async function confirm(page: Page, title: RegExp, button: string): Promise<void> {
  const dialog = page.getByRole('dialog', { name: title });
  await dialog.getByRole('button', { name: button, exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
}

test('a user schedules a callback and sees its call, and finds and replays a dead callback', async () => {
  const page = await consoleOf.loggedIn();
  await page.goto('jobs?client=shop');
  await page.getByRole('button', { name: /Schedule a job/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Schedule a job' });
  await dialog.getByLabel(/^URL/).fill(`${url}/paid`);
  await dialog.getByLabel(/^Body/).fill('{"order": 17}');
  await dialog.getByLabel(/^Tags/).fill('order-17');
  await dialog.getByRole('button', { name: 'Call it now' }).click();
  await page.waitForURL(/\/jobs\/job_/);
  await page.locator('.head .badge', { hasText: 'Called' }).waitFor();
  await page.getByText(/^Call 1: 200 in/).waitFor();
  expect(timesCalled('/paid')).toBe(1);

  const { client } = consoleOf.muster.api;
  const body = { client: 'shop', url: `${url}/broken`, body: { order: 18 } };
  await createJob({ client, body });
  await page.goto('quarantine');
  await page.getByRole('button', { name: /^Jobs/ }).click();
  const group = page
    .getByRole('table', { name: 'Quarantined jobs by client and reason' })
    .getByRole('row', { name: /shop/ });
  await group.waitFor();
  await page.getByRole('table', { name: 'Calls of the job' }).getByText('500').waitFor();
  isBroken = false;
  await page.getByRole('button', { name: 'Replay 1…' }).click();
  const replay = page.getByRole('dialog', { name: /^Replay 1 job/ });
  await replay.getByRole('button', { name: 'Replay 1' }).click();
  await replay.getByText('are called again.').waitFor();
  await replay.getByRole('button', { name: 'Done' }).click();
  await awaitThat(() => Promise.resolve(timesCalled('/broken') === 2));
  await page.getByText('No job is in quarantine').waitFor();

  await page.goto('jobs?client=shop&state=called');
  await page.getByRole('row', { name: /\/broken/ }).waitFor();
  await page.getByRole('region', { name: 'The ledger' }).getByText('Adds up').waitFor();
});

test('a user creates a schedule, runs it manually and pauses it', async () => {
  const page = await consoleOf.loggedIn();
  await page.goto('schedules?client=shop');
  await page.getByRole('button', { name: /New schedule/ }).click();
  const dialog = page.getByRole('dialog', { name: 'New schedule' });
  await dialog.getByLabel(/^Name/).fill('Close the day');
  await dialog.getByLabel(/^URL/).fill(`${url}/close`);
  await dialog.getByLabel(/^Rule/).fill('0 22 * * *');
  await dialog.getByText('At 22:00').waitFor();
  await dialog.getByRole('button', { name: 'Create' }).click();
  const panel = page.getByRole('region', { name: 'Close the day' });
  await panel.getByRole('table', { name: 'The next fires' }).getByText(/22:00/).first().waitFor();

  await panel.getByRole('button', { name: 'Run now…' }).click();
  await confirm(page, /^Run “Close the day” now\?$/, 'Run now');
  await awaitThat(() => Promise.resolve(timesCalled('/close') === 1));
  await panel.getByText('fired manually').waitFor();
  await panel.getByRole('button', { name: 'Pause Close the day' }).click();
  await confirm(page, /^Pause “Close the day”\?$/, 'Pause it');
  await page
    .getByRole('row', { name: /Close the day/ })
    .getByRole('img', { name: 'Paused' })
    .waitFor();
  await panel.getByRole('link', { name: 'its job' }).click();
  await page.locator('.head .badge', { hasText: 'Called' }).waitFor();
});

test('a user cancels all jobs that match a filter after the dialog has shown their number', async () => {
  const { client } = consoleOf.muster.api;
  const job = { client: 'shop', url: `${url}/later`, delaySeconds: 86_400 };
  for (const number of [1, 2, 3]) await createJob({ client, body: { ...job, idempotencyKey: `later-${number}` } });
  const page = await consoleOf.loggedIn();
  await page.goto('jobs?client=shop');
  await page.getByRole('checkbox', { name: 'Select all on this page' }).click();
  await page.getByRole('button', { name: 'All 3 that match' }).click();
  await page.getByRole('button', { name: 'Cancel…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Cancel 3 jobs?' });
  await dialog.getByRole('button', { name: 'Cancel 3' }).click();
  await dialog.getByText(/^Done at/).waitFor();
  await dialog.getByRole('button', { name: 'Done', exact: true }).click();
  await page.getByRole('button', { name: 'Cancelled 3' }).waitFor();
});

test('a viewer sees a job without its body, and reads which role can change it', async () => {
  const { client } = consoleOf.muster.api;
  const { id } = (await createJob({ client, body: { client: 'shop', url, delaySeconds: 86_400, body: 'secret' } }))
    .data;
  const page = await consoleOf.visitor();
  await logIn(page, await consoleOf.keyOf('viewer'));
  await page.goto(`jobs/${id}`);
  await page.getByText('Hidden from the role viewer.').waitFor();
  await page.getByRole('button', { name: 'Cancel…' }).hover();
  await page.getByRole('tooltip').filter({ hasText: 'Needs the role scheduler' }).waitFor();
});
