// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { problem } from '../../../testing/fakes/fake-api.ts';
import { clients, endpoints, load, scheduler, shop } from '../../../testing/callbacks/jobs.ts';
import { openConsole } from '../../../testing/open-console.tsx';

test('a client shows its sidelined host first, then its ledger, limits and endpoints', async () => {
  await openConsole('/clients/shop');
  const banner = (await screen.findByText(/shop\.example of shop is sidelined since/)).parentElement;
  await waitFor(() => expect(banner?.textContent).toContain('Then they are called at 10/s, which takes about 40 s.'));
  expect(screen.getAllByText('Host sidelined')).toHaveLength(2);
  expect((await screen.findByRole('region', { name: 'The ledger' })).textContent).toContain('Adds up');
  const limits = screen.getByRole('table', { name: 'Limits of the client' });
  expect(within(limits).getByRole('row', { name: 'Jobs stored 1,000 of 1,000' })).toBeDefined();
  const table = await screen.findByRole('table', { name: 'Endpoints of the client' });
  const defaultEndpoint = await within(table).findByRole('row', { name: /^default/ });
  await waitFor(() => expect(defaultEndpoint.textContent).toMatch(/0\.5 of 10.*0 of 50/));
  expect(screen.getByRole('link', { name: 'Its jobs' }).getAttribute('href')).toBe('/jobs?client=shop');
});

test('the banner links to the waiting jobs, with their number as far as it is counted', async () => {
  const [host] = scheduler.hosts;
  const hosts = [
    { ...host, endpoint: 'hooks', sidelined: 10_000 },
    { ...host, host: 'other.example', sidelined: 1 },
    { ...host, host: 'third.example', sidelined: 0 },
  ];
  await openConsole('/clients/shop', { answers: { 'GET /v1/scheduler': { ...scheduler, hosts } } });
  const linkTo = async (name: string) => (await screen.findByRole('link', { name })).getAttribute('href');
  expect(await linkTo('Its 10,000 jobs or more')).toBe('/jobs?client=shop&state=sidelined&endpoint=hooks');
  expect(await linkTo('Its 1 job')).toBe('/jobs?client=shop&state=sidelined&endpoint=default');
  expect(screen.queryByRole('link', { name: 'Its 0 jobs' })).toBeNull();
});

test('the forecast states how late the last job of an overloaded hour is', async () => {
  await openConsole('/clients/shop');
  const forecast = await screen.findByRole('region', { name: 'Forecast' });
  expect((await within(forecast).findByText(/^Above 10\/s in the hour of/)).textContent).toContain(
    'has 900 jobs and needs 1 min 30 s, so the last one is about 30 s late',
  );
});

