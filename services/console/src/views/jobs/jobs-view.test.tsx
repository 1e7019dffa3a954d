// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { problem, type FakeRequest } from '../../../testing/fakes/fake-api.ts';
import { endpoints, ledger, pending } from '../../../testing/callbacks/jobs.ts';
import { openConsole } from '../../../testing/open-console.tsx';

const none = { items: [], next: null };

describe('the list of jobs', () => {
  test('shows each job with its client and links to its page', async () => {
    const { address } = await openConsole('/jobs');
    const row = await screen.findByRole('row', { name: /job_pending/ });
    expect(await within(row).findByText('shop')).toBeDefined();
    expect(within(row).getByText('at the due time')).toBeDefined();
    expect(within(row).getByRole('link', { name: 'job_pending' }).getAttribute('href')).toBe('/jobs/job_pending');
    expect(address()).toBe('/jobs');
  });

  test('applies filters to the address and the request', async () => {
    const { api, user, address } = await openConsole('/jobs');
    await screen.findByRole('row', { name: /job_pending/ });
    await user.click(screen.getByRole('button', { name: 'Client' }));
    await user.click(screen.getByRole('menuitem', { name: 'shop' }));
    await user.type(screen.getByLabelText('Tag'), 'cart{Enter}');
    await user.click(screen.getByRole('button', { name: 'Priority' }));
    await user.click(screen.getByRole('menuitem', { name: 'high' }));
    await user.click(screen.getByRole('button', { name: 'Due' }));
    await user.click(screen.getByRole('menuitem', { name: 'next hour' }));
    await user.click(screen.getByRole('button', { name: 'Pending' }));
    await waitFor(() => expect(address()).toContain('state=pending'));
    const query = () => api.requestsTo('GET /v1/jobs').at(-1)?.query ?? {};
    await waitFor(() =>
      expect(query()).toMatchObject({ client: 'shop', tag: 'cart', priority: 'high', state: 'pending' }),
    );
    expect(Date.parse(query()['dueUntil'] ?? '') - Date.parse(query()['dueFrom'] ?? '')).toBe(3_600_000);
  });

  test('applies a filter by endpoint, without a count of the matching jobs', async () => {
    const { api, user, address } = await openConsole('/jobs?client=shop&state=sidelined');
    await user.click(await screen.findByRole('button', { name: 'Endpoint' }));
    const [, endpoint] = endpoints.items;
    await user.click(screen.getByRole('menuitem', { name: endpoint?.name ?? '' }));
    await waitFor(() => expect(address()).toContain(`endpoint=${endpoint?.name ?? ''}`));
    await waitFor(() =>
      expect(api.requestsTo('GET /v1/jobs').at(-1)?.query).toMatchObject({ endpoint: endpoint?.name }),
    );
    expect(await screen.findByText(/^\d+ of all that match/)).toBeDefined();
  });

  test('shows the figures of a client in the chips and in the ledger', async () => {
    await openConsole('/jobs?client=shop');
    expect(await screen.findByRole('button', { name: 'Called 40,000' })).toBeDefined();
    const sum = screen.getByRole('region', { name: 'The ledger' });
    expect(sum.textContent).toContain('Adds up');
    expect(sum.textContent).toContain('41,200 accepted so far');
  });

  test('counts ended jobs over all clients if no client is chosen', async () => {
    const { api } = await openConsole('/jobs');
    expect(await screen.findByRole('button', { name: 'Called 40,050' })).toBeDefined();
    expect(screen.getByRole('button', { name: 'Dead 150' })).toBeDefined();
    expect(api.requests.filter(({ path }) => path.endsWith('/ledger'))).toEqual([]);
  });

  test('shows a priority other than normal', async () => {
    const items = [pending, { ...pending, id: 'job_high', priority: 'high' as const, tags: [] }];
    await openConsole('/jobs', { answers: { 'GET /v1/jobs': { items, next: null } } });
    const row = await screen.findByRole('row', { name: /job_high/ });
    expect(within(row).getByText('high')).toBeDefined();
    expect(within(screen.getByRole('row', { name: /job_pending/ })).queryByText('normal')).toBeNull();
  });

  test('requires a client before it lists ended jobs', async () => {
    const { api, user, address } = await openConsole('/jobs?state=called');
    await user.click(await screen.findByRole('button', { name: 'shop' }));
    await waitFor(() => expect(address()).toContain('client=shop'));
    await waitFor(() => expect(api.requestsTo('GET /v1/jobs').at(-1)?.query).toMatchObject({ client: 'shop' }));
    expect(api.requestsTo('GET /v1/jobs').every(({ query }) => 'client' in query)).toBe(true);
  });

  test('lists the jobs of an ordering key in calling order', async () => {
    const { api, user, address } = await openConsole('/jobs?client=shop');
    await user.type(await screen.findByLabelText('Ordering key'), 'merchant-1{Enter}');
    await waitFor(() => expect(address()).toContain('key=merchant-1'));
    const query = () => api.requestsTo('GET /v1/jobs').at(-1)?.query ?? {};
    await waitFor(() => expect(query()).toMatchObject({ client: 'shop', orderingKey: 'merchant-1' }));
    expect(await screen.findByText(/in calling order/)).toBeDefined();
  });

  test('loads the next page if a page has no matching job', async () => {
    const pageOf = ({ query }: FakeRequest) =>
      'cursor' in query ? { items: [pending], next: null } : { items: [], next: 'two' };
    await openConsole('/jobs?tag=cart', { answers: { 'GET /v1/jobs': pageOf } });
    expect(await screen.findByRole('row', { name: /job_pending/ })).toBeDefined();
  });

  test('finds a job by its idempotency key', async () => {
    const found = { found: 1, results: [{ id: 'job_pending', idempotencyKey: 'cart-7', job: pending }] };
    const { api } = await openConsole('/jobs?client=shop&name=cart-7', { answers: { 'POST /v1/jobs/find': found } });
    expect(await screen.findByRole('row', { name: /job_pending/ })).toBeDefined();
    expect(api.requestsTo('POST /v1/jobs/find')[0]?.body).toEqual({ client: 'shop', idempotencyKeys: ['cart-7'] });
  });

  test.each([
    ['without jobs', '/jobs', none, 'No open jobs'],
    ['without a match', '/jobs?tag=none', none, 'Not ended, tag none.'],
    ['after an error', '/jobs', () => problem(400, 'invalid-request', 'no'), 'The jobs could not be read'],
  ])('shows a message %s', async (_, path, answer, words) => {
    await openConsole(path, { answers: { 'GET /v1/jobs': answer } });
    expect(await screen.findByText(words)).toBeDefined();
  });
});

