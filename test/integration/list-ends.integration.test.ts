import { beforeEach, describe, expect, it } from 'vitest';
import { uploadedAudience, type UploadedAudience } from '../../shared/contracts/campaigns/uploaded-audiences.ts';
import { campaign } from '../../shared/contracts/campaigns/campaigns.ts';
import { audienceCounts, audienceList } from '../../shared/contracts/campaigns/audiences.ts';
import { uuidOf } from '../../shared/domain/ids/ids.ts';
import { deleteUnusedList } from '../../shared/postgres/audiences/delete-audience.ts';
import { noteSettings } from '../../shared/postgres/registry/service-settings.ts';
import { someCampaign, testApiKey } from '../support/api-deps.ts';
import { apiOnPostgres } from '../support/api-on-postgres.ts';
import { setClock } from '../support/postgres-clock.ts';
import { createRetentionStore } from '../../services/trigger/retain/postgres/retention.ts';

const on = apiOnPostgres();

async function upload(name: string, more = '', key = testApiKey): Promise<UploadedAudience> {
  const answer = await on.api.server.inject({
    method: 'POST',
    url: `/v1/audiences/upload?name=${name}&country=SG${more}`,
    payload: 'a\nb\n',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'text/csv' },
  });
  expect(answer.statusCode, answer.body).toBe(201);
  return uploadedAudience.parse(answer.json());
}

async function keyOf(body: object): Promise<string> {
  return (await on.ask('POST', '/v1/api-keys', body)).json<{ secret: string }>().secret;
}

const show = async ({ links }: UploadedAudience) => uploadedAudience.parse((await on.ask('GET', links.self)).json());
const named = async (query = '') => audienceList.parse((await on.ask('GET', `/v1/audiences${query}`)).json()).items;
const writeFor = async (list: string, changes: object = {}) =>
  campaign.parse(
    (await on.ask('POST', '/v1/campaigns', { ...someCampaign, audience: { include: [{ list }] }, ...changes })).json(),
  );

describe('the expiry of an uploaded list', () => {
  beforeEach(() => noteSettings(on.pool, 'trigger', { RETENTION_AUDIENCES_DAYS: 30 }));

  it('is the day on which the sweep deletes the list, in every response', async () => {
    const list = await upload('VIP');
    expect(list.expiresAt).toBe('2026-01-31T00:00:00.000Z');
    expect((await show(list)).expiresAt).toBe(list.expiresAt);
    expect((await named()).map(({ expiresAt }) => expiresAt)).toEqual([list.expiresAt]);

    const sweep = createRetentionStore({ pool: on.pool });
    const endMs = Date.parse(list.expiresAt ?? '');
    await setClock(on.pool, endMs - 1);
    expect(await sweep.deleteAudiences(30, 10)).toBe(0);
    await setClock(on.pool, endMs);
    expect(await sweep.deleteAudiences(30, 10)).toBe(1);
  });

  it('is null while the list is kept, and the sweep leaves the list', async () => {
    const list = await upload('Testers');
    const keep = (kept: boolean) => on.ask('PATCH', list.links.self, { kept });
    expect((await keep(true)).json()).toMatchObject({ kept: true, expiresAt: null });
    const sweep = createRetentionStore({ pool: on.pool });
    await setClock(on.pool, Date.parse(list.expiresAt ?? ''));
    expect(await sweep.deleteAudiences(30, 10)).toBe(0);
    // The sweep has read the old lists, and then the list is kept.
    expect(await deleteUnusedList(on.pool, uuidOf('audience', list.id) ?? '', true)).toEqual({ kind: 'not-found' });
    expect((await keep(false)).json()).toMatchObject({ kept: false, expiresAt: list.expiresAt });
    expect(await sweep.deleteAudiences(30, 10)).toBe(1);
  });

  it('is null if no trigger has reported the retention, or if lists are kept for ever', async () => {
    const list = await upload('VIP');
    await noteSettings(on.pool, 'trigger', { RETENTION_AUDIENCES_DAYS: 0 });
    expect((await show(list)).expiresAt).toBeNull();
    await on.pool.query('delete from service_settings');
    expect((await show(list)).expiresAt).toBeNull();
  });

  it('is unchanged while a draft uses the list, and null while a campaign with the list is scheduled or runs', async () => {
    const list = await upload('VIP');
    const draft = await writeFor(list.id, { schedule: { type: 'at', time: '2026-03-01T09:00:00Z' } });
    expect((await show(list)).expiresAt).toBe(list.expiresAt);
    expect((await on.ask('POST', `${draft.links.self}/start`)).statusCode).toBe(200);
    expect((await show(list)).expiresAt).toBeNull();
    expect((await named('?kind=list')).map(({ expiresAt }) => expiresAt)).toEqual([null]);

    // The run has started, and the campaign now names another list. The run still reads the first list.
    await on.pool.query('delete from run_starts');
    await on.pool.query(`insert into runs (id, campaign, revision, scheduled_for, deadline_at, state)
      select uuidv7(), id, 1, now(), now(), 'running' from campaigns`);
    await on.pool.query(`insert into revisions (campaign, revision, definition)
      select id, 2, '{"audience": {"include": [{"segment": "riders"}]}}' from campaigns`);
    await on.pool.query('update campaigns set revision = 2');
    expect((await show(list)).expiresAt).toBeNull();
    await on.pool.query(`update runs set state = 'completed', ended_at = now()`);
    expect((await show(list)).expiresAt).toBe(list.expiresAt);
  });

  it('is null while a saved audience uses the list', async () => {
    const list = await upload('VIP');
    const audience = { include: [{ segment: 'riders' }], exclude: [{ list: list.id }] };
    await on.ask('POST', '/v1/audiences', { name: 'Riders', countries: ['SG'], audience });
    expect((await show(list)).expiresAt).toBeNull();
  });
});

