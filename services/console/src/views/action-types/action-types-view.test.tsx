// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it, test } from 'vitest';
import type { ListedActionType, Shard } from '#client/types.gen.ts';
import { problem } from '../../../testing/fakes/fake-api.ts';
import { actionTypes } from '../../../testing/installation/installation.ts';
import { openConsole } from '../../../testing/open-console.tsx';
import { shards } from '../../../testing/installation/shards.ts';
import { titleOf } from '../../parts/words/action-titles.ts';
import { formatCheckCommand } from './check-command.ts';
import { describeClass } from './contract-class.ts';
import { findTypeLook, findTroubles } from './type-standing.ts';

const points = typeCalled('award-points');
const [shard] = shards.items;
const openEndpoint = { cause: '503 Service Unavailable', since: '2026-11-22T19:35:44.000Z', nextTryAt: null };

function typeCalled(name: string): ListedActionType {
  const type = actionTypes.items.find((each) => each.name === name);
  if (!type) throw new Error(`there is no ${name}`);
  return type;
}

function shardOf(country: string, facts: Partial<Shard>): Shard {
  if (!shard) throw new Error('there is no shard');
  return { ...shard, id: `award-points.${country}`, actionType: 'award-points', country, ...facts };
}

const campaigns = {
  'GET /v1/campaigns/counts': {
    all: 3,
    needsAttention: 0,
    running: 1,
    paused: 0,
    scheduled: 0,
    ended: 0,
    draft: 2,
    archived: 0,
  },
};

test('a type shows its class, its calls and the campaigns that use it', async () => {
  const { api } = await openConsole('/action-types?name=award-points', { answers: campaigns });
  expect(await screen.findByRole('heading', { name: 'award-points' })).toBeDefined();
  expect(screen.getByText('The batch must stay the same.')).toBeDefined();
  expect(screen.getByText('Give points').parentElement?.textContent).toBe(
    'Give points · Adds loyalty points to the user’s balance.',
  );
  const calls = screen.getByRole('region', { name: 'Calls' });
  expect(calls.textContent).toMatch(/\/points\/v1\/batches.*at most 100 users.*8, up to 5 min/);
  expect(await screen.findByText('3 campaigns: 1 running, 0 scheduled, 2 in draft')).toBeDefined();
  expect(api.requestsTo('GET /v1/campaigns').at(-1)?.query).toMatchObject({ action: 'award-points', sort: 'state' });
  expect(screen.getByRole('region', { name: 'Parameters' }).textContent).toMatch(/Points needed.*number/);
});

test('a type with an open breaker shows the country and the cause', async () => {
  const items = [shardOf('VN', { breaker: 'open', endpoint: openEndpoint }), shardOf('SG', {})];
  const { user, address } = await openConsole('/action-types', {
    answers: { 'GET /v1/shards': { items, next: null } },
  });
  expect(await screen.findByText('Partly down')).toBeDefined();
  expect(screen.getByText(/the breaker is open: 503 Service Unavailable/)).toBeDefined();
  const health = screen.getByRole('region', { name: 'Health' });
  expect(within(health).getByRole('row', { name: /^VN/ }).textContent).toMatch(/open since/);
  await user.click(screen.getByRole('button', { name: /With problems/ }));
  await waitFor(() => expect(address()).toBe('/action-types?show=trouble'));
  expect(screen.queryByRole('link', { name: 'send-message' })).toBeNull();
});

test('a type is registered with the values of the form, and an error is shown at its field', async () => {
  const wrong = [{ pointer: '/url', code: 'forbidden-address', detail: 'may not be called: 10.0.0.1' }];
  const { api, user } = await openConsole('/action-types', {
    answers: { 'POST /v1/action-types': () => problem(422, 'invalid-request', 'wrong', wrong) },
  });
  await user.click(await screen.findByRole('button', { name: /^Register a type/ }));
  const dialog = await screen.findByRole('dialog', { name: 'Register a type' });
  await user.type(within(dialog).getByLabelText(/^Name/), 'give-voucher');
  await user.type(within(dialog).getByLabelText(/^Address/), 'https://10.0.0.1/batches');
  await user.type(within(dialog).getByLabelText(/^Price per user/), '0.25');
  await user.click(within(dialog).getByRole('radio', { name: /^C / }));
  await user.type(within(dialog).getByLabelText(/^Status address/), 'https://10.0.0.1/status');
  await user.type(within(dialog).getByLabelText(/^Applied late/), '30');
  await user.type(within(dialog).getByLabelText(/^Time-out/), '5,000');
  await user.click(within(dialog).getByRole('button', { name: 'Register' }));
  expect(await within(dialog).findByText('May not be called: 10.0.0.1')).toBeDefined();
  expect(api.requestsTo('POST /v1/action-types').at(-1)?.body).toEqual({
    name: 'give-voucher',
    url: 'https://10.0.0.1/batches',
    class: 'C',
    price: '0.25',
    timeoutMs: 5000,
    statusUrl: 'https://10.0.0.1/status',
    appliesLateSeconds: 30,
    answerForm: 'full',
  });
});

