// @vitest-environment happy-dom
import { screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { problem } from '../../../testing/fakes/fake-api.ts';
import { session } from '../../../testing/installation/installation.ts';
import { openConsole } from '../../../testing/open-console.tsx';

test('every change is listed with its author and its result', async () => {
  await openConsole('/audit');
  expect((await screen.findAllByText('started a campaign')).length).toBeGreaterThan(0);
  expect(screen.getAllByText('done').length).toBeGreaterThan(0);
});

test('changes are filtered by a person', async () => {
  const { api, user, address } = await openConsole('/audit');
  await screen.findAllByText('started a campaign');
  await user.click(screen.getByRole('button', { name: 'By' }));
  await user.click(screen.getByRole('menuitem', { name: 'demo' }));
  await waitFor(() => expect(api.requestsTo('GET /v1/audit').at(-1)?.query).toHaveProperty('keyId'));
  expect(address()).toContain('keyName=demo');
});

test('people without a change on this page can be chosen too, and equal names are distinguished', async () => {
  const ann = [
    { id: 'key_01jann1111', name: 'Ann' },
    { id: 'key_01jann2222', name: 'Ann' },
  ];
  const keys = { items: [{ id: 'key_01jtom', name: 'Tom' }, ...ann], next: null };
  const { api, user } = await openConsole('/audit', { answers: { 'GET /v1/api-keys': keys } });
  await screen.findAllByText('started a campaign');
  await user.click(screen.getByRole('button', { name: 'By' }));
  const names = (await screen.findAllByRole('menuitem')).map(({ textContent }) => textContent);
  expect(names.filter((name) => name.startsWith('Ann ('))).toHaveLength(2);
  await user.click(screen.getByRole('menuitem', { name: 'Tom' }));
  await waitFor(() => expect(api.requestsTo('GET /v1/audit').at(-1)?.query).toMatchObject({ keyId: 'key_01jtom' }));
});

test('a user who may not list keys chooses among the people of the page', async () => {
  const answers = { 'GET /v1/session': { ...session, role: 'viewer' } };
  const { api, user } = await openConsole('/audit', { answers });
  await screen.findAllByText('started a campaign');
  await user.click(screen.getByRole('button', { name: 'By' }));
  expect(screen.getByRole('menuitem', { name: 'demo' })).toBeDefined();
  expect(api.requestsTo('GET /v1/api-keys')).toEqual([]);
});

test('a changed campaign has its name and links to its page', async () => {
  await openConsole('/audit');
  const [link] = await screen.findAllByRole('link', { name: 'A draft' });
  expect(link?.getAttribute('href')).toBe('/campaigns/cmp_draft');
});

test('a search is stored in the address and sent to the API', async () => {
  const { api, user, address } = await openConsole('/audit');
  await screen.findAllByText('started a campaign');
  await user.type(screen.getByRole('searchbox'), 'cmp_live');
  await waitFor(() => expect(address()).toContain('cmp_live'));
  await waitFor(() => expect(Object.values(api.requestsTo('GET /v1/audit').at(-1)?.query ?? {})).toContain('cmp_live'));
});

test('filters are stored in the address and sent to the API, and an empty result lists them', async () => {
  const { api, user, address } = await openConsole('/audit');
  const [first] = await screen.findAllByTitle('Only its changes');
  if (!first) throw new Error('a change has a key');
  await user.click(first);
  await waitFor(() => expect(api.requestsTo('GET /v1/audit').at(-1)?.query).toHaveProperty('keyId'));
  await user.click(screen.getByRole('button', { name: 'Kind' }));
  await user.click(screen.getByRole('menuitem', { name: 'deleted' }));
  await user.click(screen.getByRole('button', { name: 'Time' }));
  api.answer({ 'GET /v1/audit': { items: [], next: null } });
  await user.click(screen.getByRole('menuitem', { name: 'last week' }));
  await waitFor(() => expect(api.requestsTo('GET /v1/audit').at(-1)?.query).toMatchObject({ method: 'DELETE' }));
  const since = Date.parse(api.requestsTo('GET /v1/audit').at(-1)?.query['since'] ?? '');
  expect(Math.round((Date.now() - since) / 3_600_000)).toBe(168);
  expect(address()).toContain('kind=deleted');
  expect(await screen.findByText(new RegExp(`By ${first.textContent}, deleted, last week\\.`))).toBeDefined();
});

test('an audit log that cannot be loaded shows the reason', async () => {
  await openConsole('/audit', { answers: { 'GET /v1/audit': () => problem(400, 'invalid-request', 'no') } });
  expect(await screen.findByText('The changes could not be read')).toBeDefined();
});
