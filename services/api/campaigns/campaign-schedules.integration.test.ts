import { describe, expect, it } from 'vitest';
import { authorized, someCampaign } from '../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';

const on = apiOnPostgres();

async function post(url: string, body: unknown = {}) {
  const headers = { ...authorized, 'content-type': 'application/json' };
  const response = await on.api.server.inject({
    method: 'POST',
    url: `/v1${url}`,
    headers,
    payload: JSON.stringify(body),
  });
  return response.json<Record<string, unknown>>();
}

/** Returns Vitest's `stringContaining`, whose type is `any`, with the type `unknown`. */
const containing = (text: string): unknown => expect.stringContaining(text);

const create = (schedule: object, countries = ['SG', 'ID']) =>
  post('/campaigns', { ...someCampaign, countries, schedule });
const start = async (schedule: object) => post(`/campaigns/${String((await create(schedule))['id'])}/start`);

describe('a recurring campaign', () => {
  it('shows its policies, and after the start also its schedule and the time of its next run', async () => {
    const draft = await create({ type: 'recurring', cron: '0 9 * * *', zone: 'Asia/Singapore' });
    expect(draft).toMatchObject({
      schedule: { type: 'recurring', misfire: 'fire-once', catchUpSeconds: 3600, overlap: 'skip', spreadSeconds: 0 },
      startsAt: null,
      nextRunAt: null,
      scheduleId: null,
    });
    const started = await post(`/campaigns/${String(draft['id'])}/start`);
    expect(started).toMatchObject({ state: 'scheduled', nextRunAt: '2026-01-01T01:00:00.000Z' });
    const schedule = await on.api.server.inject({
      url: `/v1/schedules/${String(started['scheduleId'])}`,
      headers: authorized,
    });
    expect(schedule.json()).toMatchObject({
      campaignId: draft['id'],
      target: null,
      cron: '0 9 * * *',
      state: 'active',
    });
    const headers = { ...authorized, 'content-type': 'application/json' };
    const patch = { method: 'PATCH', url: `/v1/schedules/${String(started['scheduleId'])}`, headers } as const;
    expect((await on.api.server.inject({ ...patch, payload: '{"note":"ours"}' })).json()).toMatchObject({
      note: 'ours',
    });
    expect((await on.api.server.inject({ ...patch, payload: '{"cron":"* * * * *"}' })).json()).toMatchObject({
      code: 'schedule-of-campaign',
    });
    const deletion = { ...patch, method: 'DELETE', headers: authorized } as const;
    expect((await on.api.server.inject(deletion)).json()).toMatchObject({ status: 409, code: 'schedule-of-campaign' });
    expect(await post(`/campaigns/${String(draft['id'])}/unschedule`)).toMatchObject({
      state: 'draft',
      scheduleId: null,
    });
  });

  it('is refused if its schedule has no occurrence, and with each problem of its recurrence', async () => {
    const over = await create({ type: 'recurring', everySeconds: 60, until: '2025-12-31T00:00:00Z' });
    expect(over['errors']).toMatchObject([{ pointer: '/schedule/until', code: 'past-time' }]);
    const wrong = await create({ type: 'recurring', cron: '0 25 * * *' });
    expect(wrong['errors']).toMatchObject([{ pointer: '/schedule/cron', detail: containing('hour has "25"') }]);
    expect((await create({ type: 'recurring' }))['errors']).toMatchObject([{ pointer: '/schedule/cron' }]);
  });
});

describe('a campaign at a local time', () => {
  it('is due as soon as the first of its countries reaches that time', async () => {
    const started = await start({ type: 'local', time: '2026-01-02T09:00:00', zones: { ID: 'Asia/Jakarta' } });
    expect(started).toMatchObject({ startsAt: '2026-01-02T01:00:00.000Z', nextRunAt: '2026-01-02T01:00:00.000Z' });
  });

  it('must name the time zone of a country with several zones, and a time in the future', async () => {
    const many = await create({ type: 'local', time: '2026-01-02T09:00:00' });
    expect(many['errors']).toMatchObject([
      { pointer: '/schedule/zones/ID', code: 'missing', detail: containing('Asia/Jakarta') },
    ]);
    const past = await create({ type: 'local', time: '2025-12-31T09:00:00' }, ['SG']);
    expect(past['errors']).toMatchObject([{ pointer: '/schedule/time', code: 'past-time' }]);
    const zoned = await create({ type: 'local', time: '2026-01-02T09:00:00Z' }, ['SG']);
    expect(zoned['errors']).toMatchObject([{ pointer: '/schedule/time' }]);
  });
});
