// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { problem, type FakeRequest } from '../../../testing/fakes/fake-api.ts';
import { session } from '../../../testing/installation/installation.ts';
import { openConsole } from '../../../testing/open-console.tsx';

const key = {
  id: 'key_01jdyjm7sbfx2v4xorders',
  name: 'orders service',
  owner: 'team-orders',
  role: 'scheduler',
  scope: { clients: ['orders'], countries: null, actionTypes: null, users: false },
  state: 'active',
  revision: 1,
  bounds: { jobsPerSecond: null as number | null, storedJobs: null as number | null, requestsPerMinute: null },
  createdAt: '2026-11-01T00:00:00.000Z',
  createdBy: null,
  expiresAt: null,
  lastUsedAt: '2026-11-20T00:00:00.000Z',
  rotatedAt: null,
  formerUntil: null,
  revokedAt: null,
  refusals: null,
  person: null,
  sessions: 2,
  links: { self: '/v1/api-keys/key_1' },
};
const secret = 'mk_01jdyjm7sbfx2v4x0000000000_0123456789abcdef';
const answers = {
  'GET /v1/api-keys': { items: [key], next: null },
  'POST /v1/api-keys': ({ body }: FakeRequest) => ({ key: { ...key, ...(body as object) }, secret }),
  'POST /v1/api-keys/:id/rotate': { key, secret },
  'DELETE /v1/api-keys/:id': { ...key, state: 'revoked' },
};

test('a key is listed with its owner, role, scope, state and sessions', async () => {
  await openConsole('/keys', { answers });
  const row = within((await screen.findByText('orders service')).closest('tr') ?? document.body);
  const words = ['team-orders', 'Scheduler', 'client orders', 'never', 'active', '2 browser sessions'];
  for (const text of words) row.getByText(text);
});

test('limits of a key are listed next to its scope and can be set for a new key', async () => {
  const bounded = { ...key, bounds: { jobsPerSecond: 200, storedJobs: 500_000, requestsPerMinute: null } };
  const { api, user } = await openConsole('/keys', {
    answers: { ...answers, 'GET /v1/api-keys': { items: [bounded], next: null } },
  });
  const row = within((await screen.findByText('orders service')).closest('tr') ?? document.body);
  row.getByText('200 jobs/s · 500,000 stored');

  await user.click(screen.getByRole('button', { name: 'New key' }));
  const dialog = within(screen.getByRole('dialog'));
  await user.type(dialog.getByLabelText(/^Name/), 'batch');
  await user.type(dialog.getByLabelText('Jobs per second'), 'many');
  expect(dialog.getByRole('button', { name: 'Create key' }).getAttribute('aria-disabled')).toBe('true');
  await user.clear(dialog.getByLabelText('Jobs per second'));
  await user.type(dialog.getByLabelText('Jobs per second'), '1,200');
  expect(dialog.getByText(/with at most 1,200 jobs\/s\./)).toBeDefined();
  await user.click(dialog.getByRole('button', { name: 'Create key' }));
  await waitFor(() =>
    expect(api.requestsTo('POST /v1/api-keys').at(-1)?.body).toMatchObject({
      bounds: { jobsPerSecond: 1200, storedJobs: null, requestsPerMinute: null },
    }),
  );
});

test('a limit above that of the client shows an error at its field', async () => {
  const detail = 'is 500, and none of its clients may have more than 400 (acceptPerSecond)';
  const wrong = [{ pointer: '/bounds/jobsPerSecond', code: 'beyond-client', detail }];
  const { user } = await openConsole('/keys', {
    answers: {
      ...answers,
      'POST /v1/api-keys': () => problem(422, 'invalid-request', 'the request has problems', wrong),
    },
  });
  await user.click(await screen.findByRole('button', { name: 'New key' }));
  const dialog = within(screen.getByRole('dialog'));
  await user.type(dialog.getByLabelText(/^Name/), 'batch');
  await user.type(dialog.getByLabelText('Jobs per second'), '500');
  await user.click(dialog.getByRole('button', { name: 'Create key' }));
  expect(await dialog.findByText(/^Is 500, and none of its clients/)).toBeDefined();
});

