// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { problem } from '../../../testing/fakes/fake-api.ts';
import { scheduler } from '../../../testing/callbacks/jobs.ts';
import { openConsole } from '../../../testing/open-console.tsx';

test('the page shows nodes, leaders, partitions without a scheduler, and sidelined hosts', async () => {
  await openConsole('/scheduler');
  const nodes = await screen.findByRole('table', { name: 'Regions and their nodes' });
  expect(within(nodes).getByRole('row', { name: /scheduler-1a scheduler schedules 2 3/ })).toBeDefined();
  expect(within(nodes).getByText('No node is alive here.')).toBeDefined();
  expect(screen.getByRole('alert').textContent).toContain('1 partition of 3 has no scheduler');
  expect(screen.getByRole('img', { name: 'scheduler-1a 2; 1 moving' })).toBeDefined();
  expect(screen.getByText(/shop\.example of/)).toBeDefined();
});

test('a switch shows its effects and sends the typed reason', async () => {
  const { api, user } = await openConsole('/scheduler', {
    answers: { 'POST /v1/scheduler/regions/west/switch': { items: scheduler.regions, next: null } },
  });
  await user.click(await screen.findByRole('button', { name: 'Switch to it…' }));
  const dialog = await screen.findByRole('dialog', { name: 'Make west the only region?' });
  expect(within(dialog).getByText('nodes stop').previousSibling?.textContent).toBe('2');
  expect(within(dialog).getByRole('alert').textContent).toContain('no job is called until one starts');
  await user.type(within(dialog).getByLabelText('Reason'), 'east is away');
  await user.click(within(dialog).getByRole('button', { name: 'Switch to west' }));
  await waitFor(() =>
    expect(api.requestsTo('POST /v1/scheduler/regions/west/switch')[0]?.body).toEqual({ reason: 'east is away' }),
  );
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});

test('a region is activated again', async () => {
  const { api, user } = await openConsole('/scheduler', {
    answers: { 'POST /v1/scheduler/regions/west/activate': { items: scheduler.regions, next: null } },
  });
  await user.click(await screen.findByRole('button', { name: 'Activate…' }));
  await user.click(screen.getByRole('button', { name: 'Activate' }));
  await waitFor(() => expect(api.requestsTo('POST /v1/scheduler/regions/west/activate')).toHaveLength(1));
});

test('a viewer sees the role that can switch regions', async () => {
  await openConsole('/scheduler', { role: 'viewer' });
  const button = await screen.findByRole('button', { name: 'Switch to it…' });
  button.focus();
  expect((await screen.findByRole('tooltip')).textContent).toContain('Needs the role operator');
});

test('a failed request of the scheduler is shown', async () => {
  await openConsole('/scheduler', { answers: { 'GET /v1/scheduler': () => problem(400, 'invalid-request', 'no') } });
  expect(await screen.findByText('The scheduler could not be read')).toBeDefined();
});