test('a change of limits sends only the changed limits, with the revision that was loaded', async () => {
  const { api, user } = await openConsole('/clients/shop', { answers: { 'PATCH /v1/clients/cli_shop': shop } });
  await user.click(await screen.findByRole('button', { name: 'Change…' }));
  const dialog = await screen.findByRole('dialog', { name: 'Limits of shop' });
  await user.clear(within(dialog).getByLabelText('Jobs stored'));
  await user.clear(within(dialog).getByLabelText('Schedules'));
  await user.type(within(dialog).getByLabelText('Schedules'), '80');
  await user.click(within(dialog).getByRole('button', { name: 'Change 2 limits' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  const [request] = api.requestsTo('PATCH /v1/clients/cli_shop');
  expect(request?.body).toEqual({ maxStoredJobs: null, maxSchedules: 80 });
  expect(request?.headers.get('if-match')).toBe('"4"');
});

test('a client is paused through its endpoint default, with a reason', async () => {
  const pausing = 'POST /v1/clients/cli_shop/endpoints/default/disable';
  const { api, user } = await openConsole('/clients/shop', { answers: { [pausing]: shop.endpoint } });
  await user.click(await screen.findByRole('button', { name: 'Pause client…' }));
  await user.type(screen.getByLabelText('Reason'), 'calls in circles');
  await user.click(screen.getByRole('button', { name: 'Pause client' }));
  await waitFor(() => expect(api.requestsTo(pausing)[0]?.body).toEqual({ reason: 'calls in circles' }));
});

test('a paused client without keys shows both problems and can be resumed', async () => {
  const paused = clients.items[1];
  const { api, user } = await openConsole('/clients/billing', {
    answers: {
      'GET /v1/clients/:id': paused ?? {},
      'POST /v1/clients/cli_billing/endpoints/default/enable': paused ?? {},
    },
  });
  expect(await screen.findByText('billing is paused: year end.')).toBeDefined();
  expect(screen.getByText('its calls are not signed')).toBeDefined();
  await user.click(screen.getByRole('button', { name: 'Resume…' }));
  await user.click(screen.getByRole('button', { name: 'Resume' }));
  await waitFor(() => expect(api.requestsTo('POST /v1/clients/cli_billing/endpoints/default/enable')).toHaveLength(1));
});

const addedKey = { key: shop.endpoint.keys[0], secret: 'whsec_once', endpoint: shop.endpoint };

test('a signing key is created and its secret is shown once', async () => {
  const { user } = await openConsole('/clients/shop', {
    answers: { 'POST /v1/clients/cli_shop/endpoints/default/keys': addedKey },
  });
  await user.click(await screen.findByRole('button', { name: 'Key' }));
  await user.click(screen.getByRole('button', { name: 'Create key' }));
  expect(await screen.findByText('whsec_once')).toBeDefined();
});

test('a user who may not pause a client sees the required role', async () => {
  await openConsole('/clients/shop', { role: 'scheduler' });
  const pause = await screen.findByRole('button', { name: 'Pause client…' });
  pause.focus();
  expect((await screen.findByRole('tooltip')).textContent).toContain('Needs the role operator');
});

test('a client that does not exist shows an error', async () => {
  await openConsole('/clients/none', {
    answers: { 'GET /v1/clients/:id': () => problem(404, 'not-found', 'there is no client none') },
  });
  expect(await screen.findByText('The client could not be read')).toBeDefined();
});

test('an endpoint shows its address, its limits and why it is paused', async () => {
  await openConsole('/clients/shop');
  const table = await screen.findByRole('table', { name: 'Endpoints of the client' });
  const row = await within(table).findByRole('row', { name: /^receipts/ });
  expect(row.textContent).toMatch(
    /v1\/events.*receipts\.shop\.example.*Paused.*they move house.*30.*0\.6 s.*42 of 200.*14 of 50.*≤ 250 ms$/,
  );
});

test('the endpoint default comes first, then the other endpoints with the worst first', async () => {
  const [defaultEndpoint, receipts] = endpoints.items;
  const [ownLoad, receiptsLoad] = load.endpoints;
  const slow = { ...receipts, name: 'slow' };
  const items = [defaultEndpoint, receipts, slow, { ...receipts, name: 'fresh' }];
  await openConsole('/clients/shop', {
    answers: {
      'GET /v1/clients/:id/endpoints': { items, next: null },
      'GET /v1/clients/:id/load': {
        ...load,
        endpoints: [{ ...receiptsLoad, endpoint: 'slow' }, receiptsLoad, ownLoad],
      },
    },
  });
  const table = await screen.findByRole('table', { name: 'Endpoints of the client' });
  const row = await within(table).findByRole('row', { name: /^default/ });
  await waitFor(() =>
    expect(row.textContent).toMatch(/^defaultURLs of its jobsHost sidelinedsince .*, status 502400.*> 1 min$/),
  );
  const menus = within(table).getAllByRole('button', { name: /^More about/ });
  const names = menus.map((menu) => menu.getAttribute('aria-label')?.replace('More about ', ''));
  expect(names).toEqual(['default', 'slow', 'receipts', 'fresh']);
});

test('the endpoint default is changed in the same dialog, without an address, and cannot be deleted', async () => {
  const path = '/v1/clients/cli_shop/endpoints/default';
  const { api, user } = await openConsole('/clients/shop', { answers: { [`PATCH ${path}`]: shop.endpoint } });
  await user.click(await screen.findByRole('button', { name: 'More about default' }));
  expect(screen.queryByRole('menuitem', { name: 'Delete…' })).toBeNull();
  await user.click(screen.getByRole('menuitem', { name: 'Change…' }));
  const dialog = await screen.findByRole('dialog', { name: 'Change default' });
  await user.clear(within(dialog).getByLabelText(/^Calls\/s/));
  await user.clear(within(dialog).getByLabelText(/^Calls at once/));
  await user.type(within(dialog).getByLabelText(/^Calls at once/), '80');
  await user.click(within(dialog).getByRole('button', { name: 'Change 2 fields' }));
  await waitFor(() => expect(api.requestsTo(`PATCH ${path}`)).toHaveLength(1));
  const [request] = api.requestsTo(`PATCH ${path}`);
  expect(request?.headers.get('if-match')).toBe('"3"');
  expect(request?.body).toEqual({ publishRatePerSecond: null, concurrency: 80 });
});

test('a lag above the limit of the alert is red', async () => {
  await openConsole('/clients/shop', { answers: { 'GET /v1/clients/:id/load': { ...load, behindAfterMs: 500 } } });
  const table = await screen.findByRole('table', { name: 'Endpoints of the client' });
  const lagOf = async (name: RegExp) => {
    const row = await within(table).findByRole('row', { name });
    return within(row).getAllByRole('cell')[3]?.className;
  };
  expect(await lagOf(/^receipts/)).toContain('c-bad');
  expect(await lagOf(/^default/)).toContain('c-bad');
  expect((await screen.findByText('Lag', { selector: 'dt' })).parentElement?.querySelector('.c-bad')).not.toBeNull();
});

test('each dispatcher is listed with its credit and its calls in flight', async () => {
  const { api } = await openConsole('/clients/shop');
  const table = await screen.findByRole('table', { name: 'Credit by dispatcher' });
  expect(await within(table).findByRole('row', { name: 'd1 east 14 of 50 86' })).toBeDefined();
  expect(within(table).getByRole('row', { name: 'd2 east 0 400' })).toBeDefined();
  expect(api.requestsTo('GET /v1/clients/shop/load').length).toBeGreaterThan(0);
});

test('a load that cannot be read shows an error, and the rest of the page stays', async () => {
  await openConsole('/clients/shop', {
    answers: { 'GET /v1/clients/:id/load': () => problem(400, 'invalid-request', 'no') },
  });
  expect(await screen.findByText('The load could not be read')).toBeDefined();
  expect(await screen.findByRole('region', { name: 'The ledger' })).toBeDefined();
});

test('an endpoint is created with its own settings only, and an edit sends only the changed fields', async () => {
  const { api, user } = await openConsole('/clients/shop', {
    answers: {
      'POST /v1/clients/:id/endpoints': () => problem(422, 'invalid-request', 'wrong', [forbidden]),
      'PATCH /v1/clients/:id/endpoints/:endpoint': {},
    },
  });
  await user.click(await screen.findByRole('button', { name: 'Endpoint' }));
  const dialog = await screen.findByRole('dialog', { name: 'New endpoint of shop' });
  await user.type(within(dialog).getByLabelText(/^Name/), 'billing');
  await user.type(within(dialog).getByLabelText(/^Address/), 'https://10.0.0.1/hooks');
  await user.type(within(dialog).getByLabelText(/^Calls at once/), '5');
  await user.selectOptions(within(dialog).getByLabelText(/^Retry failed calls/), 'at a fixed interval');
  await user.type(within(dialog).getByLabelText(/^Attempts/), '3');
  await user.type(within(dialog).getByLabelText(/^Final status codes/), '404, 410');
  await user.click(within(dialog).getByRole('button', { name: 'Create' }));
  expect(await within(dialog).findByText('May not be called: 10.0.0.1')).toBeDefined();
  expect(api.requestsTo('POST /v1/clients/cli_shop/endpoints').at(-1)?.body).toEqual({
    name: 'billing',
    url: 'https://10.0.0.1/hooks',
    concurrency: 5,
    finalCodes: [404, 410],
    retry: { strategy: 'fixed', attempts: 3 },
  });
  await user.click(within(dialog).getByRole('button', { name: 'Cancel' }));

  await user.click(await screen.findByRole('button', { name: 'More about receipts' }));
  await user.click(screen.getByRole('menuitem', { name: 'Change…' }));
  const change = await screen.findByRole('dialog', { name: 'Change receipts' });
  await user.clear(within(change).getByLabelText(/^Calls\/s/));
  await user.click(within(change).getByRole('button', { name: 'Change 1 field' }));
  await waitFor(() => expect(api.requestsTo('PATCH /v1/clients/cli_shop/endpoints/receipts')).toHaveLength(1));
  const [request] = api.requestsTo('PATCH /v1/clients/cli_shop/endpoints/receipts');
  expect(request?.headers.get('if-match')).toBe('"1"');
  expect(request?.body).toEqual({ publishRatePerSecond: null });
});

const forbidden = { pointer: '/url', code: 'forbidden-address', detail: 'may not be called: 10.0.0.1' };

test('a paused endpoint can be resumed, and an endpoint in use is not deleted', async () => {
  const inUse = 'the endpoint "receipts" is named by jobs that have not ended';
  const { api, user } = await openConsole('/clients/shop', {
    answers: {
      'POST /v1/clients/:id/endpoints/:endpoint/enable': {},
      'DELETE /v1/clients/:id/endpoints/:endpoint': () => problem(409, 'endpoint-in-use', inUse),
    },
  });
  await user.click(await screen.findByRole('button', { name: 'More about receipts' }));
  await user.click(screen.getByRole('menuitem', { name: 'Resume…' }));
  await user.click(await screen.findByRole('button', { name: 'Resume' }));
  await waitFor(() => expect(api.requestsTo('POST /v1/clients/cli_shop/endpoints/receipts/enable')).toHaveLength(1));
  await user.click(await screen.findByRole('button', { name: 'More about receipts' }));
  await user.click(screen.getByRole('menuitem', { name: 'Delete…' }));
  await user.click(await screen.findByRole('button', { name: 'Delete it' }));
  expect(await screen.findByText(inUse)).toBeDefined();
});

test('a viewer has no menu for endpoints', async () => {
  await openConsole('/clients/shop', { role: 'viewer' });
  await screen.findByRole('table', { name: 'Endpoints of the client' });
  expect(screen.queryByRole('button', { name: 'More about receipts' })).toBeNull();
  expect(screen.getByRole('button', { name: 'Endpoint' }).getAttribute('aria-disabled')).toBe('true');
});