test('a change of a key sends only the changed fields, with the revision that was loaded', async () => {
  const ending = { ...key, expiresAt: '2030-05-04T12:30:00.000Z', revision: 7 };
  const { api, user } = await openConsole('/keys', {
    answers: { ...answers, 'GET /v1/api-keys': { items: [ending], next: null }, 'PATCH /v1/api-keys/:id': ending },
  });
  await user.click(await screen.findByRole('button', { name: 'Change orders service' }));
  const dialog = within(screen.getByRole('dialog', { name: 'Change orders service' }));
  expect(dialog.getByLabelText<HTMLInputElement>(/^Expires/).value).toBe('2030-05-04');
  const change = dialog.getByRole('button', { name: 'Change it' });
  expect(change.getAttribute('aria-disabled')).toBe('true');
  await user.type(dialog.getByLabelText('Jobs stored'), '50,000');
  await user.click(change);
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  const [request] = api.requestsTo(`PATCH /v1/api-keys/${key.id}`);
  expect(request?.headers.get('if-match')).toBe('"7"');
  expect(request?.body).toEqual({ bounds: { jobsPerSecond: null, storedJobs: 50_000, requestsPerMinute: null } });
});

test('a change after another change is refused in the dialog, and the dialog keeps the input', async () => {
  const detail = 'it has changed since: read it again';
  const { api, user } = await openConsole('/keys', {
    answers: { ...answers, 'PATCH /v1/api-keys/:id': () => problem(412, 'changed', detail) },
  });
  await user.click(await screen.findByRole('button', { name: 'Change orders service' }));
  const dialog = within(screen.getByRole('dialog'));
  await user.clear(dialog.getByLabelText('Owner', { exact: false }));
  await user.type(dialog.getByLabelText(/^Clients/), ', billing');
  await user.click(dialog.getByRole('button', { name: 'Change it' }));
  expect((await dialog.findByRole('alert')).textContent).toBe(detail);
  expect(dialog.getByLabelText<HTMLInputElement>(/^Clients/).value).toBe('orders, billing');
  expect(api.requestsTo(`PATCH /v1/api-keys/${key.id}`)[0]?.body).toEqual({
    owner: null,
    scope: { clients: ['orders', 'billing'], countries: null, actionTypes: null, users: false },
  });
});

const lastRefusedAt = new Date(Date.now() - 60_000).toISOString();
const ended = {
  ...key,
  id: 'key_01jdyjm7sbfx2v4xnightly',
  name: 'nightly export',
  owner: 'loyalty',
  state: 'expired',
  sessions: 0,
  expiresAt: new Date(Date.now() - 3_600_000).toISOString(),
  refusals: { count: 17, lastAt: lastRefusedAt, lastFrom: '10.20.7.14' },
};
/** Answers like the server: newest first, or only keys that are still used. */
const listed = ({ query }: FakeRequest) => ({
  items: query['refused'] === 'true' ? [ended] : [key, ended],
  next: null,
});

test('an ended key that is still used is listed first, with its owner and the refused requests', async () => {
  const { api, user, address } = await openConsole('/keys', { answers: { ...answers, 'GET /v1/api-keys': listed } });
  const banner = await screen.findByRole('alert');
  expect(banner.textContent).toMatch(
    /nightly export expired .* and was refused 17 times since, last at .* from 10\.20\.7\.14\./,
  );
  expect(banner.textContent).toContain('Contact loyalty; no other key is affected.');
  await waitFor(() => expect(screen.getAllByRole('row')).toHaveLength(3));
  const [, first, second] = screen.getAllByRole('row');
  expect(first?.textContent).toMatch(/nightly export.*refused 17 times, last .* 10\.20\.7\.14/);
  expect(second?.textContent).toContain('orders service');

  await user.click(screen.getByRole('button', { name: /^Ended, still used/ }));
  await waitFor(() => expect(address()).toBe('/keys?refused=true'));
  expect(screen.queryByText('orders service')).toBeNull();
  const queries = api.requestsTo('GET /v1/api-keys').map(({ query }) => query);
  expect(queries).toContainEqual({ limit: '50', refused: 'true' });
});

