// @vitest-environment happy-dom
import { screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { problem } from '../../testing/fake-api.ts';
import { session } from '../../testing/installation.ts';
import { openConsole } from '../../testing/open-console.tsx';

test('every change says who made it, and what came of it', async () => {
  await openConsole('/audit');
  expect((await screen.findAllByText('started a campaign')).length).toBeGreaterThan(0);
  expect(screen.getAllByText('done').length).toBeGreaterThan(0);
});

test('changes are filtered by a person', async () => {
  const { api, user, address } = await openConsole('/audit');
  await screen.findAllByText('started a campaign');
  await user.click(screen.getByRole('button', { name: 'By' }));
  await user.click(screen.getByRole('menuitem', { name: 'demo' }));
  await waitFor(() => expect(api.askedFor('GET /v1/audit').at(-1)?.query).toHaveProperty('keyId'));
  expect(address()).toContain('keyName=demo');
});

test('who changed nothing on this page can be chosen too, and two of one name are told apart', async () => {
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
  await waitFor(() => expect(api.askedFor('GET /v1/audit').at(-1)?.query).toMatchObject({ keyId: 'key_01jtom' }));
});

test('who may not list keys chooses among those of the page', async () => {
  const answers = { 'GET /v1/session': { ...session, role: 'viewer' } };
  const { api, user } = await openConsole('/audit', { answers });
  await screen.findAllByText('started a campaign');
  await user.click(screen.getByRole('button', { name: 'By' }));
  expect(screen.getByRole('menuitem', { name: 'demo' })).toBeDefined();
  expect(api.askedFor('GET /v1/api-keys')).toEqual([]);
});

test('a campaign that was changed has its name and leads to its page', async () => {
  await openConsole('/audit');
  const [link] = await screen.findAllByRole('link', { name: 'A draft' });
  expect(link?.getAttribute('href')).toBe('/campaigns/cmp_draft');
});

test('a search goes into the address and to the API', async () => {
  const { api, user, address } = await openConsole('/audit');
  await screen.findAllByText('started a campaign');
  await user.type(screen.getByRole('searchbox'), 'cmp_live');
  await waitFor(() => expect(address()).toContain('cmp_live'));
  await waitFor(() => expect(Object.values(api.askedFor('GET /v1/audit').at(-1)?.query ?? {})).toContain('cmp_live'));
});

test('who, what and when are filters of the address and of the API, and what they leave nothing of is said', async () => {
  const { api, user, address } = await openConsole('/audit');
  const [first] = await screen.findAllByTitle('Its changes alone');
  if (!first) throw new Error('a change has a key');
  await user.click(first);
  await waitFor(() => expect(api.askedFor('GET /v1/audit').at(-1)?.query).toHaveProperty('keyId'));
  await user.click(screen.getByRole('button', { name: 'Kind' }));
  await user.click(screen.getByRole('menuitem', { name: 'deleted' }));
  await user.click(screen.getByRole('button', { name: 'Time' }));
  api.answer({ 'GET /v1/audit': { items: [], next: null } });
  await user.click(screen.getByRole('menuitem', { name: 'last week' }));
  await waitFor(() => expect(api.askedFor('GET /v1/audit').at(-1)?.query).toMatchObject({ method: 'DELETE' }));
  const since = Date.parse(api.askedFor('GET /v1/audit').at(-1)?.query['since'] ?? '');
  expect(Math.round((Date.now() - since) / 3_600_000)).toBe(168);
  expect(address()).toContain('kind=deleted');
  expect(await screen.findByText(new RegExp(`By ${first.textContent}, deleted, last week\\.`))).toBeDefined();
});

test('changes that cannot be read say why', async () => {
  await openConsole('/audit', { answers: { 'GET /v1/audit': () => problem(400, 'invalid-request', 'no') } });
  expect(await screen.findByText('The changes could not be read')).toBeDefined();
});
