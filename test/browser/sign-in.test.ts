import { afterAll, beforeAll, expect, test } from 'vitest';
import { startIssuer, type TestIssuer } from '../support/openid-issuer.ts';
import { awaitThat, useConsole } from './support/console-in-browser.ts';

const consoleOf = useConsole({ workers: 'all-in-one', sandbox: {} });

let issuer: TestIssuer;
beforeAll(async () => {
  // Like a real issuer, this one has another host than the console, so the browser sends no cookie of the console with
  // the redirect.
  issuer = await startIssuer({ now: () => new Date(), host: 'localhost' });
  await consoleOf.muster.services.get('all')?.end('SIGTERM');
  await consoleOf.muster.restart('all', {
    AUTH_MODE: 'both',
    OIDC_ISSUER: issuer.url,
    OIDC_NAME: 'Example SSO',
    OIDC_CLIENT_ID: 'console',
    OIDC_CLIENT_SECRET: issuer.clientSecret,
    OIDC_ROLES: 'managers=manager',
    API_PUBLIC_URL: consoleOf.url,
  });
});
afterAll(() => issuer.stop());

test('sign-in at the issuer leads to the requested view and leaves no code in the address bar', async () => {
  issuer.signsIn = { email: 'ada@example.com', email_verified: true };
  const page = await consoleOf.visitor();
  await page.goto('shards');
  await page.waitForURL(/\/log-in\?to=%2Fshards/);
  await page.getByLabel('API key').waitFor();
  await page.getByRole('button', { name: 'Sign in with Example SSO' }).click();
  await page.getByRole('heading', { name: 'Shards', level: 1 }).waitFor();
  expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/shards');
  const cookies = await page.context().cookies();
  expect(cookies.map(({ name, httpOnly, sameSite }) => [name, httpOnly, sameSite])).toEqual([
    ['muster-session', true, 'Strict'],
  ]);
  await page.getByRole('button', { name: /^ada@example\.com, manager/ }).click();
  await page.getByRole('menuitem', { name: 'Log out', exact: true }).click();
  await page.waitForURL(/\/log-in/);
  // The page may go to the log-in because another request was refused, before the answer arrives that deletes the
  // cookie.
  await awaitThat(async () => (await page.context().cookies()).length === 0);
});

test('a user without a role reads the reason and is not signed in', async () => {
  issuer.signsIn = { email: 'eve@example.com', roles: ['strangers'] };
  const page = await consoleOf.visitor();
  await page.goto('log-in');
  await page.getByRole('button', { name: 'Sign in with Example SSO' }).click();
  expect(await page.getByRole('alert').textContent()).toContain('no value of roles that is mapped to a role');
  expect(page.url()).not.toContain('code=');
  expect(await page.context().cookies()).toEqual([]);
});

test('an authorization code of another browser is refused', async () => {
  issuer.signsIn = {};
  const page = await consoleOf.visitor();
  await page.goto('log-in?code=stolen&state=of-another-browser');
  expect(await page.getByRole('alert').textContent()).toContain('was not begun in this browser');
  expect(await page.context().cookies()).toEqual([]);
});