test.each([
  ['People', 'kind=person', { kind: 'person' }],
  [/^Ends in 14 days/, 'ends=14', { endsWithinDays: '14' }],
  ['Never used', 'used=false', { used: 'false' }],
  ['Expired', 'state=expired', { state: 'expired' }],
])('the chip %s filters the list and replaces another chip', async (name, search, query) => {
  const { api, user, address } = await openConsole('/keys?kind=key', { answers });
  await user.click(await screen.findByRole('button', { name }));
  await waitFor(() => expect(address()).toBe(`/keys?${search}`));
  await waitFor(() => {
    const queries = api.requestsTo('GET /v1/api-keys').map((each) => each.query);
    expect(queries).toContainEqual({ limit: '50', ...query });
  });
  expect(screen.getByRole('button', { name }).getAttribute('aria-pressed')).toBe('true');
});

test('an ended key is replaced with the same role and scope, also an empty one', async () => {
  const scope = { clients: ['orders'], countries: null, actionTypes: [], users: false };
  const items = [{ ...ended, scope }];
  const { api, user } = await openConsole('/keys', {
    answers: { ...answers, 'GET /v1/api-keys': { items, next: null } },
  });
  await user.click(await screen.findByRole('button', { name: 'Replace nightly export' }));
  await user.click(screen.getByRole('button', { name: 'Create key' }));
  expect(await screen.findByText(secret)).toBeDefined();
  expect(api.requestsTo('POST /v1/api-keys').at(-1)?.body).toEqual({
    name: 'nightly export',
    owner: 'loyalty',
    role: 'scheduler',
    scope,
    expiresAt: null,
  });
});

test('a revoked key has no button to revoke it, and a rotated secret none to replace it', async () => {
  const revokedAt = new Date(Date.now() - 7_200_000).toISOString();
  const refusals = { count: 1, lastAt: lastRefusedAt, lastFrom: null };
  const rotated = { ...key, rotatedAt: revokedAt, refusals };
  const items = [{ ...ended, state: 'revoked', revokedAt, owner: null, refusals }, rotated];
  await openConsole('/keys', { answers: { ...answers, 'GET /v1/api-keys': { items, next: null } } });
  const [revoked, old] = await screen.findAllByRole('alert');
  expect(revoked?.textContent).toMatch(/was revoked .* and was refused once since, .*It has no owner/);
  expect(within(revoked ?? document.body).queryByRole('button', { name: /^Revoke/ })).toBeNull();
  expect(old?.textContent).toMatch(/An old secret of orders service, rotated .*, is no longer valid/);
  expect(within(old ?? document.body).queryByRole('button', { name: /^Replace|^Revoke/ })).toBeNull();
});

test('a new key is created with the values of the form, and its secret is shown once', async () => {
  const { api, user } = await openConsole('/keys', { answers });
  await user.click(await screen.findByRole('button', { name: 'New key' }));
  await user.type(within(screen.getByRole('dialog')).getByLabelText(/^Name/), 'billing');
  await user.type(screen.getByRole('textbox', { name: 'Clients' }), 'billing, invoices');
  await user.selectOptions(screen.getByLabelText('Role'), 'scheduler');
  await user.click(screen.getByRole('button', { name: 'Create key' }));

  expect(await screen.findByText(secret)).toBeDefined();
  expect(api.requestsTo('POST /v1/api-keys').at(-1)?.body).toEqual({
    name: 'billing',
    owner: null,
    role: 'scheduler',
    expiresAt: null,
    scope: { clients: ['billing', 'invoices'], countries: [], actionTypes: [], users: false },
  });
  await user.click(screen.getByRole('button', { name: 'Done' }));
  await waitFor(() => expect(screen.queryByText(secret)).toBeNull());
});

