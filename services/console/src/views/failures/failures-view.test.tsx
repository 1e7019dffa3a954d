// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { problem } from '../../../testing/fakes/fake-api.ts';
import { openConsole } from '../../../testing/open-console.tsx';
import { report } from '../../../testing/runs/ended-report.ts';

const path = '/runs/run_ended/failures';
const none = { 'GET /v1/runs/:id/failures': { items: [], next: null } };

test('each failed user is listed and links to the history of that user', async () => {
  await openConsole(path);
  const link = await screen.findByRole('link', { name: 'id-000000069' });
  expect(link.getAttribute('href')).toBe('/runs/run_ended/users/id-000000069');
  expect(screen.getByText('824 users')).toBeDefined();
});

test('a filter applies to the address, the request and the download', async () => {
  const { api, user, address } = await openConsole(path);
  await screen.findByRole('link', { name: 'id-000000069' });
  await user.selectOptions(screen.getByLabelText('Country'), 'VN');
  await user.selectOptions(screen.getByLabelText('Step'), '2 Send a message');
  await user.selectOptions(screen.getByLabelText('Outcome'), 'failed');
  await waitFor(() => expect(address()).toContain('country=VN'));
  await waitFor(() =>
    expect(api.requestsTo('GET /v1/runs/run_ended/failures').at(-1)?.query).toMatchObject({
      country: 'VN',
      step: '2',
      outcome: 'failed',
    }),
  );
  const file = screen.getByRole('link', { name: /CSV of these/ }).getAttribute('href');
  expect(file).toContain('country=VN');
  expect(file).toContain('format=csv');
  await user.click(screen.getByRole('button', { name: 'Clear all filters' }));
  await waitFor(() => expect(address()).toBe(path));
});

test('filters for user id, batch and period apply to the address, the request and the download', async () => {
  const { api, user, address } = await openConsole(path);
  await screen.findByRole('link', { name: 'id-000000069' });
  await user.type(screen.getByRole('searchbox'), 'id-0{Enter}');
  await user.click(screen.getByRole('button', { name: 'Batch' }));
  const batch = await screen.findByRole('dialog', { name: 'Failures of one batch' });
  await user.type(within(batch).getByRole('textbox'), '7');
  await user.click(within(batch).getByRole('button', { name: 'Apply filter' }));
  await user.click(screen.getByRole('button', { name: 'Time' }));
  const time = await screen.findByRole('dialog', { name: 'Failures in a period' });
  await user.type(within(time).getByRole('textbox', { name: /^From/ }), '2026-11-22 19:40');
  await user.click(within(time).getByRole('button', { name: 'Apply filter' }));
  const query = { q: 'id-0', batch: '7', failedFrom: '2026-11-22T19:40:00.000Z' };
  await waitFor(() => expect(api.requestsTo('GET /v1/runs/run_ended/failures').at(-1)?.query).toMatchObject(query));
  expect(address()).toContain('batch=7');
  const file = screen.getByRole('link', { name: /CSV of these/ }).getAttribute('href');
  expect(Object.fromEntries(new URLSearchParams(file?.split('?')[1]))).toEqual({ ...query, format: 'csv' });
  await user.click(screen.getByRole('button', { name: 'Take off Batch 7' }));
  await waitFor(() => expect(address()).not.toContain('batch'));
});

test('a row links to the failures of the same batch', async () => {
  const { user, address } = await openConsole(path);
  const [batch] = await screen.findAllByTitle('Only failures of this batch');
  if (!batch) throw new Error('no row names its batch');
  await user.click(batch);
  await waitFor(() => expect(address()).toMatch(/batch=\d+/));
});

test('a list without a match offers to drop the narrowest filter', async () => {
  const { user, address } = await openConsole(`${path}?country=VN&reason=out-of-stock`, { answers: none });
  await screen.findByText('No failure matches');
  await user.click(screen.getByRole('button', { name: /^Drop/ }));
  await waitFor(() => expect(address()).not.toContain('reason='));
});

test('a run without failed users shows a message', async () => {
  await openConsole(path, { answers: none });
  expect(await screen.findByText('No user has failed in this run.')).toBeDefined();
});

test('a run whose failed users are no longer kept refers to the report', async () => {
  await openConsole(path, {
    answers: { ...none, 'GET /v1/runs/run_ended/report': { ...report, failuresKept: false } },
  });
  expect(await screen.findByText(/no longer kept; the report has the figures/)).toBeDefined();
});

test('a list that cannot be read shows an error', async () => {
  await openConsole(path, {
    answers: { 'GET /v1/runs/:id/failures': () => problem(400, 'invalid-request', 'the cursor is not known') },
  });
  expect(await screen.findByText('The failures could not be read')).toBeDefined();
});
