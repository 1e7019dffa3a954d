import { describe, expect, it } from 'vitest';
import { authorized } from '../../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../../test/support/api-on-postgres.ts';
import { textArray } from '../../../../shared/postgres/connection/array-literals.ts';
import { suppressedAmong } from '../../../../shared/postgres/ledger/suppressions.ts';
import { noteSettings } from '../../../../shared/postgres/registry/service-settings.ts';
import { problem } from '../../frame/problems.contract.ts';
import { createActionTypeStore } from '../../action-types/postgres/action-type-store.ts';

const on = apiOnPostgres();

async function call(method: 'GET' | 'POST' | 'DELETE', url: string, body?: object) {
  return await on.api.server.inject({
    method,
    url: `/v1/suppressions${url}`,
    headers: authorized,
    ...(body && { payload: body }),
  });
}

const add = (body: object) => call('POST', '', body);

/** Returns the suppressed users among the given users, as a worker finds them. */
async function found(actionType: string, users: readonly string[]): Promise<string[]> {
  const question = { actionTypes: textArray([actionType]), users: textArray([users.join('\n')]) };
  const { rows } = await on.deps.pool.query<{ user_id: string }>(suppressedAmong.with(question));
  return rows.map((row) => row.user_id).sort();
}

describe('users on a suppression list', () => {
  it('are suppressed for the action type of the list and for no other', async () => {
    const response = await add({ actionType: 'send-message', users: ['u1', 'ü "2"'], note: 'asked to by phone' });
    expect(response.statusCode).toBe(200);
    expect(response.json()).toMatchObject({ actionType: 'send-message', people: 2, version: 1 + 1, added: 2 });
    expect(await found('send-message', ['u1', 'u3', 'ü "2"'])).toEqual(['u1', 'ü "2"']);
    expect(await found('award-reward', ['u1', 'ü "2"'])).toEqual([]);
  });

  it('may be called until the leases of workers end, and the response states this time', async () => {
    const withinMs = async () => {
      const answer = await add({ actionType: 'send-message', users: ['u1'] });
      return answer.json<{ lastCallWithinMs: unknown }>().lastCallWithinMs;
    };
    expect(await withinMs()).toBeNull();
    await noteSettings(on.pool, 'worker', { WORKER_LEASE_MS: 45_000 });
    expect(await withinMs()).toBe(45_000);
  });

  it('count once and keep their first note', async () => {
    await add({ actionType: '*', users: ['u1', 'u1'], note: 'first' });
    const again = await add({ actionType: '*', users: ['u1', 'u2'], note: 'second' });
    expect(again.json()).toMatchObject({ people: 2, added: 1 });
    const user = await call('GET', '/users/u1');
    expect(user.json()).toMatchObject({ userId: 'u1', lists: [{ actionType: '*', note: 'first' }] });
    const version = again.json<{ version: number }>().version;
    expect((await add({ actionType: '*', users: ['u2'] })).json()).toMatchObject({ version, added: 0 });
  });

  it('are removed by their encoded id in the path and may then be called again', async () => {
    const id = 'a/b?c%ü';
    await add({ actionType: 'send-message', users: [id, 'u2'] });
    const url = `/users/${encodeURIComponent(id)}?actionType=send-message`;
    expect((await call('DELETE', url)).statusCode).toBe(204);
    expect((await call('DELETE', url)).statusCode).toBe(204);
    expect(await found('send-message', [id, 'u2'])).toEqual(['u2']);
    const { items } = (await call('GET', '')).json<{ items: unknown[] }>();
    expect(items).toMatchObject([{ actionType: 'send-message', people: 1, version: 3 }]);
  });

  it('are all stored when many requests add users to a new list at the same time', async () => {
    const requests = Array.from({ length: 8 }, (_, index) => add({ actionType: '*', users: [`u${index}`] }));
    expect((await Promise.all(requests)).map(({ statusCode }) => statusCode)).toEqual(Array(8).fill(200));
    const { items } = (await call('GET', '')).json<{ items: unknown[] }>();
    expect(items).toMatchObject([{ actionType: '*', people: 8 }]);
  });

  it('may be suppressed for an action type that was just registered', async () => {
    const type = await createActionTypeStore(on.deps).get('send-message');
    if (!type) throw new Error('the type is not there');
    await createActionTypeStore(on.deps).create('send-letter', { config: type.config, enabled: true });
    expect((await add({ actionType: 'send-letter', users: ['u1'] })).json()).toMatchObject({ people: 1 });
  });

  it('are only a number in the audit log', async () => {
    await add({ actionType: 'send-message', users: ['u1', 'u2'] });
    const log = await on.api.server.inject({ method: 'GET', url: '/v1/audit', headers: authorized });
    expect(log.json<{ items: unknown[] }>().items[0]).toMatchObject({
      detail: { actionType: 'send-message', users: 2 },
    });
  });
});

describe('an invalid request', () => {
  it.each([
    ['an action type that is not registered', { actionType: 'send-letter', users: ['u1'] }, '/actionType'],
    ['an id that breaks the rules', { actionType: '*', users: ['u1', 'a\nb'] }, '/users/1'],
    ['nobody', { actionType: '*', users: [] }, '/users'],
    ['too many', { actionType: '*', users: Array.from({ length: 1001 }, (_, n) => `u${n}`) }, '/users'],
  ])('is refused with a pointer to the invalid field: %s', async (_, body, pointer) => {
    const response = await add(body);
    expect(response.statusCode).toBe(422);
    expect(problem.parse(response.json()).errors[0]?.pointer).toBe(pointer);
    expect((await call('GET', '')).json()).toMatchObject({ items: [] });
  });
});