test('a checkbox creates a key that may read the users of all its campaigns', async () => {
  const { api, user } = await openConsole('/keys', { answers });
  await user.click(await screen.findByRole('button', { name: 'New key' }));
  const dialog = within(screen.getByRole('dialog'));
  await user.type(dialog.getByLabelText(/^Name/), 'support desk');
  await user.type(screen.getByRole('textbox', { name: 'Countries' }), 'SG');
  await user.click(dialog.getByRole('checkbox', { name: 'May read the users of every campaign in its scope' }));
  expect(dialog.getByText(/Scope: country SG · users of all campaigns in scope/)).toBeDefined();
  await user.click(screen.getByRole('button', { name: 'Create key' }));
  expect(await screen.findByText(secret)).toBeDefined();
  expect(api.requestsTo('POST /v1/api-keys').at(-1)?.body).toMatchObject({
    scope: { clients: null, countries: ['SG'], actionTypes: null, users: true },
  });
});

test.each([
  ['manager', /Needed to submit campaigns for approval/],
  ['approver', /Needed to approve/],
])('the form of a new key for a %s states that an approval needs its owner', async (role, hint) => {
  const { user } = await openConsole('/keys', { answers });
  await user.click(await screen.findByRole('button', { name: 'New key' }));
  expect(screen.getByText('The person or team to contact')).toBeDefined();
  await user.selectOptions(screen.getByLabelText('Role'), role);
  expect(screen.getByText(hint)).toBeDefined();
});

test.each(['manager', 'approver'])('a new key with the role %s cannot be created without an owner', async (role) => {
  const { api, user } = await openConsole('/keys', { answers });
  await user.click(await screen.findByRole('button', { name: 'New key' }));
  const dialog = within(screen.getByRole('dialog'));
  await user.type(dialog.getByLabelText(/^Name/), 'mei');
  await user.selectOptions(dialog.getByLabelText('Role'), role);
  const owner = dialog.getByLabelText(/^Owner/);
  expect(owner.getAttribute('aria-required')).toBe('true');
  await user.type(owner, ' ');
  const make = dialog.getByRole('button', { name: 'Create key' });
  await user.hover(make);
  expect(await screen.findByText(/needs an owner: approvals compare people by it/)).toBeDefined();
  await user.click(make);
  expect(api.requestsTo('POST /v1/api-keys')).toEqual([]);
  await user.type(owner, 'mei@example.com');
  await user.click(make);
  expect(await screen.findByText(secret)).toBeDefined();
  expect(api.requestsTo('POST /v1/api-keys')).toHaveLength(1);
});

test('a new key of an operator has no owner unless an owner is named', async () => {
  const { api, user } = await openConsole('/keys', { answers });
  await user.click(await screen.findByRole('button', { name: 'New key' }));
  await user.selectOptions(screen.getByLabelText('Role'), 'operator');
  await user.click(screen.getByRole('button', { name: 'Create key' }));
  expect(await screen.findByText(secret)).toBeDefined();
  expect(api.requestsTo('POST /v1/api-keys')[0]?.body).toMatchObject({ role: 'operator', owner: null });
});

test('a key without an owner can be changed, but not into an approver', async () => {
  const unowned = { ...key, owner: null, role: 'manager' };
  const listedKeys = { 'GET /v1/api-keys': { items: [unowned], next: null } };
  const { api, user } = await openConsole('/keys', {
    answers: { ...answers, ...listedKeys, 'PATCH /v1/api-keys/:id': unowned },
  });
  await user.click(await screen.findByRole('button', { name: 'Change orders service' }));
  const dialog = within(screen.getByRole('dialog'));
  const change = dialog.getByRole('button', { name: 'Change it' });
  await user.selectOptions(dialog.getByLabelText('Role'), 'approver');
  expect(change.getAttribute('aria-disabled')).toBe('true');
  await user.selectOptions(dialog.getByLabelText('Role'), 'manager');
  await user.type(dialog.getByLabelText(/^Name/), ' 2');
  await user.click(change);
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(api.requestsTo(`PATCH /v1/api-keys/${key.id}`)[0]?.body).toEqual({ name: 'orders service 2' });
});

