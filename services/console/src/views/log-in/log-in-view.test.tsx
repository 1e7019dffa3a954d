// @vitest-environment happy-dom
import { screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { problem } from '../../testing/fake-api.ts';
import { session } from '../../testing/installation.ts';
import { openConsole } from '../../testing/open-console.tsx';

const outside = () => problem(401, 'unauthorized', 'there is no session');

test('who has no session logs in by key, and comes to where the address leads', async () => {
  const { api, user, address } = await openConsole('/shards', { answers: { 'GET /v1/session': outside } });
  await waitFor(() => expect(address()).toContain('/log-in'));
  api.answer({ 'POST /v1/session': () => problem(401, 'unauthorized', 'this key is not known') });
  const field = await screen.findByLabelText('API key');
  await user.type(field, 'muster_wrong{Enter}');
  expect((await screen.findByRole('alert')).textContent).toBe('This key is not known.');
  expect(field.getAttribute('aria-invalid')).toBe('true');
  api.answer({ 'POST /v1/session': session, 'GET /v1/session': session });
  await user.clear(field);
  await user.type(field, ' muster_right ');
  await user.click(screen.getByRole('button', { name: 'Log in' }));
  await waitFor(() => expect(address()).toBe('/shards'));
  expect(api.askedFor('POST /v1/session').at(-1)?.body).toEqual({ apiKey: 'muster_right' });
});

test('a link logs in once, and is nowhere in the address afterwards', async () => {
  const { api, address } = await openConsole('/log-in#link=once', { answers: { 'POST /v1/session': session } });
  await waitFor(() => expect(address()).toBe('/campaigns'));
  expect(location.hash).toBe('');
  expect(api.askedFor('POST /v1/session')[0]?.body).toEqual({ link: 'once' });
});

test('a link that was used says so, and the key still works', async () => {
  await openConsole('/log-in#link=twice', {
    answers: { 'POST /v1/session': () => problem(401, 'unauthorized', 'this link was used') },
  });
  expect((await screen.findByRole('alert')).textContent).toContain('This link does not log in any more.');
  expect(screen.getByLabelText('API key')).toBeDefined();
});

test('a session that ends while a page is shown leads to the log-in', async () => {
  const { api, user, address } = await openConsole('/campaigns');
  await screen.findByRole('row', { name: /Payday, slowly/ });
  api.answer({ 'GET /v1/session': outside, 'GET /v1/shards': outside, 'GET /v1/campaigns': outside });
  await user.click(screen.getByRole('button', { name: /^Running/ }));
  await waitFor(() => expect(address()).toContain('/log-in'));
});
