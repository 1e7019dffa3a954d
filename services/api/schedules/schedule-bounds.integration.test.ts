import { beforeEach, describe, expect, it } from 'vitest';
import { uuidOf } from '../../../shared/domain/ids/ids.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import { untilOneWaits } from '../../../test/support/lock-waits.ts';

const on = apiOnPostgres();

const target = { client: 'shop', url: 'https://shop.example.com/hook' };
const hourly = { name: 'hourly', target, cron: '0 * * * *' };
const eachSecond = { name: 'each second', target, everySeconds: 1 };
const markets = (count: number) => ({ groups: { names: Array.from({ length: count }, (_, index) => `M${index}`) } });

type Json = Record<string, unknown>;

async function answered(request: ReturnType<typeof on.ask>) {
  const { statusCode, json } = await request;
  const { id, code, detail } = json<Json>();
  return { status: statusCode, id: String(id), code, detail };
}

const create = (body: object) => answered(on.ask('POST', '/v1/schedules', body));
const change = (id: string, body: object) => answered(on.ask('PATCH', `/v1/schedules/${id}`, body));

async function limit(limits: object): Promise<void> {
  expect(await answered(on.ask('PATCH', '/v1/clients/shop', limits))).toMatchObject({ status: 200 });
}

beforeEach(async () => {
  for (const name of ['shop', 'other']) {
    expect(await answered(on.ask('POST', '/v1/clients', { name }))).toMatchObject({ status: 201 });
  }
});

describe('the limit maxSchedules of a client', () => {
  const refused = {
    status: 429,
    code: 'quota-exceeded',
    detail: 'this client has 2 schedules, and maxSchedules is 2',
  };

  it('refuses schedules above the limit, whatever their state, until a schedule is deleted', async () => {
    await limit({ maxSchedules: 2 });
    const first = await create(hourly);
    expect(await answered(on.ask('POST', `/v1/schedules/${first.id}/disable`))).toMatchObject({ status: 200 });
    expect(await create(hourly)).toMatchObject({ status: 201 });
    expect(await create(hourly)).toMatchObject(refused);
    expect(await create({ ...hourly, target: { ...target, client: 'other' } })).toMatchObject({ status: 201 });
    expect((await on.ask('DELETE', `/v1/schedules/${first.id}`)).statusCode).toBe(204);
    expect(await create(hourly)).toMatchObject({ status: 201 });
  });

  it('applies to schedules that are moved from another client', async () => {
    await limit({ maxSchedules: 2 });
    for (let time = 0; time < 2; time++) expect(await create(hourly)).toMatchObject({ status: 201 });
    const theirs = await create({ ...hourly, target: { ...target, client: 'other' } });
    expect(await change(theirs.id, { target })).toMatchObject(refused);
  });

  it('is also enforced for schedules that are created concurrently', async () => {
    await limit({ maxSchedules: 2 });
    const first = await create(hourly);
    const making = await on.pool.connect();
    try {
      await making.query('begin');
      const { rows } = await making.query<{ id: string }>(`select id from clients where name = 'shop' for update`);
      const third = create(hourly);
      await untilOneWaits(on.pool);
      await making.query(
        `insert into schedules (id, name, client, definition, state, high_water)
         select gen_random_uuid(), name, $2, definition, state, high_water from schedules where id = $1`,
        [uuidOf('schedule', first.id), rows[0]?.id],
      );
      await making.query('commit');
      expect(await third).toMatchObject(refused);
    } finally {
      making.release();
    }
  });

  it('does not refuse a repeat of a request whose schedule exists', async () => {
    await limit({ maxSchedules: 1 });
    const { id } = await create(hourly);
    const scheduleId = uuidOf('schedule', id) ?? '';
    const { clientId, definition } = (await on.deps.schedules.get(scheduleId)) ?? {};
    if (!clientId || !definition?.kept) throw new Error('it was not made');
    // The answer of the first request was lost, so the same request is sent again.
    const again = { scheduleId, name: 'hourly', clientId, definition: definition.kept, note: null };
    expect(await on.deps.schedules.create(again)).toMatchObject({ scheduleId, revision: 1 });
    expect(await on.rowsOf('schedules')).toHaveLength(1);
  });
});

describe('the limit acceptPerSecond of a client', () => {
  it('limits the jobs that all schedules together create in an hour', async () => {
    await limit({ acceptPerSecond: 1 });
    expect(await create({ ...hourly, ...markets(100) })).toMatchObject({ status: 201 });
    expect(await create({ ...eachSecond, everySeconds: 2, ...markets(2) })).toMatchObject({
      status: 429,
      code: 'too-many-jobs',
      detail:
        'this schedule makes 3,600 jobs an hour, for all its groups, and the others of this client make 100: ' +
        'acceptPerSecond, which is 1, allows 3,600 an hour',
    });
    expect(await create({ ...eachSecond, everySeconds: 2 })).toMatchObject({ status: 201 });
    expect(await create({ ...eachSecond, target: { ...target, client: 'other' } })).toMatchObject({ status: 201 });
    expect(await on.rowsOf('schedules')).toMatchObject([{ fires_per_hour: 100 }, { fires_per_hour: 1800 }, {}]);
  });

  it('counts the current groups of a tag, and groups selected by name even before their registration', async () => {
    await limit({ acceptPerSecond: 1 });
    for (const name of ['SG', 'ID', 'MY']) await on.ask('PUT', `/v1/groups/${name}`, { tags: ['rides'] });
    expect(await create({ ...eachSecond, everySeconds: 2, groups: { tags: ['rides'] } })).toMatchObject({
      status: 429,
    });
    expect(await create({ ...eachSecond, everySeconds: 2, groups: { names: ['XX', 'YY', 'ZZ'] } })).toMatchObject({
      status: 429,
    });
    expect(await create({ ...eachSecond, everySeconds: 3, groups: { tags: ['rides'] } })).toMatchObject({
      status: 201,
    });
  });

  it('is checked if a schedule would create more jobs, and not if it creates fewer or is renamed', async () => {
    const { id } = await create({ ...eachSecond, ...markets(2) });
    await limit({ acceptPerSecond: 1 });
    expect(await change(id, { name: 'renamed' })).toMatchObject({ status: 200 });
    expect(await change(id, markets(3))).toMatchObject({ status: 429, code: 'too-many-jobs' });
    expect(await change(id, { everySeconds: 2 })).toMatchObject({ status: 200 });
    expect(await change(id, { everySeconds: 1 })).toMatchObject({ status: 429 });
    expect(await on.rowsOf('schedules')).toMatchObject([{ name: 'renamed', fires_per_hour: 3600 }]);
  });

  it('is 1,000 per second by default', async () => {
    expect(await create({ ...eachSecond, ...markets(500) })).toMatchObject({ status: 201 });
    expect(await create({ ...eachSecond, ...markets(500) })).toMatchObject({ status: 201 });
    expect(await create(hourly)).toMatchObject({ status: 429, code: 'too-many-jobs' });
  });
});