describe('the owner of an uploaded list', () => {
  it('is the given owner, else the owner of the API key, else the API key', async () => {
    const growth = await keyOf({ name: 'growth-ci', owner: 'growth', role: 'manager' });
    expect((await upload('a', '&owner=risk', growth)).owner).toBe('risk');
    expect((await upload('b', '', growth)).owner).toBe('growth');
    expect((await upload('c')).owner).toBe('a test');
  });

  it('filters lists and saved audiences on the server', async () => {
    const [risk] = [await upload('fraud', '&owner=risk'), await upload('riders', '&owner=growth')];
    const saved = { name: 'Riders', owner: 'risk', countries: ['SG'], audience: { include: [{ segment: 'riders' }] } };
    expect((await on.ask('POST', '/v1/audiences', saved)).statusCode).toBe(201);
    expect((await named('?owner=risk')).map(({ name }) => name).toSorted()).toEqual(['Riders', 'fraud']);
    expect((await named('?q=RISK&kind=list')).map(({ name }) => name)).toEqual(['fraud']);
    expect(await named('?owner=ris')).toEqual([]);
    expect((await named('?owner=risk&kind=list')).map(({ id }) => id)).toEqual([risk.id]);
    const counts: unknown = (await on.ask('GET', '/v1/audiences/counts?owner=risk')).json();
    expect(audienceCounts.parse(counts)).toEqual({
      all: 2,
      lists: 1,
      segments: 0,
      saved: 1,
      withRejects: 0,
      notUsed: 2,
      failed: 0,
    });
  });

  it('can be changed with the name and removed, and an empty change is refused', async () => {
    const { links } = await upload('VIP', '&owner=risk');
    const change = async (body: object) => {
      const answer = await on.ask('PATCH', links.self, body);
      const { name, owner } = answer.json<Partial<UploadedAudience>>();
      return [answer.statusCode, name, owner];
    };
    expect(await change({ owner: 'growth' })).toEqual([200, 'VIP', 'growth']);
    expect(await change({ name: 'Gold' })).toEqual([200, 'Gold', 'growth']);
    expect(await change({ owner: null })).toEqual([200, 'Gold', null]);
    expect(await change({})).toEqual([422, undefined, undefined]);
    expect(await change({ owner: ' ' })).toEqual([422, undefined, undefined]);
  });
});
