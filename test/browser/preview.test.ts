import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { json } from 'node:stream/consumers';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changeActionType } from '../../sdk/generated/sdk.gen.ts';
import { useConsole } from './support/console-in-browser.ts';

const consoleOf = useConsole({ workers: 'all-in-one', sandbox: { SANDBOX_SEGMENTS: 'staff=10' } });

/** The endpoint of previews, which also counts requests that a message makes of its reader. */
let endpoint: { url: string; calls: unknown[]; loads: string[]; server: Server };

beforeAll(async () => {
  const calls: unknown[] = [];
  const loads: string[] = [];
  const server = createServer((request, response) => {
    if (request.method !== 'POST') {
      loads.push(request.url ?? '');
      response.end();
      return;
    }
    void json(request).then((call) => {
      calls.push(call);
      response.end(JSON.stringify(messageFrom(endpoint.url)));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? (address?.port ?? 0) : 0}`;
  endpoint = { url, calls, loads, server };
  const { client } = consoleOf.muster.api;
  const body = { previewUrl: `${url}/v1/preview` };
  await changeActionType({ client, path: { name: 'send-message' }, body, throwOnError: true });
});
afterAll(() => endpoint.server.close());

const messageFrom = (url: string) => ({
  from: 'Rides <hello@rides.example>',
  to: 'ada@example.com',
  subject: 'Ada, 5 % for you',
  html: `<head><style>h1 { color: rgb(0, 113, 61) } body { background: url(${url}/background.png) }</style></head>
    <body style="font-family: Arial, sans-serif; margin: 24px"><h1>Hello Ada</h1>
    <p style="color: rgb(200, 0, 0)" onclick="document.title = 'stolen'">Your ride is 5 % off until Sunday.</p>
    <img alt="Logo of the shop" src="${url}/pixel.gif">
    <a href="${url}/link" target="_top">Open the app</a>
    <script>document.title = 'stolen'; fetch('${url}/script')</script></body>`,
  text: 'Hello Ada,\nyour ride is 5 % off until Sunday.',
});

async function openPreview(page: Page): Promise<void> {
  await page.goto('campaigns/new');
  await page.getByLabel('Add a country by its code').fill('SG ');
  await page.getByLabel('Add a step').selectOption('send-message');
  await page.getByLabel('Parameters').fill('{"template": "payday"}');
  await page.getByRole('button', { name: 'Preview…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Preview of “Send message”' });
  await dialog.getByLabel(/^User/).fill('u1');
  await dialog.getByRole('button', { name: 'Preview', exact: true }).click();
  await page.frameLocator('iframe').getByRole('heading', { name: 'Hello Ada' }).waitFor();
}

describe('the preview of a step', () => {
  it.each([
    ['a desk', { width: 1440, height: 900 }],
    ['a phone', { width: 390, height: 844 }],
  ])('shows the message of a user in its own styles on %s, and the message can do nothing', async (_name, viewport) => {
    const page = await consoleOf.loggedIn({ viewport });
    await openPreview(page);
    expect(await page.locator('iframe').getAttribute('sandbox')).toBe('allow-same-origin');
    const message = page.frameLocator('iframe');
    const frame = page.frames().at(-1);
    const styleOf = (selector: string) =>
      frame?.evaluate(`getComputedStyle(document.querySelector('${selector}')).color`);
    expect(await styleOf('h1')).toBe('rgb(0, 113, 61)');
    expect(await styleOf('p')).toBe('rgb(200, 0, 0)');
    await message.locator('p').click();
    await message.getByText('Open the app').click();
    await page.getByRole('region', { name: 'Message' }).getByText('Ada, 5 % for you').waitFor();
    expect(await page.title()).not.toContain('stolen');
    expect(endpoint.loads).toEqual([]);
    expect(endpoint.calls.at(-1)).toEqual({
      action: { type: 'send-message', params: { template: 'payday' } },
      country: 'SG',
      user: 'u1',
    });
  });
});
