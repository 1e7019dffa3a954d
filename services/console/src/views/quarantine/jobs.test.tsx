// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { problem } from '../../../testing/fakes/fake-api.ts';
import { quarantinedJobGroups } from '../../../testing/callbacks/quarantined-jobs.ts';
import { openConsole } from '../../../testing/open-console.tsx';

const some = { 'GET /v1/quarantine/jobs/groups': quarantinedJobGroups };

test('quarantined jobs are listed first, by client and reason, with the details of one job', async () => {
  const { user } = await openConsole('/quarantine', { answers: some });
  const groups = await screen.findByRole('table', { name: 'Quarantined jobs by client and reason' });
  expect(await within(groups).findByRole('row', { name: /Status 500 shop 100/ })).toBeDefined();
  const calls = await screen.findByRole('table', { name: 'Calls of the job' });
  expect(within(calls).getByRole('row', { name: /2 .* 500 41 ms/ })).toBeDefined();
  expect(screen.getByLabelText('The last answer').textContent).toContain('duplicate');
  await user.keyboard(']');
  expect(await screen.findByText('2 of 100')).toBeDefined();
});

test('a group is replayed at the typed rate, and the number of expired jobs is shown', async () => {
  const { api, user } = await openConsole('/quarantine?kind=job', {
    answers: { ...some, 'POST /v1/quarantine/jobs/replay': { items: 98, expired: 2 } },
  });
  await user.click(await screen.findByRole('button', { name: 'Replay 100…' }));
  const dialog = await screen.findByRole('dialog', { name: 'Replay 100 jobs?' });
  await user.type(within(dialog).getByLabelText('Calls per second, at most'), '10');
  expect(within(dialog).getByText('It takes about 10 s')).toBeDefined();
  // By then the group has disappeared from the list.
  api.answer({ 'GET /v1/quarantine/jobs/groups': { items: [], next: null } });
  await user.click(within(dialog).getByRole('button', { name: 'Replay 100' }));
  expect(await screen.findByText('No job is in quarantine')).toBeDefined();
  expect(await within(dialog).findByText('98')).toBeDefined();
  expect(within(dialog).getByText('were left out because they have expired.')).toBeDefined();
  expect(api.requestsTo('POST /v1/quarantine/jobs/replay')[0]?.body).toEqual({
    client: 'cli_shop',
    reason: 'status 500',
    withExpired: false,
    perSecond: 10,
  });
});

test('one job is replayed under its id', async () => {
  const { api, user } = await openConsole('/quarantine?kind=job', {
    answers: {
      ...some,
      'POST /v1/quarantine/jobs/job_dead/replay': { kind: 'job', id: 'job_dead', state: 'replayed' },
    },
  });
  await user.click(await screen.findByRole('button', { name: 'Replay…' }));
  await user.click(screen.getByRole('button', { name: 'Replay 1' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(api.requestsTo('POST /v1/quarantine/jobs/job_dead/replay')).toHaveLength(1);
});

test('a group or a single job is discarded after a confirmation', async () => {
  const { api, user } = await openConsole('/quarantine?kind=job', {
    answers: {
      ...some,
      'POST /v1/quarantine/jobs/discard': { items: 100, expired: 0 },
      'POST /v1/quarantine/jobs/job_dead/discard': { kind: 'job', id: 'job_dead', state: 'discarded' },
    },
  });
  await user.click(await screen.findByRole('button', { name: 'Discard…' }));
  await user.click(screen.getByRole('button', { name: 'Discard 1' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(api.requestsTo('POST /v1/quarantine/jobs/job_dead/discard')).toHaveLength(1);

  await user.click(screen.getByRole('button', { name: 'Discard 100…' }));
  const dialog = await screen.findByRole('dialog', { name: 'Discard 100 jobs?' });
  api.answer({ 'GET /v1/quarantine/jobs/groups': { items: [], next: null } });
  await user.click(within(dialog).getByRole('button', { name: 'Discard 100' }));
  expect(await screen.findByText('No job is in quarantine')).toBeDefined();
  expect(api.requestsTo('POST /v1/quarantine/jobs/discard')[0]?.body).toEqual({
    client: 'cli_shop',
    reason: 'status 500',
  });
});

test('the client filter is part of the address and of the request, and an empty result is shown', async () => {
  const { api, user, address } = await openConsole('/quarantine?kind=job', { answers: some });
  await user.click(await screen.findByRole('button', { name: 'Client' }));
  api.answer({ 'GET /v1/quarantine/jobs/groups': { items: [], next: null } });
  await user.click(await screen.findByRole('menuitem', { name: 'billing' }));
  await waitFor(() => expect(address()).toContain('client=billing'));
  expect(api.requestsTo('GET /v1/quarantine/jobs/groups').at(-1)?.query).toEqual({ client: 'billing' });
  expect(await screen.findByText('No quarantined job matches')).toBeDefined();
});

test('a manager cannot replay jobs and sees the role that can', async () => {
  await openConsole('/quarantine?kind=job', { role: 'manager', answers: some });
  const again = await screen.findByRole('button', { name: 'Replay 100…' });
  again.focus();
  expect((await screen.findByRole('tooltip')).textContent).toContain('Needs the role scheduler');
});

test.each([
  ['an empty quarantine', { items: [], next: null }, 'No job is in quarantine'],
  ['a failed request', () => problem(400, 'invalid-request', 'no'), 'The quarantined jobs could not be read'],
])('the page shows %s', async (_, answer, words) => {
  await openConsole('/quarantine?kind=job', { answers: { 'GET /v1/quarantine/jobs/groups': answer } });
  expect(await screen.findByText(words)).toBeDefined();
});
