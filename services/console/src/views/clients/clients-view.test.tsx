// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { problem } from '../../../testing/fakes/fake-api.ts';
import { shop } from '../../../testing/callbacks/jobs.ts';
import { openConsole } from '../../../testing/open-console.tsx';

const none = { items: [], next: null };

test('each client shows its state and its sidelined hosts, and links to its page', async () => {
  await openConsole('/clients');
  const row = await screen.findByRole('row', { name: /^shop/ });
  expect(await within(row).findByText('shop.example')).toBeDefined();
  expect(within(row).getByRole('link', { name: 'shop' }).getAttribute('href')).toBe('/clients/shop');
  const paused = screen.getByRole('row', { name: /^billing/ });
  expect(within(paused).getByText('Paused')).toBeDefined();
  expect(within(paused).getByText('calls are not signed')).toBeDefined();
});

test('each client shows its stored and dead jobs, and the sum over all clients adds up', async () => {
  await openConsole('/clients');
  const row = await screen.findByRole('row', { name: /^shop/ });
  const dead = await within(row).findByRole('link', { name: '100' });
  expect(row.textContent).toContain('1,000 of 1,000');
  expect(dead.getAttribute('href')).toBe('/quarantine?kind=job&client=shop');
  expect(
    screen.getByText(/41,300 jobs accepted = 40,050 called \+ 10 expired \+ 90 cancelled \+ 150 dead \+ 1,000 stored/),
  ).toBeDefined();
});

test('a search is in the address and in the request', async () => {
  const { api, user, address } = await openConsole('/clients');
  await screen.findByRole('row', { name: /^shop/ });
  await user.type(screen.getByRole('searchbox'), 'sho');
  await waitFor(() => expect(address()).toBe('/clients?text=sho'));
  await waitFor(() => expect(api.requestsTo('GET /v1/clients').some(({ query }) => query['q'] === 'sho')).toBe(true));
});

test('a new client gets its first key, whose secret is shown once, before its page opens', async () => {
  const { user, address } = await openConsole('/clients', {
    answers: {
      'POST /v1/clients': shop,
      'POST /v1/clients/cli_shop/endpoints/default/keys': {
        key: shop.endpoint.keys[0],
        secret: 'whsec_once',
        endpoint: shop.endpoint,
      },
    },
  });
  await user.click(await screen.findByRole('button', { name: /New client/ }));
  await user.type(within(await screen.findByRole('dialog')).getByLabelText(/^Name/), 'shop');
  await user.click(screen.getByRole('button', { name: 'Create client' }));
  expect(await screen.findByText('whsec_once')).toBeDefined();
  await user.click(screen.getByRole('button', { name: 'Done' }));
  await waitFor(() => expect(address()).toBe('/clients/shop'));
});

test.each([
  ['without clients', '/clients', none, 'No clients yet'],
  ['without a match', '/clients?text=x', none, 'No client matches'],
  ['that cannot be read', '/clients', () => problem(400, 'invalid-request', 'no'), 'The clients could not be read'],
])('a list %s shows a message', async (_, path, answer, words) => {
  await openConsole(path, { answers: { 'GET /v1/clients': answer } });
  expect(await screen.findByText(words)).toBeDefined();
});
