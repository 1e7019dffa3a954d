import { expect, test } from 'vitest';
import { createLogInLink } from '../../sdk/generated/sdk.gen.ts';
import { awaitThat, logIn, useConsole } from './support/console-in-browser.ts';

const consoleOf = useConsole({ workers: 'all-in-one', sandbox: {} });

test('without a session every URL leads to the log-in page, and after log-in to the requested view', async () => {
  const page = await consoleOf.visitor();
  await page.goto('shards');
  await page.waitForURL(/\/log-in\?to=%2Fshards/);
  await logIn(page, consoleOf.apiKey);
  await page.getByRole('heading', { name: 'Shards', level: 1 }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/shards');
});

test('an unknown key is refused at its field, and the browser stores nothing', async () => {
  const page = await consoleOf.visitor();
  await page.goto('log-in');
  await page.getByLabel('API key').fill('muster_nobody-knows-this-key');
  await page.getByRole('button', { name: 'Log in' }).click();
  expect(await page.getByRole('alert').textContent()).toContain('is unknown, expired or revoked');
  expect(await page.context().cookies()).toEqual([]);
  expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain('nobody-knows');
});

test('the session cookie is HttpOnly and SameSite=Strict', async () => {
  const page = await consoleOf.loggedIn();
  const [cookie, ...others] = await page.context().cookies();
  expect(others).toEqual([]);
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict' });
  expect(
    await page.evaluate('document.cookie + JSON.stringify(localStorage) + JSON.stringify(sessionStorage)'),
  ).not.toContain(consoleOf.apiKey);
});

test('a log-in link works once and disappears from the address bar', async () => {
  const { url } = (await createLogInLink({ client: consoleOf.muster.api.client })).data;
  const page = await consoleOf.visitor();
  await page.goto(url);
  await page.getByRole('heading', { name: 'Campaigns', level: 1 }).waitFor();
  expect(page.url()).not.toContain('link');
  const second = await consoleOf.visitor();
  await second.goto(url);
  expect(await second.getByRole('alert').textContent()).toContain('This log-in link is no longer valid.');
});

test('log-out deletes the cookie, and the back button shows no data', async () => {
  const page = await consoleOf.loggedIn();
  await page.getByRole('button', { name: /log out/ }).click();
  await page.getByRole('menuitem', { name: 'Log out', exact: true }).click();
  await page.waitForURL(/\/log-in/);
  // The page may go to the log-in because another request was refused, before the answer arrives that deletes the
  // cookie.
  await awaitThat(async () => (await page.context().cookies()).length === 0);
  await page.goto('campaigns');
  await page.waitForURL(/\/log-in\?to=/);
});

test('log-out everywhere ends the sessions in all browsers at their next request', async () => {
  const [here, there] = [await consoleOf.loggedIn(), await consoleOf.loggedIn()];
  await here.getByRole('button', { name: /log out/ }).click();
  await here.getByRole('menuitem', { name: 'Log out everywhere' }).click();
  await here.waitForURL(/\/log-in/);
  await there.waitForURL(/\/log-in\?to=/);
});

test('a viewer sees everything, and each disabled control names the required role', async () => {
  const viewer = await consoleOf.keyOf('viewer');
  const page = await consoleOf.visitor();
  await logIn(page, viewer);
  await page.getByText('No campaigns yet').waitFor();
  // One button is in the top bar, and one in the empty list of campaigns.
  const buttons = await page.getByRole('button', { name: /New campaign/ }).all();
  const disabled = await Promise.all(buttons.map((each) => each.getAttribute('aria-disabled')));
  expect(disabled).toEqual(['true', 'true']);
  await buttons[0]?.hover();
  await page.getByRole('tooltip').filter({ hasText: 'Needs the role manager' }).waitFor();
});

// This test is the last one, because it restarts the API under another URL.
test('behind a proxy with a path prefix, every request stays below the prefix', async () => {
  const { muster } = consoleOf;
  const below = `${consoleOf.url}/muster`;
  await muster.services.get('all')?.end('SIGTERM');
  await muster.restart('all', { API_PUBLIC_URL: below });
  const page = await consoleOf.visitor({ baseURL: `${below}/` });
  const requested: string[] = [];
  page.on('request', (request) => requested.push(new URL(request.url()).pathname));
  await page.goto('shards');
  await page.waitForURL(/\/muster\/log-in\?to=%2Fshards/);
  await logIn(page, consoleOf.apiKey);
  await page.getByRole('heading', { name: 'Shards', level: 1 }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'Shards', level: 1 }).waitFor();
  await page.getByRole('link', { name: 'Audit log' }).click();
  await page.waitForURL(`${below}/audit`);
  await page
    .getByRole('row', { name: /logged in/ })
    .first()
    .waitFor();
  expect(requested.filter((path) => !path.startsWith('/muster/'))).toEqual([]);
});
