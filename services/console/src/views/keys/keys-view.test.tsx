// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { problem, type Asked } from '../../testing/fake-api.ts';
import { openConsole } from '../../testing/open-console.tsx';

const key = {
  ...{ id: 'key_01jdyjm7sbfx2v4xorders', name: 'orders service', owner: 'team-orders', role: 'scheduler' },
  ...{ scope: { clients: ['orders'], countries: null, actionTypes: null }, state: 'active', revision: 1 },
  ...{ createdAt: '2026-11-01T00:00:00.000Z', madeBy: null, expiresAt: null, lastUsedAt: '2026-11-20T00:00:00.000Z' },
  ...{ rotatedAt: null, formerUntil: null, revokedAt: null, refusals: null, person: null, sessions: 2 },
  links: { self: '/v1/api-keys/key_1' },
};
const secret = 'mk_01jdyjm7sbfx2v4x0000000000_0123456789abcdef';
const answers = {
  'GET /v1/api-keys': { items: [key], next: null },
  'POST /v1/api-keys': ({ body }: Asked) => ({ key: { ...key, ...(body as object) }, secret }),
  'POST /v1/api-keys/:id/rotate': { key, secret },
  'DELETE /v1/api-keys/:id': { ...key, state: 'revoked' },
};

test('a key says whose it is, what it may, for what, and whether it is used', async () => {
  await openConsole('/keys', { answers });
  const row = within((await screen.findByText('orders service')).closest('tr') ?? document.body);
  const words = ['team-orders', 'Scheduler', 'client orders', 'never', 'active', 'logged in in 2 browsers'];
  for (const said of words) row.getByText(said);
});

const lastRefusedAt = new Date(Date.now() - 60_000).toISOString();
const ended = {
  ...key,
  ...{ id: 'key_01jdyjm7sbfx2v4xnightly', name: 'nightly export', owner: 'loyalty', state: 'expired', sessions: 0 },
  ...{ expiresAt: new Date(Date.now() - 3_600_000).toISOString() },
  refusals: { count: 17, lastAt: lastRefusedAt, lastFrom: '10.20.7.14' },
};
/** As the server would list them: newest first, and those alone that are asked for. */
const listed = ({ query }: Asked) => ({ items: query['refused'] === 'true' ? [ended] : [key, ended], next: null });

test('a key that has ended and is still used comes first, and who notices and whom to ask is said', async () => {
  const { api, user, address } = await openConsole('/keys', { answers: { ...answers, 'GET /v1/api-keys': listed } });
  const banner = await screen.findByRole('alert');
  expect(banner.textContent).toMatch(
    /nightly export expired .* and was refused 17 times since, last at .* from 10\.20\.7\.14\./,
  );
  expect(banner.textContent).toContain('Ask loyalty; no other key is affected.');
  await waitFor(() => expect(screen.getAllByRole('row')).toHaveLength(3));
  const [, first, second] = screen.getAllByRole('row');
  expect(first?.textContent).toMatch(/nightly export.*refused 17 times, last .* 10\.20\.7\.14/);
  expect(second?.textContent).toContain('orders service');

  await user.click(screen.getByRole('button', { name: /^Ended, still used/ }));
  await waitFor(() => expect(address()).toBe('/keys?refused=true'));
  expect(api.askedFor('GET /v1/api-keys').at(-1)?.query).toMatchObject({ refused: 'true' });
});

test('it is made anew with its role and scope, and none stays none', async () => {
  const scope = { clients: ['orders'], countries: null, actionTypes: [] };
  const items = [{ ...ended, scope }];
  const { api, user } = await openConsole('/keys', {
    answers: { ...answers, 'GET /v1/api-keys': { items, next: null } },
  });
  await user.click(await screen.findByRole('button', { name: 'Make nightly export anew' }));
  await user.click(screen.getByRole('button', { name: 'Make the key' }));
  expect(await screen.findByText(secret)).toBeDefined();
  expect(api.askedFor('POST /v1/api-keys').at(-1)?.body).toEqual({
    ...{ name: 'nightly export', owner: 'loyalty', role: 'scheduler', scope, expiresAt: null },
  });
});

