// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, test } from 'vitest';
import { problem, type Asked } from '../../testing/fake-api.ts';
import { endpoints, ledger, pending } from '../../testing/jobs.ts';
import { openConsole } from '../../testing/open-console.tsx';

const none = { items: [], next: null };

describe('the list', () => {
  test('shows each job with its client, what it calls, and leads to it', async () => {
    const { address } = await openConsole('/jobs');
    const row = await screen.findByRole('row', { name: /job_pending/ });
    expect(await within(row).findByText('shop')).toBeDefined();
    expect(within(row).getByText('at its time')).toBeDefined();
    expect(within(row).getByRole('link', { name: 'job_pending' }).getAttribute('href')).toBe('/jobs/job_pending');
    expect(address()).toBe('/jobs');
  });

  test('filters go into the address and to the API', async () => {
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
    const query = () => api.askedFor('GET /v1/jobs').at(-1)?.query ?? {};
    await waitFor(() =>
      expect(query()).toMatchObject({ client: 'shop', tag: 'cart', priority: 'high', state: 'pending' }),
    );
    expect(Date.parse(query()['dueUntil'] ?? '') - Date.parse(query()['dueFrom'] ?? '')).toBe(3_600_000);
  });

  test('an endpoint of the client goes into the address and to the API, and nobody counts those that match', async () => {
    const { api, user, address } = await openConsole('/jobs?client=shop&state=sidelined');
    await user.click(await screen.findByRole('button', { name: 'Endpoint' }));
    const [, endpoint] = endpoints.items;
    await user.click(screen.getByRole('menuitem', { name: endpoint?.name ?? '' }));
    await waitFor(() => expect(address()).toContain(`endpoint=${endpoint?.name ?? ''}`));
    await waitFor(() => expect(api.askedFor('GET /v1/jobs').at(-1)?.query).toMatchObject({ endpoint: endpoint?.name }));
    expect(await screen.findByText(/^\d+ of those that match/)).toBeDefined();
  });

  test('a client has its figures: the chips count them, and they add up below', async () => {
    await openConsole('/jobs?client=shop');
    expect(await screen.findByRole('button', { name: 'Called 40,000' })).toBeDefined();
    const sum = screen.getByRole('region', { name: 'The ledger' });
    expect(sum.textContent).toContain('Adds up');
    expect(sum.textContent).toContain('41,200 accepted so far');
  });

  test('where no client is chosen, what has ended is counted over all of them', async () => {
    const { api } = await openConsole('/jobs');
    expect(await screen.findByRole('button', { name: 'Called 40,050' })).toBeDefined();
    expect(screen.getByRole('button', { name: 'Dead 150' })).toBeDefined();
    expect(api.asked.filter(({ path }) => path.endsWith('/ledger'))).toEqual([]);
  });

  test('a job that goes before others of its client, or after them, says so', async () => {
    const items = [pending, { ...pending, ...{ id: 'job_high', priority: 'high' as const, tags: [] } }];
    await openConsole('/jobs', { answers: { 'GET /v1/jobs': { items, next: null } } });
    const row = await screen.findByRole('row', { name: /job_high/ });
    expect(within(row).getByText('high')).toBeDefined();
    expect(within(screen.getByRole('row', { name: /job_pending/ })).queryByText('normal')).toBeNull();
  });

  test('what has ended is listed client by client, and asks whose', async () => {
    const { api, user, address } = await openConsole('/jobs?state=called');
    await user.click(await screen.findByRole('button', { name: 'shop' }));
    await waitFor(() => expect(address()).toContain('client=shop'));
    await waitFor(() => expect(api.askedFor('GET /v1/jobs').at(-1)?.query).toMatchObject({ client: 'shop' }));
    expect(api.askedFor('GET /v1/jobs').every(({ query }) => 'client' in query)).toBe(true);
  });

  test('an ordering key of a client has a list in its turn, and asks whose where none is chosen', async () => {
    const { api, user, address } = await openConsole('/jobs?client=shop');
    await user.type(await screen.findByLabelText('Ordering key'), 'merchant-1{Enter}');
    await waitFor(() => expect(address()).toContain('key=merchant-1'));
    const query = () => api.askedFor('GET /v1/jobs').at(-1)?.query ?? {};
    await waitFor(() => expect(query()).toMatchObject({ client: 'shop', orderingKey: 'merchant-1' }));
    expect(await screen.findByText(/in their turn/)).toBeDefined();
  });

  test('a page that held none of those that match is followed by the next one', async () => {
    const pageOf = ({ query }: Asked) =>
      'cursor' in query ? { items: [pending], next: null } : { items: [], next: 'two' };
    await openConsole('/jobs?tag=cart', { answers: { 'GET /v1/jobs': pageOf } });
    expect(await screen.findByRole('row', { name: /job_pending/ })).toBeDefined();
  });

  test('a job is found by the key that its client gave it', async () => {
    const found = { found: 1, results: [{ id: 'job_pending', idempotencyKey: 'cart-7', job: pending }] };
    const { api } = await openConsole('/jobs?client=shop&name=cart-7', { answers: { 'POST /v1/jobs/find': found } });
    expect(await screen.findByRole('row', { name: /job_pending/ })).toBeDefined();
    expect(api.askedFor('POST /v1/jobs/find')[0]?.body).toEqual({ client: 'shop', idempotencyKeys: ['cart-7'] });
  });

  test.each([
    ['nothing there', '/jobs', none, 'Nothing is to be called'],
    ['nothing that matches', '/jobs?tag=none', none, 'Not ended, tag none.'],
    ['what could not be read', '/jobs', () => problem(400, 'invalid-request', 'no'), 'The jobs could not be read'],
  ])('%s is said', async (_, path, answer, words) => {
    await openConsole(path, { answers: { 'GET /v1/jobs': answer } });
    expect(await screen.findByText(words)).toBeDefined();
  });
});

