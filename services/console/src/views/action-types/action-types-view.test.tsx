// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it, test } from 'vitest';
import type { ListedActionType, Shard } from '#client/types.gen.ts';
import { problem } from '../../testing/fake-api.ts';
import { actionTypes } from '../../testing/installation.ts';
import { openConsole } from '../../testing/open-console.tsx';
import { shards } from '../../testing/shards.ts';
import { titleOf } from '../../parts/words/action-titles.ts';
import { checkCommand } from './check-command.ts';
import { promisesOf } from './class-words.ts';
import { lookOfType, troublesOf } from './type-standing.ts';

const points = typeCalled('award-points');
const [shard] = shards.items;
const open = { cause: '503 Service Unavailable', since: '2026-11-22T19:35:44.000Z', nextTryAt: null };

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
    ...{ all: 3, needsAttention: 0, running: 1, paused: 0, scheduled: 0, ended: 0, draft: 2, archived: 0 },
  },
};

test('a type says whether it runs, what its class promises, how it is called and who depends on it', async () => {
  const { api } = await openConsole('/action-types?name=award-points', { answers: campaigns });
  expect(await screen.findByRole('heading', { name: 'award-points' })).toBeDefined();
  expect(screen.getByText('The batch must stay the same.')).toBeDefined();
  expect(screen.getByText('Give points').parentElement?.textContent).toBe(
    'Give points · Adds loyalty points to the user’s balance.',
  );
  const calls = screen.getByRole('region', { name: 'Calls' });
  expect(calls.textContent).toMatch(/\/points\/v1\/batches.*at most 100 users.*8, up to 5 min/);
  expect(await screen.findByText('3 campaigns: 1 running, 0 scheduled, 2 in draft')).toBeDefined();
  expect(api.askedFor('GET /v1/campaigns').at(-1)?.query).toMatchObject({ action: 'award-points', sort: 'state' });
  expect(screen.getByRole('region', { name: 'What its parameters are' }).textContent).toMatch(/Points needed.*number/);
});

test('what stands still says where and why', async () => {
  const items = [shardOf('VN', { breaker: 'open', endpoint: open }), shardOf('SG', {})];
  const { user, address } = await openConsole('/action-types', {
    answers: { 'GET /v1/shards': { items, next: null } },
  });
  expect(await screen.findByText('Down in part')).toBeDefined();
  expect(screen.getByText(/the breaker is open: 503 Service Unavailable/)).toBeDefined();
  const health = screen.getByRole('region', { name: 'Health' });
  expect(within(health).getByRole('row', { name: /^VN/ }).textContent).toMatch(/open since/);
  await user.click(screen.getByRole('button', { name: /In trouble/ }));
  await waitFor(() => expect(address()).toBe('/action-types?show=trouble'));
  expect(screen.queryByRole('link', { name: 'send-message' })).toBeNull();
});

test('one is registered by what the form says, and what is wrong stands at its field', async () => {
  const wrong = [{ pointer: '/url', code: 'forbidden-address', detail: 'may not be called: 10.0.0.1' }];
  const { api, user } = await openConsole('/action-types', {
    answers: { 'POST /v1/action-types': () => problem(422, 'invalid-request', 'wrong', wrong) },
  });
  await user.click(await screen.findByRole('button', { name: /^Register a type/ }));
  const dialog = await screen.findByRole('dialog', { name: 'Register a type' });
  await user.type(within(dialog).getByLabelText(/^Name/), 'give-voucher');
  await user.type(within(dialog).getByLabelText(/^Address/), 'https://10.0.0.1/batches');
  await user.type(within(dialog).getByLabelText(/^Price of one/), '0.25');
  await user.click(within(dialog).getByRole('radio', { name: /^C / }));
  await user.type(within(dialog).getByLabelText(/^Status address/), 'https://10.0.0.1/status');
  await user.type(within(dialog).getByLabelText(/^Applied late/), '30');
  await user.type(within(dialog).getByLabelText(/^Time-out/), '5,000');
  await user.click(within(dialog).getByRole('button', { name: 'Register' }));
  expect(await within(dialog).findByText('May not be called: 10.0.0.1')).toBeDefined();
  expect(api.askedFor('POST /v1/action-types').at(-1)?.body).toEqual({
    ...{ name: 'give-voucher', url: 'https://10.0.0.1/batches', class: 'C', price: '0.25', timeoutMs: 5000 },
    ...{ statusUrl: 'https://10.0.0.1/status', appliesLateSeconds: 30, answerForm: 'full' },
  });
});