test('a revoked one that is still used is made anew, a secret from before a rotation is changed where it is sent', async () => {
  const revokedAt = new Date(Date.now() - 7_200_000).toISOString();
  const refusals = { count: 1, lastAt: lastRefusedAt, lastFrom: null };
  const rotated = { ...key, rotatedAt: revokedAt, refusals };
  const items = [{ ...ended, state: 'revoked', revokedAt, owner: null, refusals }, rotated];
  await openConsole('/keys', { answers: { ...answers, 'GET /v1/api-keys': { items, next: null } } });
  const [revoked, old] = await screen.findAllByRole('alert');
  expect(revoked?.textContent).toMatch(/was revoked .* and was refused once since, .*It says no owner to ask/);
  expect(within(revoked ?? document.body).queryByRole('button', { name: /^Revoke/ })).toBeNull();
  expect(old?.textContent).toMatch(/A secret of orders service from before it was rotated/);
  expect(within(old ?? document.body).queryByRole('button')).toBeNull();
});

test('a new key is made as the form says, and shown once', async () => {
  const { api, user } = await openConsole('/keys', { answers });
  await user.click(await screen.findByRole('button', { name: 'New key' }));
  await user.type(within(screen.getByRole('dialog')).getByLabelText(/^Name/), 'billing');
  await user.type(screen.getByRole('textbox', { name: 'Clients' }), 'billing, invoices');
  await user.selectOptions(screen.getByLabelText('Role'), 'scheduler');
  await user.click(screen.getByRole('button', { name: 'Make the key' }));

  expect(await screen.findByText(secret)).toBeDefined();
  expect(api.askedFor('POST /v1/api-keys').at(-1)?.body).toEqual({
    ...{ name: 'billing', owner: null, role: 'scheduler', expiresAt: null },
    scope: { clients: ['billing', 'invoices'], countries: null, actionTypes: null },
  });
  await user.click(screen.getByRole('button', { name: 'Done' }));
  await waitFor(() => expect(screen.queryByText(secret)).toBeNull());
});

test('what is wrong with a new key stands at its field', async () => {
  const wrong = [{ pointer: '/scope/clients/0', code: 'unknown-client', detail: 'there is no client "nobody"' }];
  const refuse = () => problem(422, 'invalid-request', 'the request has problems', wrong);
  const { user } = await openConsole('/keys', { answers: { ...answers, 'POST /v1/api-keys': refuse } });
  await user.click(await screen.findByRole('button', { name: 'New key' }));
  await user.click(screen.getByRole('button', { name: 'Make the key' }));
  expect(await screen.findByText('There is no client "nobody"')).toBeDefined();
  expect(screen.getByRole('textbox', { name: 'Clients' }).getAttribute('aria-invalid')).toBe('true');
});

test('a key is rotated to a secret that is shown once, and revoked only when that is meant', async () => {
  const { api, user } = await openConsole('/keys', { answers });
  await user.click(await screen.findByRole('button', { name: 'Rotate orders service' }));
  await user.click(screen.getByRole('button', { name: 'Rotate' }));
  expect(await screen.findByText(secret)).toBeDefined();
  await user.click(screen.getByRole('button', { name: 'Done' }));

  await user.click(await screen.findByRole('button', { name: 'Revoke orders service' }));
  expect(api.askedFor(`DELETE /v1/api-keys/${key.id}`)).toHaveLength(0);
  await user.click(screen.getByRole('button', { name: 'Revoke' }));
  await waitFor(() => expect(api.askedFor(`DELETE /v1/api-keys/${key.id}`)).toHaveLength(1));
});

test('keys are not asked for by a role that may not see them', async () => {
  const { api } = await openConsole('/keys', { answers, role: 'manager' });
  expect(await screen.findByText('Keys are shown to operators')).toBeDefined();
  expect(api.askedFor('GET /v1/api-keys')).toEqual([]);
});

test('keys are filtered by the server, as the address says', async () => {
  const { api, user, address } = await openConsole('/keys?state=expired', { answers });
  await screen.findByText('orders service');
  await user.type(screen.getByRole('searchbox'), 'team{Enter}');
  await user.click(screen.getByRole('button', { name: 'Role' }));
  await user.click(await screen.findByRole('menuitem', { name: 'scheduler' }));
  const asked = { state: 'expired', role: 'scheduler', q: 'team' };
  await waitFor(() => expect(api.askedFor('GET /v1/api-keys').at(-1)?.query).toMatchObject(asked));
  expect(address()).toBe('/keys?state=expired&text=team&role=scheduler');
  api.answer({ 'GET /v1/api-keys': { items: [], next: null } });
  await user.click(screen.getByRole('button', { name: /^Revoked/ }));
  expect(await screen.findByText('Revoked, role scheduler, with “team” in its name or owner.')).toBeDefined();
  await user.click(screen.getByRole('button', { name: 'Clear all filters' }));
  await waitFor(() => expect(address()).toBe('/keys'));
});
