// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { problem } from '../../testing/fake-api.ts';
import { scheduler } from '../../testing/jobs.ts';
import { openConsole } from '../../testing/open-console.tsx';

test('how late jobs are, which nodes are alive, who leads, and what nobody looks at', async () => {
  await openConsole('/scheduler');
  const nodes = await screen.findByRole('table', { name: 'Regions and their nodes' });
  expect(within(nodes).getByRole('row', { name: /scheduler-1a scheduler schedules 2 3/ })).toBeDefined();
  expect(within(nodes).getByText('No node is alive here.')).toBeDefined();
  expect(screen.getByRole('alert').textContent).toContain('1 partition of 3 is looked at by no scheduler');
  expect(screen.getByRole('img', { name: 'scheduler-1a 2; 1 moving' })).toBeDefined();
  expect(screen.getByText(/shop\.example of/)).toBeDefined();
});

test('a switch says what stops and what moves, and goes with a word why', async () => {
  const { api, user } = await openConsole('/scheduler', {
    answers: { 'POST /v1/scheduler/regions/west/switch': { items: scheduler.regions, next: null } },
  });
  await user.click(await screen.findByRole('button', { name: 'Switch to it…' }));
  const dialog = await screen.findByRole('dialog', { name: 'Make west the only region?' });
  expect(within(dialog).getByText('nodes stop').previousSibling?.textContent).toBe('2');
  expect(within(dialog).getByRole('alert').textContent).toContain('no job is called until one is');
  await user.type(within(dialog).getByLabelText('Why'), 'east is away');
  await user.click(within(dialog).getByRole('button', { name: 'Switch to west' }));
  await waitFor(() =>
    expect(api.askedFor('POST /v1/scheduler/regions/west/switch')[0]?.body).toEqual({ reason: 'east is away' }),
  );
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});

test('a region takes part again', async () => {
  const { api, user } = await openConsole('/scheduler', {
    answers: { 'POST /v1/scheduler/regions/west/activate': { items: scheduler.regions, next: null } },
  });
  await user.click(await screen.findByRole('button', { name: 'Let it take part…' }));
  await user.click(screen.getByRole('button', { name: 'Let it take part' }));
  await waitFor(() => expect(api.askedFor('POST /v1/scheduler/regions/west/activate')).toHaveLength(1));
});

test('a key that may not switch reads which role may', async () => {
  await openConsole('/scheduler', { role: 'viewer' });
  const button = await screen.findByRole('button', { name: 'Switch to it…' });
  button.focus();
  expect((await screen.findByRole('tooltip')).textContent).toContain('Needs the role operator');
});

test('what could not be read says why', async () => {
  await openConsole('/scheduler', { answers: { 'GET /v1/scheduler': () => problem(400, 'invalid-request', 'no') } });
  expect(await screen.findByText('The scheduler could not be read')).toBeDefined();
});