test('a check is of class A, whatever was chosen before', async () => {
  const { api, user } = await openConsole('/action-types', { answers: { 'POST /v1/action-types': points } });
  await user.click(await screen.findByRole('button', { name: /^Register a type/ }));
  const dialog = await screen.findByRole('dialog', { name: 'Register a type' });
  await user.type(within(dialog).getByLabelText(/^Name/), 'may-call');
  await user.type(within(dialog).getByLabelText(/^Address/), 'https://checks.example.com/v1');
  await user.click(within(dialog).getByRole('radio', { name: /^D / }));
  await user.click(within(dialog).getByRole('checkbox', { name: /^A check/ }));
  await user.click(within(dialog).getByRole('button', { name: 'Register' }));
  await waitFor(() => expect(api.askedFor('POST /v1/action-types')).toHaveLength(1));
  expect(api.askedFor('POST /v1/action-types')[0]?.body).toMatchObject({ class: 'A', check: true });
});

test('of one that there is, only what was changed is sent, on the revision that was seen', async () => {
  const { api, user } = await openConsole('/action-types?name=award-points', {
    answers: { 'PATCH /v1/action-types/:name': points },
  });
  await user.click(await screen.findByRole('button', { name: 'Edit…' }));
  const dialog = await screen.findByRole('dialog', { name: 'Edit award-points' });
  await user.clear(within(dialog).getByLabelText(/^Batch, at most/));
  await user.type(within(dialog).getByLabelText(/^Batch, at most/), '50');
  await user.clear(within(dialog).getByLabelText(/^Time-out/));
  await user.click(within(dialog).getByRole('button', { name: 'Change 2 fields' }));
  await waitFor(() => expect(api.askedFor('PATCH /v1/action-types/award-points')).toHaveLength(1));
  const [asked] = api.askedFor('PATCH /v1/action-types/award-points');
  expect(asked?.headers.get('if-match')).toBe('"1"');
  expect(asked?.body).toEqual({ batchSize: 50, timeoutMs: null });
});

test('a title is changed, and the pages that are opened next show it', async () => {
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
  expect(api.askedFor('PATCH /v1/action-types/award-points')[0]?.body).toEqual({ title: 'Thank with points' });
  await user.click(screen.getByRole('link', { name: 'Quiet hours' }));
  await screen.findByRole('heading', { name: 'Quiet hours', level: 1 });
  await waitFor(() => expect(titleOf('award-points')).toBe('Thank with points'));
});

test('a secret goes in and is never shown; one that is made here is shown until it is set', async () => {
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
  await user.click(within(dialog).getByRole('button', { name: 'Make one' }));
  expect(field.getAttribute('type')).toBe('text');
  await user.click(within(dialog).getByRole('button', { name: 'Set it' }));
  await waitFor(() => expect(api.askedFor('PUT /v1/action-types/award-points/secrets/signing')).toHaveLength(1));
  const [asked] = api.askedFor('PUT /v1/action-types/award-points/secrets/signing');
  expect(JSON.stringify(asked?.body)).toMatch(/^\{"value":"whsec_[A-Za-z0-9+/]{43}="\}$/);
});