test('an error of a new key is shown at its field', async () => {
  const wrong = [{ pointer: '/scope/clients/0', code: 'unknown-client', detail: 'there is no client "nobody"' }];
  const refuse = () => problem(422, 'invalid-request', 'the request has problems', wrong);
  const { user } = await openConsole('/keys', { answers: { ...answers, 'POST /v1/api-keys': refuse } });
  await user.click(await screen.findByRole('button', { name: 'New key' }));
  await user.click(screen.getByRole('button', { name: 'Create key' }));
  expect(await screen.findByText('There is no client "nobody"')).toBeDefined();
  expect(screen.getByRole('textbox', { name: 'Clients' }).getAttribute('aria-invalid')).toBe('true');
});

test('a key is rotated to a secret that is shown once, and revoked only after a confirmation', async () => {
  const { api, user } = await openConsole('/keys', { answers });
  await user.click(await screen.findByRole('button', { name: 'Rotate orders service' }));
  await user.click(screen.getByRole('button', { name: 'Rotate' }));
  expect(await screen.findByText(secret)).toBeDefined();
  await user.click(screen.getByRole('button', { name: 'Done' }));

  await user.click(await screen.findByRole('button', { name: 'Revoke orders service' }));
  expect(api.requestsTo(`DELETE /v1/api-keys/${key.id}`)).toHaveLength(0);
  await user.click(screen.getByRole('button', { name: 'Revoke' }));
  await waitFor(() => expect(api.requestsTo(`DELETE /v1/api-keys/${key.id}`)).toHaveLength(1));
});

const calls = {
  days: [
    { day: '2026-11-23', done: 90, refused: 0, failed: 0 },
    { day: '2026-11-24', done: 1200, refused: 17, failed: 2 },
  ],
  operations: [
    { operation: 'getRunReport', done: 1200, refused: 17, failed: 2, lastAt: '2026-11-24T10:30:00.000Z' },
    { operation: 'none', done: 90, refused: 0, failed: 0, lastAt: '2026-11-23T10:30:00.000Z' },
  ],
};

test('calls of a key are listed by operation and day, with a link to the audit log', async () => {
  const answered = { ...answers, 'GET /v1/api-keys': listed, 'GET /v1/api-keys/:id/calls': calls };
  const { api, user, address } = await openConsole('/keys', { answers: answered });
  await user.click(await screen.findByRole('button', { name: 'Calls of nightly export, which is still used' }));
  const operations = await screen.findByRole('table', { name: /^By operation/ });
  expect(within(operations).getByRole('row', { name: /^get run report 1,200 17 2/ })).toBeDefined();
  expect(within(operations).getByRole('row', { name: /^unknown path 90 0 0/ })).toBeDefined();
  const days = screen.getByRole('table', { name: /^By day/ });
  expect(within(days).getAllByRole('row')[1]?.textContent).toMatch(/^Tue 24 Nov1,200172/);
  expect(api.requestsTo(`GET /v1/api-keys/${ended.id}/calls`)).toHaveLength(1);
  await user.click(screen.getByRole('link', { name: 'Its changes in the audit log' }));
  await waitFor(() => expect(address()).toContain(`/audit?keyId=${ended.id}`));
});

const ada = {
  issuer: 'https://login.test',
  subject: 'sub-ada',
  name: 'ada@example.com',
  code: 'shut-out',
  count: 3,
  detail: 'ada@example.com is shut out of this installation',
  lastFrom: '10.20.7.14',
  keyId: 'key_ada',
  firstAt: '2026-11-23T10:30:00.000Z',
  lastAt: '2026-11-24T10:30:00.000Z',
  isInAgain: false,
  mayBeLetIn: true,
};
const stranger = {
  ...ada,
  subject: 'sub-eve',
  name: null,
  code: 'no-role',
  count: 1,
  keyId: null,
  mayBeLetIn: false,
  detail: 'this token has no value of roles that is mapped to a role (OIDC_ROLE_CLAIM, OIDC_ROLES)',
};