describe('a change of several jobs', () => {
  test('cannot select a page before it is loaded', async () => {
    let deliver: (page: object) => void = () => undefined;
    const jobs = new Promise<object>((resolve) => (deliver = resolve));
    await openConsole('/jobs', { answers: { 'GET /v1/jobs': () => jobs } });
    const all = await screen.findByRole<HTMLInputElement>('checkbox', { name: 'Select all on this page' });
    expect(all.disabled).toBe(true);
    deliver({ items: [pending], next: null });
    await waitFor(() => expect(all.disabled).toBe(false));
  });

  test('cancels the selected jobs per client and shows each result', async () => {
    const cancelled = ({ body }: FakeRequest) => ({
      cancelled: 1,
      results: JSON.stringify(body).includes('billing')
        ? [{ id: 'job_billing', result: 'too-late' }]
        : [
            { id: 'job_pending', result: 'cancelled' },
            { id: 'job_again', result: 'cancelled' },
          ],
    });
    const { api, user } = await openConsole('/jobs', { answers: { 'POST /v1/jobs/cancel': cancelled } });
    await screen.findByRole('row', { name: /job_pending/ });
    await user.click(screen.getByRole('checkbox', { name: 'Select all on this page' }));
    await user.click(screen.getByRole('button', { name: 'Cancel…' }));
    const dialog = await screen.findByRole('dialog', { name: 'Cancel 3 jobs?' });
    await user.click(within(dialog).getByRole('button', { name: 'Cancel 3' }));
    expect(await within(dialog).findByText(/are cancelled: they will not be called/)).toBeDefined();
    expect(within(dialog).getByText(/were being called, or had ended/)).toBeDefined();
    expect(api.requestsTo('POST /v1/jobs/cancel').map(({ body }) => body)).toEqual([
      { client: 'cli_shop', ids: ['job_pending', 'job_again'] },
      { client: 'cli_billing', ids: ['job_billing'] },
    ]);
  });

  test('changes all matching jobs on the server and shows its progress', async () => {
    const change = {
      id: 'jch_1',
      state: 'done',
      seen: 600,
      changed: 597,
      tooLate: 3,
      endedAt: '2026-11-22T19:40:00.000Z',
    };
    const { api, user } = await openConsole('/jobs?client=shop', {
      answers: { 'POST /v1/jobs/changes': { ...change, state: 'running' }, 'GET /v1/jobs/changes/jch_1': change },
    });
    await screen.findByRole('row', { name: /job_pending/ });
    await user.click(screen.getByRole('checkbox', { name: 'Job job_pending' }));
    await user.click(await screen.findByRole('button', { name: 'All 600 that match' }));
    await user.click(screen.getByRole('button', { name: 'Run now…' }));
    const dialog = await screen.findByRole('dialog', { name: 'Run 600 jobs now?' });
    await user.click(within(dialog).getByRole('button', { name: 'Run now 600' }));
    expect(await within(dialog).findByText('597')).toBeDefined();
    expect(await screen.findByRole('dialog', { name: 'Run 600 jobs now?' })).toBe(dialog);
    expect(api.requestsTo('POST /v1/jobs/changes')[0]?.body).toEqual({
      client: 'shop',
      state: 'pending',
      verb: 'reschedule',
      delaySeconds: 0,
    });
    // After the change, the list and its figures are requested again, before the polling interval of ten seconds.
    const lastRequestIndex = (path: string) => api.requests.findLastIndex((request) => request.path === path);
    const doneIndex = api.requests.findIndex((request) => request.path === '/v1/jobs/changes/jch_1');
    await waitFor(() => expect(lastRequestIndex('/v1/clients/shop/ledger')).toBeGreaterThan(doneIndex), {
      timeout: 5000,
    });
    expect(lastRequestIndex('/v1/jobs')).toBeGreaterThan(doneIndex);
  });

  test('is refused to a viewer, who sees the required role', async () => {
    const { user } = await openConsole('/jobs', { role: 'viewer' });
    await screen.findByRole('row', { name: /job_pending/ });
    await user.click(screen.getByRole('checkbox', { name: 'Job job_pending' }));
    const cancel = screen.getByRole('button', { name: 'Cancel…' });
    expect(cancel.getAttribute('aria-disabled')).toBe('true');
    cancel.focus();
    expect((await screen.findByRole('tooltip')).textContent).toContain('Needs the role scheduler');
  });
});