test('one is switched off or deleted only when that is meant', async () => {
  const used = 'campaigns have it in their chain';
  const { api, user } = await openConsole('/action-types?name=award-points', {
    answers: {
      'PATCH /v1/action-types/:name': points,
      'DELETE /v1/action-types/:name': () => problem(409, 'action-type-in-use', used),
    },
  });
  await user.click(await screen.findByRole('button', { name: 'Switch off…' }));
  expect(api.askedFor('PATCH /v1/action-types/award-points')).toHaveLength(0);
  await user.click(await screen.findByRole('button', { name: 'Switch it off' }));
  await waitFor(() =>
    expect(api.askedFor('PATCH /v1/action-types/award-points').at(-1)?.body).toEqual({ enabled: false }),
  );
  await user.click(screen.getByRole('button', { name: 'Delete…' }));
  await user.click(await screen.findByRole('button', { name: 'Delete it' }));
  expect(await screen.findByText(used)).toBeDefined();
});

test('nobody but operators changes types', async () => {
  await openConsole('/action-types', { role: 'manager' });
  expect((await screen.findByRole('button', { name: 'Edit…' })).getAttribute('aria-disabled')).toBe('true');
  expect(screen.getByRole('button', { name: 'Set the secret signing' }).getAttribute('aria-disabled')).toBe('true');
});

test('a name that there is not, a search that finds none and a failure say so', async () => {
  const { user } = await openConsole('/action-types?name=give-voucher');
  expect(await screen.findByText('There is no action type give-voucher')).toBeDefined();
  await user.type(screen.getByRole('searchbox'), 'xyz{Enter}');
  expect(await screen.findByText('None is called “xyz”.')).toBeDefined();
});

describe('a type', () => {
  it('stands still where no worker takes it, before anything else', () => {
    const { lag } = shardOf('SG', {});
    const notes = ['2 workers cannot serve it: leases are too short'];
    const unserved = shardOf('SG', { workers: [], lag: { ...lag, batches: 4 }, notes });
    const all = [shardOf('VN', { breaker: 'slow-start' }), unserved];
    expect(lookOfType(points, all).word).toBe('No worker takes it');
    expect(troublesOf(points, all).map(({ country, cause }) => `${country} ${cause}`)).toEqual([
      'SG 2 workers cannot serve it: leases are too short',
      'VN its endpoint has just come back',
    ]);
    const refusals = [{ country: 'ID', cause: 'leases are too short' }];
    expect(lookOfType({ ...points, refusals }, []).word).toBe('No worker takes it');
    expect(troublesOf({ ...points, refusals }, [])[0]?.cause).toBe('no worker can take it: leases are too short');
    expect(lookOfType({ ...points, enabled: false }, all).word).toBe('Switched off');
    expect(lookOfType(points, []).word).toBe('Not used yet');
  });

  it('promises by its class, in as many sentences', () => {
    const leads = (type: Partial<ListedActionType>) => promisesOf({ ...points, ...type }).map(({ lead }) => lead);
    expect(leads({ class: 'A' })).toEqual([
      'A repeat is safe for 30 d.',
      'Batches may be cut smaller.',
      'Past the deadline',
    ]);
    expect(leads({ class: 'C', appliesLateSeconds: 30 })[0]).toBe('A repeat does it a second time.');
    expect(leads({ class: 'D' })).toHaveLength(3);
    expect(leads({ class: 'A', check: true })[0]).toBe('It is asked before steps that name it.');
  });

  it('is checked by one command, which a shell takes as it stands', () => {
    const type = { ...points, url: "https://points.example.com/o'hara", countries: ['SG'], batchSize: 50 };
    expect(checkCommand(type)).toBe(
      `muster check-endpoint 'https://points.example.com/o'\\''hara' --class B --action-type award-points --country SG` +
        ` --params '{"points":100}' --batch-size 50 --timeout-ms 2500`,
    );
    const paramsSchema = { properties: { id: { type: 'string', 'x-options': '/v1/options?kind=all' } } };
    expect(checkCommand({ ...points, paramsSchema })).toContain(" --options '/v1/options?kind=all' ");
  });
});
