// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { problem } from '../../../testing/fakes/fake-api.ts';
import { shards } from '../../../testing/installation/shards.ts';
import { openConsole } from '../../../testing/open-console.tsx';

const [first, ...others] = shards.items;
if (!first) throw new Error('there is no shard');

test('an expanded shard shows the owners of its partitions', async () => {
  const { user, address } = await openConsole('/shards');
  const open = await screen.findByRole('button', { name: new RegExp(`${first.actionType} ${first.country}`) });
  await user.click(open);
  await waitFor(() => expect(address()).toContain('shard='));
  expect(await screen.findByRole('table', { name: 'Partitions and their owners' })).toBeDefined();
  expect(screen.getByText(first.topic)).toBeDefined();
});

test('a shard with an open breaker shows the start and the cause of the outage', async () => {
  const down = {
    ...first,
    breaker: 'open' as const,
    notes: [
      'its endpoint counts as down since 2026-11-22T19:36:00.000Z: 5 calls timed out',
      'nobody serves it and there is work',
    ],
  };
  await openConsole(`/shards?shard=${first.id}`, {
    answers: { 'GET /v1/shards': { items: [down, ...others], next: null } },
  });
  expect((await screen.findAllByText(/5 calls timed out/)).length).toBeGreaterThan(0);
  expect(screen.getByText(/Nobody serves it and there is work/)).toBeDefined();
});

test('a shard with work and without a worker is listed first, and a paced shard is not late', async () => {
  const [second, third] = others;
  if (!second || !third) throw new Error('there are three shards');
  const cause = '2 workers cannot serve it: leases are too short';
  const stuck = { ...third.lag, batches: 40, seconds: null };
  const items = [
    { ...first, lag: { ...first.lag, seconds: 0.4, pacedBatches: 1240 } },
    second,
    { ...third, workers: [], notes: ['no worker serves it, and there is work', cause], lag: stuck },
  ];
  await openConsole('/shards', { answers: { 'GET /v1/shards': { items } } });
  await screen.findByText(cause);
  const [, worst, paced] = screen.getAllByRole('row');
  expect(worst?.textContent).toContain(`${third.country}${cause}no worker`);
  expect(worst?.textContent).toContain('no progress');
  expect(paced?.textContent).toContain('0.4 s paced');
  expect(screen.getByText('1 shard without a worker')).toBeDefined();
});

test('filters reduce the list and show the number of matches', async () => {
  const { user, address } = await openConsole('/shards');
  await screen.findByText(/3 shards, longest lag first/);
  await user.click(screen.getByRole('button', { name: /^Breaker not closed/ }));
  await screen.findByText('No shard matches');
  await user.click(screen.getByRole('button', { name: 'Clear all filters' }));
  await waitFor(() => expect(address()).toBe('/shards'));
  await user.selectOptions(screen.getByLabelText('Filter by country'), 'VN');
  expect(await screen.findByText(/of 3 shards/)).toBeDefined();
});

test('an operator can only increase the number of partitions', async () => {
  const { api, user } = await openConsole(`/shards?shard=${first.id}`, {
    answers: { 'PATCH /v1/shards/:shard': {} },
  });
  await user.click(await screen.findByRole('button', { name: 'Add partitions…' }));
  const dialog = await screen.findByRole('dialog');
  const field = within(dialog).getByLabelText('Partitions');
  await user.clear(field);
  await user.type(field, '1');
  expect(within(dialog).getByRole('button', { name: 'Raise' }).hasAttribute('disabled')).toBe(true);
  await user.clear(field);
  await user.type(field, '64');
  await user.click(within(dialog).getByRole('button', { name: 'Raise to 64' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  const changed = api.requests.find(({ method }) => method !== 'GET');
  expect(changed?.body).toEqual({ partitions: 64 });
});

test('a refusal to add partitions stays in the dialog', async () => {
  const { user } = await openConsole(`/shards?shard=${first.id}`, {
    answers: { 'PATCH /v1/shards/:shard': () => problem(503, 'kafka-unavailable', 'kafka does not answer') },
  });
  await user.click(await screen.findByRole('button', { name: 'Add partitions…' }));
  const dialog = await screen.findByRole('dialog');
  await user.click(within(dialog).getByRole('button', { name: /^Raise to/ }));
  expect((await within(dialog).findByRole('alert')).textContent).toContain('kafka does not answer');
});

test('an empty list explains shards', async () => {
  await openConsole('/shards', { answers: { 'GET /v1/shards': { items: [], next: null } } });
  expect(await screen.findByText('No shards yet')).toBeDefined();
});

test('a failed request of the shards is shown', async () => {
  await openConsole('/shards', { answers: { 'GET /v1/shards': () => problem(400, 'invalid-request', 'no') } });
  expect(await screen.findByText('The shards could not be read')).toBeDefined();
});
