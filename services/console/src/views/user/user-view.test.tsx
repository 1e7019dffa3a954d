// @vitest-environment happy-dom
import { screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { problem } from '../../../testing/fakes/fake-api.ts';
import { openConsole } from '../../../testing/open-console.tsx';
import { explanation } from '../../../testing/runs/ended-run.ts';

const path = '/runs/run_ended/users/id-000000069';

test('the page of a user shows the outcome first, then each call', async () => {
  await openConsole(path);
  await screen.findByRole('heading', { name: 'id-000000069', level: 1 });
  expect(screen.getByRole('region', { name: 'Step 1' }).textContent).toContain('Give a reward');
  expect(screen.getAllByText(/out-of-stock/).length).toBeGreaterThan(0);
  expect(screen.getByTitle('01a204c1-ae76-73f6-b02b-2bbe60afadd4-1-1')).toBeDefined();
});

test('a batch with a recorded trace shows its trace id with a copy button', async () => {
  const traceId = 'b02b2bbe60afadd4c3c0ffee00000001';
  const batches = explanation.batches.map((batch) => ({ ...batch, traceId }));
  await openConsole(path, { answers: { 'GET /v1/runs/:id/users/:user': () => ({ ...explanation, batches }) } });
  expect(await screen.findByTitle(traceId)).toBeDefined();
  expect(screen.getByRole('button', { name: /^Copy the trace id of batch/ })).toBeDefined();
});

test('the page of a user names the variant of the user', async () => {
  const answer = () => ({ ...explanation, variant: 'short text' });
  await openConsole(path, { answers: { 'GET /v1/runs/:id/users/:user': answer } });
  expect(await screen.findByText('short text')).toBeDefined();
});

test('the page of a user at a cap lists the earlier effects, with a link to each campaign that the key may read', async () => {
  const hidden = { runId: null, campaignId: null, campaignName: null };
  const effect = { step: 2, action: 'send-message', at: '2026-11-20T08:00:00.000Z' };
  const payday = { runId: 'run_before', campaignId: 'cmp_before', campaignName: 'Payday, before' };
  const counted = [
    { ...effect, ...payday },
    { ...effect, ...hidden },
  ];
  const detail = 'weekly: 2 of at most 2 within 7 days';
  const steps = explanation.steps.slice(0, 1).map((step) => ({
    ...step,
    ...({ outcome: 'suppressed', reason: 'muster.cap', detail, attempts: [], counted } as const),
  }));
  await openConsole(path, { answers: { 'GET /v1/runs/:id/users/:user': () => ({ ...explanation, steps }) } });
  expect(await screen.findByText(/A cap suppressed step 1, “Give a reward”: weekly: 2 of at most 2/)).toBeDefined();
  const link = screen.getByRole('link', { name: 'Payday, before' });
  expect(link.getAttribute('href')).toBe('/runs/run_before/users/id-000000069');
  expect(link.closest('li')?.textContent).toMatch(/Step 2, Send a message · .*20 Nov/);
  expect(screen.getByText('Another campaign')).toBeDefined();
});

const deletedAt = { receiptsDeletedAt: '2026-11-28T04:00:00.000Z' };

test('a user whose receipts were deleted is not shown as one without receipts', async () => {
  await openConsole(path, {
    answers: { 'GET /v1/runs/:id/users/:user': () => ({ ...explanation, ...deletedAt }) },
  });
  const sentence = await screen.findByText(/it is no longer known whether a message was delivered to this user/);
  expect(sentence.textContent).toMatch(/^Receipts were deleted on .*28 Nov/);
});

test('a receipt is shown for its user, even if the receipts of the run are about to be deleted', async () => {
  const receipt = { status: 'undelivered', code: null, at: '2026-11-22T19:38:11.762Z', receivedAt: explanation.asOf };
  const steps = explanation.steps.map((step) => ({ ...step, receipt }));
  await openConsole(path, {
    answers: { 'GET /v1/runs/:id/users/:user': () => ({ ...explanation, ...deletedAt, steps }) },
  });
  await screen.findByRole('heading', { name: 'id-000000069', level: 1 });
  expect(screen.queryByText(/is no longer known/)).toBeNull();
});

test('a user outside the run gets an explanation too', async () => {
  const audience = { place: 'held-out', country: 'ID', detail: 'it is held out' };
  await openConsole(path, {
    answers: {
      'GET /v1/runs/:id/users/:user': () => ({ ...explanation, audience, batches: [], steps: [] }),
    },
  });
  await screen.findByRole('heading', { name: 'id-000000069', level: 1 });
  expect(screen.queryByRole('region', { name: 'Step 1' })).toBeNull();
});

test('the key / focuses the search for another user of the run', async () => {
  const { user, address } = await openConsole(path);
  await screen.findByRole('heading', { name: 'id-000000069', level: 1 });
  await user.keyboard('/');
  await user.keyboard('id-2{Enter}');
  await waitFor(() => expect(address()).toBe('/runs/run_ended/users/id-2'));
});

test('a failed request of the user is shown', async () => {
  await openConsole(path, {
    answers: { 'GET /v1/runs/:id/users/:user': () => problem(404, 'not-found', 'there is no run') },
  });
  expect(await screen.findByText('The user could not be read')).toBeDefined();
});
