// @vitest-environment happy-dom
import { screen, waitFor } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { problem } from '../../../testing/fakes/fake-api.ts';
import { session } from '../../../testing/installation/installation.ts';
import { openConsole } from '../../../testing/open-console.tsx';

const outside = () => problem(401, 'unauthorized', 'there is no session');

test('a user without a session logs in by key, and reaches the requested page', async () => {
  const { api, user, address } = await openConsole('/shards', { answers: { 'GET /v1/session': outside } });
  await waitFor(() => expect(address()).toContain('/log-in'));
  api.answer({ 'POST /v1/session': () => problem(401, 'unauthorized', 'this key is not known') });
  const field = await screen.findByLabelText('API key');
  expect(screen.getByText(/Request a key or a log-in link/)).toBeDefined();
  await user.type(field, 'muster_wrong{Enter}');
  expect((await screen.findByRole('alert')).textContent).toBe('This key is not known.');
  expect(field.getAttribute('aria-invalid')).toBe('true');
  api.answer({ 'POST /v1/session': session, 'GET /v1/session': session });
  await user.clear(field);
  await user.type(field, ' muster_right ');
  await user.click(screen.getByRole('button', { name: 'Log in' }));
  await waitFor(() => expect(address()).toBe('/shards'));
  expect(api.requestsTo('POST /v1/session').at(-1)?.body).toEqual({ apiKey: 'muster_right' });
});

test('a link logs in once, and is removed from the address', async () => {
  const { api, address } = await openConsole('/log-in#link=once', { answers: { 'POST /v1/session': session } });
  await waitFor(() => expect(address()).toBe('/campaigns'));
  expect(location.hash).toBe('');
  expect(api.requestsTo('POST /v1/session')[0]?.body).toEqual({ link: 'once' });
});

test('a used link shows that it is invalid, and a key still works', async () => {
  await openConsole('/log-in#link=twice', {
    answers: { 'POST /v1/session': () => problem(401, 'unauthorized', 'this link was used') },
  });
  expect((await screen.findByRole('alert')).textContent).toContain('This log-in link is no longer valid.');
  expect(screen.getByLabelText('API key')).toBeDefined();
});

test('a session that ends while a page is shown leads to the log-in', async () => {
  const { api, user, address } = await openConsole('/campaigns');
  await screen.findByRole('row', { name: /Payday, slowly/ });
  api.answer({ 'GET /v1/session': outside, 'GET /v1/shards': outside, 'GET /v1/campaigns': outside });
  await user.click(screen.getByRole('button', { name: /^Running/ }));
  await waitFor(() => expect(address()).toContain('/log-in'));
});

const ways = { apiKey: true, issuer: { name: 'Example SSO' } };
const issuerQuery = 'code=one&state=of-this-browser';

test("the sign-in button sends the browser to the issuer's address from the API", async () => {
  const left = vi.spyOn(location, 'assign').mockReturnValue();
  const answers = {
    'GET /v1/session': outside,
    'GET /v1/session/ways': ways,
    'POST /v1/session/sign-in': { url: 'https://sso.example/authorize?state=1' },
  };
  const { user } = await openConsole('/log-in?to=%2Fshards', { answers });
  expect(await screen.findByLabelText('API key')).toBeDefined();
  await user.click(await screen.findByRole('button', { name: 'Sign in with Example SSO' }));
  await waitFor(() => expect(left).toHaveBeenCalledWith('https://sso.example/authorize?state=1'));
});

test('a user who returns from the issuer reaches the requested page, without the code in the address', async () => {
  sessionStorage.setItem('muster.signed-in-to', '/shards?country=SG');
  const { api, address } = await openConsole(`/log-in?${issuerQuery}`, { answers: { 'POST /v1/session': session } });
  await waitFor(() => expect(address()).toBe('/shards?country=SG'));
  expect(api.requestsTo('POST /v1/session').map(({ body }) => body)).toEqual([
    { code: 'one', state: 'of-this-browser' },
  ]);
  expect(sessionStorage.getItem('muster.signed-in-to')).toBeNull();
});

test.each(['//evil.example', '/\\evil.example', 'https://evil.example', 'javascript:alert(1)'])(
  'a sign-in does not redirect to %s',
  async (to) => {
    sessionStorage.setItem('muster.signed-in-to', to);
    const { address } = await openConsole(`/log-in?${issuerQuery}`, { answers: { 'POST /v1/session': session } });
    await waitFor(() => expect(address()).toBe('/campaigns'));
  },
);

test('a refused sign-in shows the reason, and can be repeated', async () => {
  const refused = () => problem(403, 'no-role', 'this token has no claim roles');
  const answers = { 'GET /v1/session': outside, 'GET /v1/session/ways': ways, 'POST /v1/session': refused };
  const { address } = await openConsole(`/log-in?${issuerQuery}`, { answers });
  expect((await screen.findByRole('alert')).textContent).toBe('You are not signed in. This token has no claim roles.');
  expect(await screen.findByRole('button', { name: 'Sign in with Example SSO' })).toBeDefined();
  expect(address()).toBe('/log-in');
});

test("an error text in the address is not shown as the issuer's", async () => {
  const forged = 'error=<b>call+this+number</b>&error_description=call+this+number&state=x';
  await openConsole(`/log-in?${forged}`, { answers: { 'GET /v1/session': outside } });
  expect((await screen.findByRole('alert')).textContent).toBe('You are not signed in. The issuer reported unknown.');
});

test('an installation without key log-in has no field for a key', async () => {
  const answers = { 'GET /v1/session': outside, 'GET /v1/session/ways': { ...ways, apiKey: false } };
  await openConsole('/log-in', { answers });
  await screen.findByRole('button', { name: 'Sign in with Example SSO' });
  await waitFor(() => expect(screen.queryByLabelText('API key')).toBeNull());
});
