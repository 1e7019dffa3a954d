// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { problem } from '../../testing/fake-api.ts';
import { openConsole } from '../../testing/open-console.tsx';
import { report } from '../../testing/ended-report.ts';

const path = '/runs/run_ended/failures';
const none = { 'GET /v1/runs/:id/failures': { items: [], next: null } };

test('each failed user stands there with the reason, and leads to what happened', async () => {
  await openConsole(path);
  const link = await screen.findByRole('link', { name: 'id-000000069' });
  expect(link.getAttribute('href')).toBe('/runs/run_ended/users/id-000000069');
  expect(screen.getByText('824 users')).toBeDefined();
});

test('a filter goes into the address, to the API and into the file', async () => {
  const { api, user, address } = await openConsole(path);
  await screen.findByRole('link', { name: 'id-000000069' });
  await user.selectOptions(screen.getByLabelText('Country'), 'VN');
  await user.selectOptions(screen.getByLabelText('Step'), '2 Send a message');
  await user.selectOptions(screen.getByLabelText('Outcome'), 'failed');
  await waitFor(() => expect(address()).toContain('country=VN'));
  await waitFor(() =>
    expect(api.askedFor('GET /v1/runs/run_ended/failures').at(-1)?.query).toMatchObject({
      ...{ country: 'VN', step: '2', outcome: 'failed' },
    }),
  );
  const file = screen.getByRole('link', { name: /CSV of these/ }).getAttribute('href');
  expect(file).toContain('country=VN');
  expect(file).toContain('format=csv');
  await user.click(screen.getByRole('button', { name: 'Clear all filters' }));
  await waitFor(() => expect(address()).toBe(path));
});

test('users are searched, and those of a batch and a time alone shown: in the address, at the API and in the file', async () => {
  const { api, user, address } = await openConsole(path);
  await screen.findByRole('link', { name: 'id-000000069' });
  await user.type(screen.getByRole('searchbox'), 'id-0{Enter}');
  await user.click(screen.getByRole('button', { name: 'Batch' }));
  const batch = await screen.findByRole('dialog', { name: 'Failures of one batch' });
  await user.type(within(batch).getByRole('textbox'), '7');
  await user.click(within(batch).getByRole('button', { name: 'Show them' }));
  await user.click(screen.getByRole('button', { name: 'Time' }));
  const time = await screen.findByRole('dialog', { name: 'Failures of a time' });
  await user.type(within(time).getByRole('textbox', { name: /^From/ }), '2026-11-22 19:40');
  await user.click(within(time).getByRole('button', { name: 'Show them' }));
  const asked = { q: 'id-0', batch: '7', failedFrom: '2026-11-22T19:40:00.000Z' };
  await waitFor(() => expect(api.askedFor('GET /v1/runs/run_ended/failures').at(-1)?.query).toMatchObject(asked));
  expect(address()).toContain('batch=7');
  const file = screen.getByRole('link', { name: /CSV of these/ }).getAttribute('href');
  expect(Object.fromEntries(new URLSearchParams(file?.split('?')[1]))).toEqual({ ...asked, format: 'csv' });
  await user.click(screen.getByRole('button', { name: 'Take off Batch 7' }));
  await waitFor(() => expect(address()).not.toContain('batch'));
});

test('a row leads to those of the same batch', async () => {
  const { user, address } = await openConsole(path);
  const [batch] = await screen.findAllByTitle('Those of this batch alone');
  if (!batch) throw new Error('no row names its batch');
  await user.click(batch);
  await waitFor(() => expect(address()).toMatch(/batch=\d+/));
});

test('where none matches, the narrowest filter can be dropped', async () => {
  const { user, address } = await openConsole(`${path}?country=VN&reason=out-of-stock`, { answers: none });
  await screen.findByText('No failure matches');
  await user.click(screen.getByRole('button', { name: /^Drop/ }));
  await waitFor(() => expect(address()).not.toContain('reason='));
});

test('a run without failures says so, and one whose failures are too old says that', async () => {
  await openConsole(path, { answers: none });
  expect(await screen.findByText('Nobody has failed in this run.')).toBeDefined();
});

test('a run whose failures are no longer kept says where the figures are', async () => {
  await openConsole(path, {
    answers: { ...none, 'GET /v1/runs/run_ended/report': { ...report, failuresKept: false } },
  });
  expect(await screen.findByText(/no longer kept; the report has the figures/)).toBeDefined();
});

test('failures that cannot be read say why', async () => {
  await openConsole(path, {
    answers: { 'GET /v1/runs/:id/failures': () => problem(400, 'invalid-request', 'the cursor is not known') },
  });
  expect(await screen.findByText('The failures could not be read')).toBeDefined();
});