test('people who could not log in are listed with the reason, and a person who is shut out can be let in', async () => {
  const { api, user } = await openConsole('/keys', {
    answers: {
      ...answers,
      'GET /v1/refused-people': { items: [ada, stranger] },
      'PATCH /v1/api-keys/:id': { ...key, id: 'key_ada' },
    },
  });
  const table = await screen.findByRole('table', { name: /^People who were refused/ });
  const [, first, second] = within(table).getAllByRole('row');
  expect(first?.textContent).toMatch(/ada@example\.com.*shut out.*3 times since .* 10\.20\.7\.14/);
  expect(second?.textContent).toMatch(/sub-eve.*no role.*OIDC_ROLES.*once/);
  expect(within(second ?? table).queryByRole('button')).toBeNull();
  await user.click(within(table).getByRole('button', { name: 'Let ada@example.com in again' }));
  await user.click(screen.getByRole('button', { name: 'Let in' }));
  await waitFor(() => expect(api.requestsTo('PATCH /v1/api-keys/key_ada')).toHaveLength(1));
  expect(api.requestsTo('PATCH /v1/api-keys/key_ada').at(-1)?.body).toEqual({ expiresAt: null });
});

test('a person is shut out by an expiry of now, and a clock that is ahead causes an error', async () => {
  const person = { ...key, name: 'ada', person: { issuer: 'https://login.test', subject: 'sub-ada' } };
  let state = 'active';
  const { api, user } = await openConsole('/keys', {
    answers: {
      ...answers,
      'GET /v1/api-keys': { items: [person], next: null },
      'PATCH /v1/api-keys/:id': ({ body }: FakeRequest) => ({ ...person, state, ...(body as object) }),
    },
  });
  await user.click(await screen.findByRole('button', { name: 'Shut ada out' }));
  await user.click(screen.getByRole('button', { name: 'Shut out' }));
  expect((await screen.findByRole('alert')).textContent).toContain('the clock of this computer is ahead');
  state = 'expired';
  await user.click(screen.getByRole('button', { name: 'Shut out' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  const body = api.requestsTo(`PATCH /v1/api-keys/${key.id}`).at(-1)?.body as { expiresAt: string };
  expect(Math.abs(Date.parse(body.expiresAt) - Date.now())).toBeLessThan(60_000);
});

test('refused people are not requested for a key with a scope', async () => {
  const scope = { clients: null, countries: ['SG'], actionTypes: null, users: false };
  const { api } = await openConsole('/keys', { answers: { ...answers, 'GET /v1/session': { ...session, scope } } });
  await screen.findByText('orders service');
  expect(api.requestsTo('GET /v1/refused-people')).toHaveLength(0);
});

test('keys are not requested for a role that may not list them', async () => {
  const { api } = await openConsole('/keys', { answers, role: 'manager' });
  expect(await screen.findByText('Keys are shown to operators')).toBeDefined();
  expect(api.requestsTo('GET /v1/api-keys')).toEqual([]);
});

test('filters of the address are sent to the server', async () => {
  const { api, user, address } = await openConsole('/keys?state=expired', { answers });
  await screen.findByText('orders service');
  await user.type(screen.getByRole('searchbox'), 'team{Enter}');
  await user.click(screen.getByRole('button', { name: 'Role' }));
  await user.click(await screen.findByRole('menuitem', { name: 'scheduler' }));
  const query = { state: 'expired', role: 'scheduler', q: 'team' };
  await waitFor(() => expect(api.requestsTo('GET /v1/api-keys').at(-1)?.query).toMatchObject(query));
  expect(address()).toBe('/keys?state=expired&text=team&role=scheduler');
  api.answer({ 'GET /v1/api-keys': { items: [], next: null } });
  await user.click(screen.getByRole('button', { name: /^Revoked/ }));
  expect(await screen.findByText('Revoked, role scheduler, with “team” in its name or owner.')).toBeDefined();
  await user.click(screen.getByRole('button', { name: 'Clear all filters' }));
  await waitFor(() => expect(address()).toBe('/keys'));
});
