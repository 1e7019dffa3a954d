import { beforeEach, describe, expect, it } from 'vitest';
import { createDueSchedules } from '../../services/scheduler/postgres/due-schedules.ts';
import { scheduleShape } from '../../shared/contracts/schedules/schedules.ts';
import { pageShape } from '../../services/api/frame/pages.contract.ts';
import { problem } from '../../services/api/frame/problems.contract.ts';
import { apiOnPostgres } from '../support/api-on-postgres.ts';
import { usualQuotas } from '../../shared/runtime/configuration/quotas.ts';

/** Damage that a roll-back, another version or a person with SQL may leave in one row. */
const garbage = {
  'an unknown time zone': `definition = jsonb_set(definition, '{recurrence,zone}', '"Mars/Olympus"')`,
  'an invalid cron expression': `definition = jsonb_set(definition, '{recurrence,cron}', '"every full moon"')`,
  'an expression and an interval': `definition = jsonb_set(definition, '{recurrence,everySeconds}', '60')`,
  'neither an expression nor an interval': `definition = definition #- '{recurrence,cron}'`,
  'an invalid start time': `definition = jsonb_set(definition, '{recurrence,from}', '"soon"')`,
  'an invalid end time': `definition = jsonb_set(definition, '{recurrence,until}', '"9999-99-99"')`,
  'an unknown misfire policy': `definition = jsonb_set(definition, '{recurrence,misfire}', '"fire-twice"')`,
  'a catch-up window that is a text': `definition = jsonb_set(definition, '{recurrence,catchUpSeconds}', '"long"')`,
  'an unknown overlap policy': `definition = jsonb_set(definition, '{recurrence,overlap}', '"queue"')`,
  'a spread below zero': `definition = jsonb_set(definition, '{recurrence,spreadSeconds}', '-1')`,
  'malformed groups': `definition = jsonb_set(definition, '{groups}', '{"all": true}')`,
  'an invalid URL': `definition = jsonb_set(definition, '{call,url}', '7')`,
  'an unknown method': `definition = jsonb_set(definition, '{call,method}', '"BREW"')`,
  'headers that are not JSON': `definition = jsonb_set(definition, '{call,headers}', '"{"')`,
  'a body that is no text': `definition = jsonb_set(definition, '{call,body}', '{}')`,
  'a window beyond all numbers': `definition = jsonb_set(definition, '{call,relevancySeconds}', '1e300')`,
  'tags of no form': `definition = jsonb_set(definition, '{call,tags}', '[[]]')`,
  'no callback': `definition = definition - 'call'`,
  'no recurrence': `definition = definition - 'recurrence'`,
  'a definition that is a list': `definition = '[]'`,
  'a definition that is null': `definition = 'null'`,
};

const api = apiOnPostgres();
const node = { region: 'local', owner: 'a node' };
/** Schedule as created. */
const wanted = {
  name: 'each minute',
  cron: '* * * * *',
  zone: 'Asia/Singapore',
  target: { client: 'shop', url: 'https://shop.example/call', method: 'POST' },
};
let url: string;

beforeEach(async () => {
  await api.ask('POST', '/v1/clients', { name: 'shop' });
  url = await make();
});

async function make(): Promise<string> {
  return scheduleShape.parse((await api.ask('POST', '/v1/schedules', wanted)).json()).links.self;
}

/** Damages the oldest schedule, which the scheduler reads first. */
async function spoil(assignment: string) {
  await api.pool.query(
    `update schedules set ${assignment} where id = (select id from schedules order by next_check_at, id limit 1)`,
  );
}

const recur = () => createDueSchedules({ pool: api.pool, quotas: usualQuotas }).recur(node, 100);
const rearm = () => createDueSchedules({ pool: api.pool, quotas: usualQuotas }).rearm(100, null);
const displayed = async () => scheduleShape.parse((await api.ask('GET', url)).json());
const listed = async (query: string) =>
  pageShape(scheduleShape).parse((await api.ask('GET', `/v1/schedules${query}`)).json()).items;
/** The matcher with a type: `expect.stringContaining` returns `any`. */
const containing = (text: string): unknown => expect.stringContaining(text);

