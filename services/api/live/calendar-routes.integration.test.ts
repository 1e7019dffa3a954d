import { expect, it } from 'vitest';
import { calendar } from '../../../shared/contracts/campaigns/calendar.ts';
import { authorized, someCampaign } from '../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import type { RunSeed } from '../../../test/support/conformance/run-rows.ts';
import { uuidOf } from '../../../shared/domain/ids/ids.ts';

const on = apiOnPostgres();
const dayMs = 86_400_000;

async function read(query: string) {
  return on.api.server.inject({ method: 'GET', url: `/v1/campaigns/calendar?${query}`, headers: authorized });
}

async function create(changes: object): Promise<string> {
  const payload = { ...someCampaign, ...changes };
  const created = await on.api.server.inject({ method: 'POST', url: '/v1/campaigns', headers: authorized, payload });
  return String(created.headers.location).split('/').at(-1) ?? '';
}

it('the calendar lists past, scheduled and recurring starts of a period, and no others', async () => {
  const at = (days: number) => new Date(on.deps.clock.nowMs() + days * dayMs).toISOString();
  const planned = await create({ name: 'planned', schedule: { type: 'at', time: at(2) } });
  const far = await create({ name: 'far', schedule: { type: 'at', time: at(20) } });
  const daily = await create({ name: 'daily', schedule: { type: 'recurring', everySeconds: 86_400, zone: 'UTC' } });
  const ran = await create({ name: 'ran' });
  await create({ name: 'draft' });
  for (const id of [planned, far, daily])
    expect((await on.ask('POST', `/v1/campaigns/${id}/start`)).statusCode).toBe(200);
  const { rows } = on.deps;
  const campaignId = uuidOf('campaign', ran) ?? '';
  const seed = { campaignId, revision: 1, state: 'completed' as const };
  await rows.addRun({ ...seed, scheduledFor: new Date(at(-1)), endedAt: new Date(at(-0.9)) });
  await rows.addRun({ ...seed, scheduledFor: new Date(at(-20)), endedAt: new Date(at(-19.9)) });

  const answer = calendar.parse((await read(`from=${at(-3)}&until=${at(4)}`)).json());
  expect(answer.items.map(({ name, starts }) => [name, starts.length, starts[0]?.state])).toEqual([
    ['ran', 1, 'completed'],
    ['daily', 3, 'scheduled'],
    ['planned', 1, 'scheduled'],
  ]);
  expect(answer.isCut).toBe(false);
  const other = calendar.parse((await read(`from=${at(-3)}&until=${at(4)}&country=XX`)).json());
  expect(other.items).toEqual([]);
});

it('the calendar counts users at a cap by the newest completed dry run of the current revision', async () => {
  const at = (days: number) => new Date(on.deps.clock.nowMs() + days * dayMs);
  const id = await create({ name: 'planned', schedule: { type: 'at', time: at(2).toISOString() } });
  expect((await on.ask('POST', `/v1/campaigns/${id}/start`)).statusCode).toBe(200);
  const campaignId = uuidOf('campaign', id) ?? '';
  const query = `from=${at(-1).toISOString()}&until=${at(4).toISOString()}`;
  const atCap = async () => calendar.parse((await read(query)).json()).items.map((item) => item.atCap);
  const { rows } = on.deps;
  async function addDryRun(days: number, usersAtCap: number, changes: Partial<RunSeed> = {}): Promise<string> {
    const endedAt = at(days);
    const run = {
      campaignId,
      revision: 1,
      kind: 'dry-run',
      state: 'completed',
      scheduledFor: endedAt,
      endedAt,
    } as const;
    const feedId = await rows.addFeed(await rows.addRun({ ...run, ...changes }), { country: 'SG' });
    const failure = { step: 1, outcome: 'suppressed', detail: null } as const;
    for (let nth = 0; nth < usersAtCap; nth++)
      await rows.addFailure(feedId, { ...failure, user: `u${nth}`, reason: 'muster.cap' });
    await rows.addFailure(feedId, { ...failure, user: 'listed', reason: 'muster.suppression-list' });
    return endedAt.toISOString();
  }

  expect(await atCap()).toEqual([null]);
  await addDryRun(-9, 5);
  await addDryRun(-0.5, 4, { revision: 2 });
  await addDryRun(-0.4, 4, { state: 'cancelled' });
  await addDryRun(-0.3, 4, { kind: 'live' });
  expect(await atCap()).toEqual([null]);
  await addDryRun(-2, 1);
  const newest = await addDryRun(-1, 3);
  expect(await atCap()).toEqual([{ users: 3, at: newest }]);
});

it('the calendar refuses a period that ends before it begins, or is longer than a week and a day', async () => {
  for (const until of ['2026-11-22T00:00:00Z', '2026-12-02T00:00:00Z']) {
    const refused = await read(`from=2026-11-23T00:00:00Z&until=${until}`);
    expect([refused.statusCode, refused.json()]).toMatchObject([422, { errors: [{ pointer: '/until' }] }]);
  }
});