test('a check is registered with class A, whatever class was chosen before', async () => {
  const { api, user } = await openConsole('/action-types', { answers: { 'POST /v1/action-types': points } });
  await user.click(await screen.findByRole('button', { name: /^Register a type/ }));
  const dialog = await screen.findByRole('dialog', { name: 'Register a type' });
  await user.type(within(dialog).getByLabelText(/^Name/), 'may-call');
  await user.type(within(dialog).getByLabelText(/^Address/), 'https://checks.example.com/v1');
  await user.click(within(dialog).getByRole('radio', { name: /^D / }));
  await user.click(within(dialog).getByRole('checkbox', { name: /^A check/ }));
  await user.click(within(dialog).getByRole('button', { name: 'Register' }));
  await waitFor(() => expect(api.requestsTo('POST /v1/action-types')).toHaveLength(1));
  expect(api.requestsTo('POST /v1/action-types')[0]?.body).toMatchObject({ class: 'A', check: true });
});

test('an edit sends only the changed fields, with the revision that was loaded', async () => {
  const { api, user } = await openConsole('/action-types?name=award-points', {
    answers: { 'PATCH /v1/action-types/:name': points },
  });
  await user.click(await screen.findByRole('button', { name: 'Edit…' }));
  const dialog = await screen.findByRole('dialog', { name: 'Edit award-points' });
  await user.clear(within(dialog).getByLabelText(/^Batch, at most/));
  await user.type(within(dialog).getByLabelText(/^Batch, at most/), '50');
  await user.clear(within(dialog).getByLabelText(/^Time-out/));
  await user.click(within(dialog).getByRole('button', { name: 'Change 2 fields' }));
  await waitFor(() => expect(api.requestsTo('PATCH /v1/action-types/award-points')).toHaveLength(1));
  const [request] = api.requestsTo('PATCH /v1/action-types/award-points');
  expect(request?.headers.get('if-match')).toBe('"1"');
  expect(request?.body).toEqual({ batchSize: 50, timeoutMs: null });
});

test('a changed title is shown on the pages that are opened next', async () => {
  let title = 'Give points';
  const { api, user } = await openConsole('/action-types?name=award-points', {
    answers: {
      'GET /v1/action-types': () => ({
        ...actionTypes,
        items: actionTypes.items.map((type) => (type.name === 'award-points' ? { ...type, title } : type)),
      }),
      'PATCH /v1/action-types/:name': () => {
        title = 'Thank with points';
        return { ...points, title };
      },
    },
  });
  await user.click(await screen.findByRole('button', { name: 'Edit…' }));
  const dialog = await screen.findByRole('dialog', { name: 'Edit award-points' });
  await user.clear(within(dialog).getByLabelText(/^Title/));
  await user.type(within(dialog).getByLabelText(/^Title/), 'Thank with points');
  await user.click(within(dialog).getByRole('button', { name: 'Change 1 field' }));
  await screen.findByText('Thank with points');
  expect(api.requestsTo('PATCH /v1/action-types/award-points')[0]?.body).toEqual({ title: 'Thank with points' });
  await user.click(screen.getByRole('link', { name: 'Quiet hours' }));
  await screen.findByRole('heading', { name: 'Quiet hours', level: 1 });
  await waitFor(() => expect(titleOf('award-points')).toBe('Thank with points'));
});

test('a secret is never shown, except a generated one until it is set', async () => {
  const kept = { ...points, secrets: { signing: { changedAt: '2026-11-22T19:35:27.329Z' } } };
  const { api, user } = await openConsole('/action-types?name=award-points', {
    answers: {
      'GET /v1/action-types': { items: [kept], next: null },
      'PUT /v1/action-types/:name/secrets/:secret': kept,
    },
  });
  const secrets = await screen.findByRole('table', { name: 'Secrets of award-points' });
  expect(within(secrets).getByRole('row', { name: /^Signing/ }).textContent).toContain('set, ');
  expect(within(secrets).getByRole('row', { name: /^Authorization/ }).textContent).toContain('none');
  await user.click(screen.getByRole('button', { name: 'Replace the secret signing' }));
  const dialog = await screen.findByRole('dialog', { name: 'Replace the secret signing' });
  const field = within(dialog).getByLabelText(/^Secret/);
  expect(field.getAttribute('type')).toBe('password');
  await user.click(within(dialog).getByRole('button', { name: 'Generate' }));
  expect(field.getAttribute('type')).toBe('text');
  await user.click(within(dialog).getByRole('button', { name: 'Set it' }));
  await waitFor(() => expect(api.requestsTo('PUT /v1/action-types/award-points/secrets/signing')).toHaveLength(1));
  const [request] = api.requestsTo('PUT /v1/action-types/award-points/secrets/signing');
  expect(JSON.stringify(request?.body)).toMatch(/^\{"value":"whsec_[A-Za-z0-9+/]{43}="\}$/);
});