describe('an unreadable schedule', () => {
  it('becomes broken, and the hundred other schedules fire on time', async () => {
    for (let made = 0; made < 99; made++) await make();
    await api.pool.query(
      `update schedules set next_check_at = next_check_at - interval '1 second'
        where id = (select min(id::text)::uuid from schedules)`,
    );
    await spoil(garbage['an unknown time zone']);
    await api.passTime(60_000);
    const { fired, broken } = await recur();
    expect(fired).toHaveLength(99);
    expect(broken).toMatchObject([{ cause: containing('recurrence.zone') }]);
    expect(await recur()).toMatchObject({ fired: [], broken: [], examined: 0 });
  });

  it.each(Object.entries(garbage))('can be shown, listed and disabled: %s', async (_, assignment) => {
    await spoil(assignment);
    await make();
    await api.passTime(60_000);
    expect(await recur()).toMatchObject({ fired: [{}], broken: [{}] });
    expect(await displayed()).toMatchObject({ state: 'broken', stateReason: containing(''), nextAt: null });
    expect(await listed('?state=broken')).toHaveLength(1);
    expect(await listed('')).toHaveLength(2);
    expect((await api.ask('POST', `${url}/disable`)).json()).toMatchObject({ state: 'disabled' });
    expect((await api.ask('DELETE', url)).statusCode).toBe(204);
    expect((await api.ask('GET', url)).statusCode).toBe(404);
  });

  it.each(Object.entries(garbage))('can be disabled before a scheduler has read it: %s', async (_, assignment) => {
    await spoil(assignment);
    await api.passTime(60_000);
    expect((await api.ask('POST', `${url}/disable`)).json()).toMatchObject({ state: 'disabled' });
  });

  it.each(Object.entries(garbage))(
    'becomes active again after a change of the unreadable fields: %s',
    async (_, assignment) => {
      await spoil(assignment);
      await api.passTime(60_000);
      await recur();
      const { cron, zone, target } = wanted;
      const again = {
        from: null,
        until: null,
        misfire: null,
        catchUpSeconds: null,
        overlap: null,
        spreadSeconds: null,
      };
      const patch = {
        cron,
        zone,
        target,
        everySeconds: null,
        workCalendar: null,
        onDayOff: null,
        groups: null,
        note: 'mended',
        ...again,
      };
      const patched = await api.ask('PATCH', url, patch);
      expect(patched.json()).toMatchObject({ state: 'active', stateReason: null, unreadable: null, cron, zone });
      expect(await recur()).toMatchObject({ fired: [], skipped: [{ cause: 'broken', count: 1 }], broken: [] });
      await api.passTime(60_000);
      expect((await recur()).fired).toHaveLength(1);
    },
  );

  it('is shown with its readable fields and the cause of the error', async () => {
    await spoil(garbage['an unknown time zone']);
    expect(await displayed()).toMatchObject({
      name: 'each minute',
      cron: '* * * * *',
      zone: null,
      misfire: 'fire-once',
      target: { url: 'https://shop.example/call' },
      unreadable: { cause: 'recurrence.zone: has to be an IANA time zone such as Asia/Singapore' },
    });
  });

  it('refuses a change that leaves the unreadable field, and accepts one that replaces the field', async () => {
    await spoil(garbage['an unknown time zone']);
    const refused = await api.ask('PATCH', url, { note: 'what is it?' });
    expect(refused.statusCode).toBe(422);
    expect(problem.parse(refused.json()).errors).toMatchObject([{ pointer: '/zone', code: 'unreadable' }]);
    expect((await api.ask('PATCH', url, { note: 'UTC it is', zone: null })).json()).toMatchObject({ zone: 'UTC' });
  });

  it('refuses a manual run and a preview with the reason', async () => {
    await spoil(garbage['neither an expression nor an interval']);
    for (const requested of [api.ask('POST', `${url}/run-now`, {}), api.ask('GET', `${url}/preview`)]) {
      expect((await requested).json()).toMatchObject({ status: 409, code: 'unreadable-schedule' });
    }
  });

  it('is found within a minute although it is not due, and becomes active once it is readable', async () => {
    const good = await api.pool.query<{ definition: object }>('select definition from schedules');
    await spoil(garbage['an unknown time zone']);
    expect(await rearm()).toMatchObject({ broken: [{}], brokenNow: 1, readable: [] });
    expect(await rearm()).toMatchObject({ broken: [], brokenNow: 1, readable: [] });
    await api.pool.query('update schedules set definition = $1', [JSON.stringify(good.rows[0]?.definition)]);
    expect(await rearm()).toMatchObject({ repaired: 0, broken: [], brokenNow: 0, readable: [containing('')] });
    expect(await displayed()).toMatchObject({ state: 'active', stateReason: null });
    await api.passTime(60_000);
    expect((await recur()).fired).toHaveLength(1);
  });

  it('does not block buffered occurrences of another schedule', async () => {
    const other = await make();
    await api.ask('PATCH', url, { overlap: 'buffer-one' });
    await api.ask('PATCH', other, { overlap: 'buffer-one' });
    for (let minute = 0; minute < 2; minute++) {
      await api.passTime(60_000);
      await recur();
    }
    await api.pool.query('delete from jobs');
    await spoil(garbage['headers that are not JSON']);
    const due = createDueSchedules({ pool: api.pool, quotas: usualQuotas });
    expect(await due.fireBuffered(node, 100)).toMatchObject({ fired: [{}], broken: [{}] });
  });
});
