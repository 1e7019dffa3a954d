import { beforeEach, describe, expect, it } from 'vitest';
import { scheduleShape } from '../../../shared/contracts/schedules/schedules.ts';
import { uuidOf } from '../../../shared/domain/ids/ids.ts';
import { roles, type Role } from '../../../shared/domain/roles.ts';
import { digestOfApiKey } from '../../../shared/runtime/installation/api-key-secret.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import { pageShape } from '../frame/pages.contract.ts';

const on = apiOnPostgres();
const secretOf = (role: Role) => `muster_the-key-of-a-${role}`;

let path: string;
let id: string;
beforeEach(async () => {
  await on.ask('POST', '/v1/clients', { name: 'shop' });
  const target = { client: 'shop', url: 'https://shop.example.com/hook', body: '{"card":"4111"}' };
  const made = await on.ask('POST', '/v1/schedules', { name: 'hourly', cron: '0 * * * *', target });
  ({ id } = scheduleShape.parse(made.json()));
  path = `/v1/schedules/${id}`;
  for (const role of roles) await on.deps.apiKeys.add({ name: role, role, digest: digestOfApiKey(secretOf(role)) });
});

async function schedulesFor(role: Role) {
  const headers = { authorization: `Bearer ${secretOf(role)}` };
  const read = (url: string) => on.api.server.inject({ method: 'GET', url, headers });
  const [one, list] = [await read(path), await read('/v1/schedules')];
  const [listed] = pageShape(scheduleShape).parse(list.json()).items;
  return { all: `${one.body}${list.body}`, views: [scheduleShape.parse(one.json()), listed] };
}

describe('the body of a schedule', () => {
  it.each(['viewer', 'manager', 'approver'] as const)('is hidden from a %s', async (role) => {
    const { all, views } = await schedulesFor(role);
    expect(all).not.toContain('4111');
    for (const view of views) expect(view).toMatchObject({ target: { body: null }, withheld: true });
  });

  it.each(['scheduler', 'operator'] as const)('is shown to a %s', async (role) => {
    const { views } = await schedulesFor(role);
    for (const view of views) expect(view).toMatchObject({ target: { body: '{"card":"4111"}' }, withheld: false });
  });

  it.each([
    ['whose recurrence cannot be read', `jsonb_set(definition, '{recurrence,zone}', '"Nowhere"')`],
    ['whose call cannot be read', `jsonb_set(definition, '{call}', '["4111"]')`],
  ])('is hidden from a viewer in a schedule %s', async (_, broken) => {
    await on.pool.query(`update schedules set definition = ${broken} where id = $1`, [uuidOf('schedule', id)]);
    const { all, views } = await schedulesFor('viewer');
    expect(views[0]?.unreadable).not.toBeNull();
    expect(all).not.toContain('4111');
    expect((await schedulesFor('operator')).all).toContain('4111');
  });

  it('is kept if a patch sends the target as responses show it', async () => {
    const { target } = scheduleShape.parse((await on.ask('GET', path)).json());
    const patched = await on.ask('PATCH', path, { target, name: 'each hour' });
    expect(patched.statusCode, patched.body).toBe(200);
    expect(patched.json()).toMatchObject({ name: 'each hour', target: { body: '{"card":"4111"}' } });
  });
});
