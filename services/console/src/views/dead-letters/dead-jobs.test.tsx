// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { problem } from '../../testing/fake-api.ts';
import { deadJobGroups } from '../../testing/jobs.ts';
import { openConsole } from '../../testing/open-console.tsx';

const some = { 'GET /v1/dead-jobs/groups': deadJobGroups };

test('where jobs were given up they come first, by client and error, with one of them whole', async () => {
  const { user } = await openConsole('/dead-letters', { answers: some });
  const groups = await screen.findByRole('table', { name: 'Dead jobs by client and error' });
  expect(await within(groups).findByRole('row', { name: /Status 500 shop 100/ })).toBeDefined();
  const calls = await screen.findByRole('table', { name: 'Its calls' });
  expect(within(calls).getByRole('row', { name: /2 .* 500 41 ms/ })).toBeDefined();
  expect(screen.getByLabelText('The last answer').textContent).toContain('duplicate');
  await user.keyboard(']');
  expect(await screen.findByText('2 of 100')).toBeDefined();
});

test('a group is called again as fast as somebody says, and what expired is said', async () => {
  const { api, user } = await openConsole('/dead-letters?show=jobs', {
    answers: { ...some, 'POST /v1/dead-jobs/replay': { jobs: 98, expired: 2 } },
  });
  await user.click(await screen.findByRole('button', { name: 'Call 100 again…' }));
  const dialog = await screen.findByRole('dialog', { name: 'Call 100 dead jobs again?' });
  await user.type(within(dialog).getByLabelText('Calls a second, at most'), '10');
  expect(within(dialog).getByText('It takes about 10 s')).toBeDefined();
  // Its group is gone by then.
  api.answer({ 'GET /v1/dead-jobs/groups': { items: [], next: null } });
  await user.click(within(dialog).getByRole('button', { name: 'Call 100 again' }));
  expect(await screen.findByText('No job was given up')).toBeDefined();
  expect(await within(dialog).findByText('98')).toBeDefined();
  expect(within(dialog).getByText('were left alone, as they have expired.')).toBeDefined();
  expect(api.askedFor('POST /v1/dead-jobs/replay')[0]?.body).toEqual({
    ...{ client: 'cli_shop', cause: 'status 500', withExpired: false, perSecond: 10 },
  });
});

test('one of them is called again under its id', async () => {
  const { api, user } = await openConsole('/dead-letters?show=jobs', {
    answers: { ...some, 'POST /v1/dead-jobs/job_dead/replay': { jobs: 1, expired: 0 } },
  });
  await user.click(await screen.findByRole('button', { name: 'Call it again…' }));
  await user.click(screen.getByRole('button', { name: 'Call it again' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(api.askedFor('POST /v1/dead-jobs/job_dead/replay')).toHaveLength(1);
});

test('a group is put away, and so is one of them, once somebody has said so', async () => {
  const { api, user } = await openConsole('/dead-letters?show=jobs', {
    answers: {
      ...some,
      'POST /v1/dead-jobs/discard': { jobs: 100 },
      'POST /v1/dead-jobs/job_dead/discard': { jobs: 1 },
    },
  });
  await user.click(await screen.findByRole('button', { name: 'Discard it…' }));
  await user.click(screen.getByRole('button', { name: 'Discard it' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(api.askedFor('POST /v1/dead-jobs/job_dead/discard')).toHaveLength(1);

  await user.click(screen.getByRole('button', { name: 'Discard 100…' }));
  const dialog = await screen.findByRole('dialog', { name: 'Discard 100 dead jobs?' });
  api.answer({ 'GET /v1/dead-jobs/groups': { items: [], next: null } });
  await user.click(within(dialog).getByRole('button', { name: 'Discard 100' }));
  expect(await screen.findByText('No job was given up')).toBeDefined();
  expect(api.askedFor('POST /v1/dead-jobs/discard')[0]?.body).toEqual({ client: 'cli_shop', cause: 'status 500' });
});

test('a client is a filter of the address and of the API, and what it leaves nothing of is said', async () => {
  const { api, user, address } = await openConsole('/dead-letters?show=jobs', { answers: some });
  await user.click(await screen.findByRole('button', { name: 'Client' }));
  api.answer({ 'GET /v1/dead-jobs/groups': { items: [], next: null } });
  await user.click(await screen.findByRole('menuitem', { name: 'billing' }));
  await waitFor(() => expect(address()).toContain('client=billing'));
  expect(api.askedFor('GET /v1/dead-jobs/groups').at(-1)?.query).toEqual({ client: 'billing' });
  expect(await screen.findByText('No dead job matches')).toBeDefined();
});

test('a manager may not call them again, and reads which role may', async () => {
  await openConsole('/dead-letters?show=jobs', { role: 'manager', answers: some });
  const again = await screen.findByRole('button', { name: 'Call 100 again…' });
  again.focus();
  expect((await screen.findByRole('tooltip')).textContent).toContain('Needs the role scheduler');
});

test.each([
  ['that none was given up', { items: [], next: null }, 'No job was given up'],
  ['that they could not be read', () => problem(400, 'invalid-request', 'no'), 'The dead jobs could not be read'],
])('it is said %s', async (_, answer, words) => {
  await openConsole('/dead-letters?show=jobs', { answers: { 'GET /v1/dead-jobs/groups': answer } });
  expect(await screen.findByText(words)).toBeDefined();
});
