// @vitest-environment happy-dom
import { screen, waitFor } from '@testing-library/react';
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
  await user.selectOptions(screen.getByLabelText('Step'), '2 send-message');
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
