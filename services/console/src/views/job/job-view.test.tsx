// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { problem } from '../../../testing/fakes/fake-api.ts';
import { deadJob, pending } from '../../../testing/callbacks/jobs.ts';
import { openConsole } from '../../../testing/open-console.tsx';

const waiting = { ...deadJob, ...pending, attempts: [] };

test('a job shows its outcome in one sentence, then each call', async () => {
  await openConsole('/jobs/job_dead');
  expect(await screen.findByText('It was given up after 2 calls.')).toBeDefined();
  const happened = screen.getByRole('region', { name: 'What happened' });
  const titles = within(happened)
    .getAllByRole('listitem')
    .map(({ textContent }) => textContent);
  expect(titles.join(' ')).toMatch(/Accepted.*Due.*Call 1: no answer in 5 s.*Call 2: 500 in 41 ms.*Given up/);
  expect(within(happened).getByText('{"error":"duplicate"}')).toBeDefined();
});

test('a request is shown with credentials replaced by their length', async () => {
  await openConsole('/jobs/job_dead');
  const request = await screen.findByRole('region', { name: 'Request' });
  expect(within(request).getByText('set, 27 characters')).toBeDefined();
  expect(within(request).getByLabelText('The body').textContent).toContain('"order": 17');
  expect(await within(request).findByText(/up to 5 calls/)).toBeDefined();
});

test('a priority other than normal is shown', async () => {
  await openConsole('/jobs/job_dead', { answers: { 'GET /v1/jobs/job_dead': { ...deadJob, priority: 'high' } } });
  const request = await screen.findByRole('region', { name: 'Request' });
  expect(within(request).getByText('Priority').nextSibling?.textContent).toContain('high');
});

test('a dead job is replayed under its id, after the dialog explained the replay', async () => {
  const { api, user } = await openConsole('/jobs/job_dead', {
    answers: { 'POST /v1/quarantine/jobs/job_dead/replay': { kind: 'job', id: 'job_dead', state: 'replayed' } },
  });
  await user.click(await screen.findByRole('button', { name: 'Replay…' }));
  await user.click(screen.getByRole('button', { name: 'Replay it' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(api.requestsTo('POST /v1/quarantine/jobs/job_dead/replay')[0]?.body).toEqual({ withExpired: false });
});

test('a job that was called is sent again as a new job, whose page opens', async () => {
  const called = { ...deadJob, id: 'job_called', state: 'called', cause: null };
  const { user, address } = await openConsole('/jobs/job_called', {
    answers: {
      'GET /v1/jobs/job_called': called,
      'POST /v1/jobs/resend': { sent: 1, results: [{ id: 'job_called', result: 'sent', jobId: 'job_dead' }] },
    },
  });
  await user.click(await screen.findByRole('button', { name: 'Send again…' }));
  await user.click(screen.getByRole('button', { name: 'Send it again' }));
  await waitFor(() => expect(address()).toBe('/jobs/job_dead'));
});

test('a pending job is rescheduled to a time in the displayed zone', async () => {
  const { api, user } = await openConsole('/jobs/job_pending', {
    answers: { 'GET /v1/jobs/job_pending': waiting, 'POST /v1/jobs/job_pending/reschedule': waiting },
  });
  await user.click(await screen.findByRole('button', { name: 'Reschedule…' }));
  await user.type(screen.getByLabelText(/^To/), '2030-02-01 10:00');
  await user.click(screen.getByRole('button', { name: 'Reschedule' }));
  await waitFor(() =>
    expect(api.requestsTo('POST /v1/jobs/job_pending/reschedule')[0]?.body).toEqual({
      dueAt: '2030-02-01T10:00:00.000Z',
    }),
  );
});

test('a job that can no longer be cancelled shows the reason in the dialog', async () => {
  const { user } = await openConsole('/jobs/job_pending', {
    answers: {
      'GET /v1/jobs/job_pending': waiting,
      'POST /v1/jobs/job_pending/cancel': { id: 'job_pending', result: 'too-late' },
    },
  });
  await user.click(await screen.findByRole('button', { name: 'Cancel…' }));
  await user.click(screen.getByRole('button', { name: 'Cancel it' }));
  expect((await screen.findByRole('alert')).textContent).toContain('it is being called, or has ended');
});

test('a viewer sees that content is hidden, and cannot replay', async () => {
  const withheld = { ...deadJob, withheld: true, body: null };
  await openConsole('/jobs/job_dead', { role: 'viewer', answers: { 'GET /v1/jobs/job_dead': withheld } });
  expect(await screen.findByText('Hidden from the role viewer.')).toBeDefined();
  expect(screen.getByRole('button', { name: 'Replay…' }).getAttribute('aria-disabled')).toBe('true');
});

test('a job that does not exist shows an error', async () => {
  await openConsole('/jobs/job_none', {
    answers: { 'GET /v1/jobs/:id': () => problem(404, 'not-found', 'there is no job job_none') },
  });
  expect(await screen.findByText('The job could not be read')).toBeDefined();
});