describe('many jobs', () => {
  test('the page cannot be chosen before it is there: pressing would choose nothing', async () => {
    let come: (page: object) => void = () => undefined;
    const jobs = new Promise<object>((resolve) => (come = resolve));
    await openConsole('/jobs', { answers: { 'GET /v1/jobs': () => jobs } });
    const all = await screen.findByRole<HTMLInputElement>('checkbox', { name: 'Select all on this page' });
    expect(all.disabled).toBe(true);
    come({ items: [pending], next: null });
    await waitFor(() => expect(all.disabled).toBe(false));
  });

  test('those that are chosen are cancelled by name, client by client, and each result is said', async () => {
    const cancelled = ({ body }: Asked) => ({
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
    expect(api.askedFor('POST /v1/jobs/cancel').map(({ body }) => body)).toEqual([
      { client: 'cli_shop', ids: ['job_pending', 'job_again'] },
      { client: 'cli_billing', ids: ['job_billing'] },
    ]);
  });

  test('all that match are moved on the server, also those on other pages, and one sees how far it is', async () => {
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
    expect(api.askedFor('POST /v1/jobs/changes')[0]?.body).toEqual({
      ...{ client: 'shop', state: 'pending', verb: 'reschedule', delaySeconds: 0 },
    });
    // Once it is done, the list and its figures are asked for again, before the ten seconds after which they are anyway.
    const lastAsked = (path: string) => api.asked.findLastIndex((asked) => asked.path === path);
    const told = api.asked.findIndex((asked) => asked.path === '/v1/jobs/changes/jch_1');
    await waitFor(() => expect(lastAsked('/v1/clients/shop/ledger')).toBeGreaterThan(told), { timeout: 5000 });
    expect(lastAsked('/v1/jobs')).toBeGreaterThan(told);
  });

  test('a viewer may choose, and reads at the buttons who may change them', async () => {
    const { user } = await openConsole('/jobs', { role: 'viewer' });
    await screen.findByRole('row', { name: /job_pending/ });
    await user.click(screen.getByRole('checkbox', { name: 'Job job_pending' }));
    const cancel = screen.getByRole('button', { name: 'Cancel…' });
    expect(cancel.getAttribute('aria-disabled')).toBe('true');
    cancel.focus();
    expect((await screen.findByRole('tooltip')).textContent).toContain('Needs the role scheduler');
  });
});

describe('one more', () => {
  test('a job is scheduled for a time on the clocks that are shown, and shown then', async () => {
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
    expect(api.askedFor('POST /v1/jobs')[0]?.body).toEqual({
      ...{ client: 'shop', url: 'https://shop.example/paid', method: 'POST' },
      ...{ body: { order: 17 }, dueAt: '2030-01-01T09:00:00.000Z', priority: 'high' },
    });
  });

  test('what is refused stands at its field', async () => {
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

test('where no job of a client is sidelined, nobody asks for hosts', async () => {
  const answers = { 'GET /v1/clients/:id/ledger': { ...ledger, sidelined: 0, accepted: 40_800 } };
  const { api } = await openConsole('/jobs?client=shop', { answers });
  await screen.findByRole('region', { name: 'The ledger' });
  expect(api.askedFor('GET /v1/scheduler')).toEqual([]);
});

test('a host that is sidelined says why, and its jobs are brought back by an operator', async () => {
  const { api, user } = await openConsole('/jobs?client=shop', { answers: { 'POST /v1/scheduler/hosts/enable': {} } });
  expect(await screen.findByText(/shop\.example of shop is sidelined since/)).toBeDefined();
  await user.click(screen.getByRole('button', { name: 'Bring back now' }));
  await waitFor(() =>
    expect(api.askedFor('POST /v1/scheduler/hosts/enable')[0]?.body).toEqual({
      client: 'cli_shop',
      endpoint: 'default',
      host: 'shop.example',
    }),
  );
});