test('a type is disabled or deleted only after a confirmation', async () => {
  const used = 'campaigns have it in their chain';
  const { api, user } = await openConsole('/action-types?name=award-points', {
    answers: {
      'PATCH /v1/action-types/:name': points,
      'DELETE /v1/action-types/:name': () => problem(409, 'action-type-in-use', used),
    },
  });
  await user.click(await screen.findByRole('button', { name: 'Disable…' }));
  expect(api.requestsTo('PATCH /v1/action-types/award-points')).toHaveLength(0);
  await user.click(await screen.findByRole('button', { name: 'Disable it' }));
  await waitFor(() =>
    expect(api.requestsTo('PATCH /v1/action-types/award-points').at(-1)?.body).toEqual({ enabled: false }),
  );
  await user.click(screen.getByRole('button', { name: 'Delete…' }));
  await user.click(await screen.findByRole('button', { name: 'Delete it' }));
  expect(await screen.findByText(used)).toBeDefined();
});

test('only operators can change types', async () => {
  await openConsole('/action-types', { role: 'manager' });
  expect((await screen.findByRole('button', { name: 'Edit…' })).getAttribute('aria-disabled')).toBe('true');
  expect(screen.getByRole('button', { name: 'Set the secret signing' }).getAttribute('aria-disabled')).toBe('true');
});

test('an unknown name and a search without a match show messages', async () => {
  const { user } = await openConsole('/action-types?name=give-voucher');
  expect(await screen.findByText('There is no action type give-voucher')).toBeDefined();
  await user.type(screen.getByRole('searchbox'), 'xyz{Enter}');
  expect(await screen.findByText('No name or title contains “xyz”.')).toBeDefined();
});

describe('a type', () => {
  it('shows that no worker runs it before any other problem', () => {
    const { lag } = shardOf('SG', {});
    const notes = ['2 workers cannot serve it: leases are too short'];
    const unserved = shardOf('SG', { workers: [], lag: { ...lag, batches: 4 }, notes });
    const all = [shardOf('VN', { breaker: 'slow-start' }), unserved];
    expect(findTypeLook(points, all).word).toBe('No worker runs it');
    expect(findTroubles(points, all).map(({ country, cause }) => `${country} ${cause}`)).toEqual([
      'SG 2 workers cannot serve it: leases are too short',
      'VN its endpoint has just recovered',
    ]);
    const refusals = [{ country: 'ID', cause: 'leases are too short' }];
    expect(findTypeLook({ ...points, refusals }, []).word).toBe('No worker runs it');
    expect(findTroubles({ ...points, refusals }, [])[0]?.cause).toBe('no worker can run it: leases are too short');
    expect(findTypeLook({ ...points, enabled: false }, all).word).toBe('Disabled');
    expect(findTypeLook(points, []).word).toBe('Not used yet');
  });

  it('describes its class in sentences', () => {
    const leads = (type: Partial<ListedActionType>) => describeClass({ ...points, ...type }).map(({ lead }) => lead);
    expect(leads({ class: 'A' })).toEqual([
      'A repeat is safe for 30 d.',
      'Batches may be split.',
      'After the deadline,',
    ]);
    expect(leads({ class: 'C', appliesLateSeconds: 30 })[0]).toBe('A repeat runs the action a second time.');
    expect(leads({ class: 'D' })).toHaveLength(3);
    expect(leads({ class: 'A', check: true })[0]).toBe('It is called before each step that uses it.');
  });

  it('is checked by one command with quoted arguments', () => {
    const type = { ...points, url: "https://points.example.com/o'hara", countries: ['SG'], batchSize: 50 };
    expect(formatCheckCommand(type)).toBe(
      `muster check-endpoint 'https://points.example.com/o'\\''hara' --class B --action-type award-points --country SG` +
        ` --params '{"points":100}' --batch-size 50 --timeout-ms 2500`,
    );
    const paramsSchema = { properties: { id: { type: 'string', 'x-options': '/v1/options?kind=all' } } };
    expect(formatCheckCommand({ ...points, paramsSchema })).toContain(" --options '/v1/options?kind=all' ");
  });
});