describe('a new job', () => {
  test('is scheduled for a time in the displayed zone, and its page opens', async () => {
    const { api, user, address } = await openConsole('/jobs?client=shop', {
      answers: { 'POST /v1/jobs': { id: 'job_dead' } },
    });
    await screen.findByRole('row', { name: /job_pending/ });
    await user.click(screen.getByRole('button', { name: 'Schedule a job Job' }));
    const dialog = await screen.findByRole('dialog', { name: 'Schedule a job' });
    await user.type(within(dialog).getByLabelText(/^URL/), 'https://shop.example/paid');
    await user.type(within(dialog).getByLabelText(/^Due/), '2030-01-01 09:00');
    await user.type(within(dialog).getByLabelText(/^Body/), '{{"order": 17}');
    await user.selectOptions(within(dialog).getByLabelText(/^Priority/), 'high');
    await user.click(within(dialog).getByRole('button', { name: 'Schedule it' }));
    await waitFor(() => expect(address()).toBe('/jobs/job_dead'));
    expect(api.requestsTo('POST /v1/jobs')[0]?.body).toEqual({
      client: 'shop',
      url: 'https://shop.example/paid',
      method: 'POST',
      body: { order: 17 },
      dueAt: '2030-01-01T09:00:00.000Z',
      priority: 'high',
    });
  });

  test('shows an error at its field', async () => {
    const errors = [{ pointer: '/url', code: 'not-allowed', detail: 'its host is private' }];
    const { user } = await openConsole('/jobs?client=shop', {
      answers: { 'POST /v1/jobs': () => problem(422, 'invalid-request', 'no', errors) },
    });
    await screen.findByRole('row', { name: /job_pending/ });
    await user.click(screen.getByRole('button', { name: 'Schedule a job Job' }));
    await user.click(screen.getByRole('button', { name: 'Call it now' }));
    expect(await screen.findByText('Its host is private')).toBeDefined();
  });
});

test('hosts are not requested if no job of the client is sidelined', async () => {
  const answers = { 'GET /v1/clients/:id/ledger': { ...ledger, sidelined: 0, accepted: 40_800 } };
  const { api } = await openConsole('/jobs?client=shop', { answers });
  await screen.findByRole('region', { name: 'The ledger' });
  expect(api.requestsTo('GET /v1/scheduler')).toEqual([]);
});

test('a sidelined host shows the cause, and an operator can enable it', async () => {
  const { api, user } = await openConsole('/jobs?client=shop', { answers: { 'POST /v1/scheduler/hosts/enable': {} } });
  expect(await screen.findByText(/shop\.example of shop is sidelined since/)).toBeDefined();
  await user.click(screen.getByRole('button', { name: 'Release now' }));
  await waitFor(() =>
    expect(api.requestsTo('POST /v1/scheduler/hosts/enable')[0]?.body).toEqual({
      client: 'cli_shop',
      endpoint: 'default',
      host: 'shop.example',
    }),
  );
});
