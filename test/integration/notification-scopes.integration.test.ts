import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createNotificationEvents } from '../../services/scheduler/postgres/notification-events.ts';
import { stalledForMs, deliveriesFor } from '../../services/scheduler/notifications/notifier.ts';
import { issuedApiKey } from '../../shared/contracts/access/api-keys.ts';
import { campaign } from '../../shared/contracts/campaigns/campaigns.ts';
import { notificationMessage } from '../../shared/contracts/notifications/messages.ts';
import { createdNotification, notificationDelivery } from '../../shared/contracts/notifications/notifications.ts';
import { publicId, uuidOf } from '../../shared/domain/ids/ids.ts';
import { pageShape } from '../../services/api/frame/pages.contract.ts';
import { problem } from '../../services/api/frame/problems.contract.ts';
import { someCampaign } from '../support/api-deps.ts';
import { apiOnPostgres } from '../support/api-on-postgres.ts';
import { inSg, teamsOn } from '../support/teams-on-postgres.ts';

const on = apiOnPostgres();
const { askAs, makeKey, makeLead } = teamsOn(on);
const hook = { url: 'https://hooks.example.com/', events: ['campaign.scheduled', 'key.ending'] };

let lead: { id: string; secret: string };
beforeEach(async () => {
  lead = await makeLead();
});

async function notificationOf(secret: string | undefined): Promise<string> {
  const answer = await askAs(secret, 'POST', '/v1/notifications', hook);
  expect(answer.statusCode, answer.body).toBe(201);
  return createdNotification.parse(answer.json()).notification.id;
}

async function schedule(definition: object): Promise<string> {
  const made = campaign.parse((await on.ask('POST', '/v1/campaigns', definition)).json());
  expect((await on.ask('POST', `/v1/campaigns/${made.id}/start`)).statusCode).toBe(200);
  return made.name;
}

/** Returns the texts of messages that a scheduler made for this notification. */
async function textsTo(id: string): Promise<string[]> {
  const events = createNotificationEvents({ pool: on.pool });
  await events.recordConditions(stalledForMs);
  await events.deliver(100, (some, notifications) =>
    deliveriesFor(some, notifications, { base: '', nowMs: on.deps.clock.nowMs() }),
  );
  const { rows } = await on.pool.query<{ body: string }>('select body from jobs where client = $1 order by id', [
    uuidOf('notification', id),
  ]);
  return rows.map(({ body }) => notificationMessage.parse(JSON.parse(body)).data.text);
}

describe('a notification of an account with a scope', () => {
  it('reports only campaigns in its scope, and lists only their deliveries', async () => {
    const [theirs, ours] = [await notificationOf(lead.secret), await notificationOf(undefined)];
    await schedule({ ...inSg, name: 'In Singapore' });
    await schedule({ ...someCampaign, name: 'Elsewhere', countries: ['ID'] });
    const texts = await textsTo(theirs);
    expect(texts).toHaveLength(1);
    expect(texts[0]).toContain('In Singapore');
    expect(await textsTo(ours)).toHaveLength(2);
    const answer = await askAs(lead.secret, 'GET', `/v1/notifications/${theirs}/deliveries`);
    expect(pageShape(notificationDelivery).parse(answer.json()).items.length).toBeLessThanOrEqual(1);
    expect(answer.body).not.toContain('Elsewhere');
  });

  it('reports only keys of its account', async () => {
    const [theirs, ours] = [await notificationOf(lead.secret), await notificationOf(undefined)];
    const keyBy = async (secret: string | undefined, name: string) => {
      const scope = { clients: [], countries: ['SG'], actionTypes: null };
      const answer = await askAs(secret, 'POST', '/v1/api-keys', { name, role: 'viewer', scope });
      return uuidOf('apiKey', issuedApiKey.parse(answer.json()).key.id);
    };
    const ids = [await keyBy(lead.secret, 'own key'), await keyBy(undefined, 'other key')];
    await on.pool.query(
      `update api_keys set created_at = now() - interval '1 year', expires_at = now() + interval '2 days'
       where id = any($1::uuid[])`,
      [ids],
    );
    expect(await textsTo(theirs)).toEqual(['The key "own key" ends in 2 days']);
    expect((await textsTo(ours)).toSorted()).toEqual([
      'The key "other key" ends in 2 days',
      'The key "own key" ends in 2 days',
    ]);
  });
});

describe('a notification of an account whose keys have several scopes', () => {
  const scopeOf = (...countries: string[]) => ({ clients: null, countries, actionTypes: null });
  const inId = { ...someCampaign, name: 'In Indonesia', countries: ['ID'] };
  let wide: { id: string; secret: string };
  let narrow: { id: string; secret: string };

  beforeEach(async () => {
    wide = await makeKey({ name: 'wide', role: 'operator', scope: scopeOf('SG', 'ID') });
    narrow = await makeKey({ name: 'narrow', role: 'manager', scope: scopeOf('SG') }, wide.secret);
  });

  async function scheduleBoth(): Promise<void> {
    await schedule({ ...inSg, name: 'In Singapore' });
    await schedule(inId);
  }

  const countriesTo = async (id: string) =>
    (await textsTo(id)).map((text) => (text.includes('In Singapore') ? 'SG' : 'ID')).toSorted();

  const statusAndCode = (answer: { statusCode: number; json: () => unknown }) => [
    answer.statusCode,
    problem.parse(answer.json()).code,
  ];

  it('sends only events in the scope of the key that set its URL, even if another key of the account is wider', async () => {
    const [ofNarrow, ofWide] = [await notificationOf(narrow.secret), await notificationOf(wide.secret)];
    await scheduleBoth();
    expect(await countriesTo(ofNarrow)).toEqual(['SG']);
    expect(await countriesTo(ofWide)).toEqual(['ID', 'SG']);

    const widened = { scope: { clients: null, countries: null, actionTypes: null } };
    expect((await on.ask('PATCH', `/v1/api-keys/${wide.id}`, widened)).statusCode).toBe(200);
    await scheduleBoth();
    expect(await countriesTo(ofNarrow)).toEqual(['SG', 'SG']);
    expect(await countriesTo(ofWide)).toEqual(['ID', 'ID', 'SG', 'SG']);
  });

  it('keeps the stored scope of the key that set its URL after that key is revoked', async () => {
    const notification = await notificationOf(narrow.secret);
    expect((await on.ask('DELETE', `/v1/api-keys/${narrow.id}`)).statusCode).toBe(200);
    await scheduleBoth();
    expect(await countriesTo(notification)).toEqual(['SG']);
  });

  it('cannot be changed, rotated, tested or deleted by a key with a narrower scope than its creator', async () => {
    const path = `/v1/notifications/${await notificationOf(wide.secret)}`;
    const refused = [
      await askAs(narrow.secret, 'PATCH', path, { url: 'https://elsewhere.example.com/' }),
      await askAs(narrow.secret, 'PATCH', path, { events: ['run.ended'] }),
      await askAs(narrow.secret, 'POST', `${path}/rotate`, { overlapSeconds: 0 }),
      await askAs(narrow.secret, 'POST', `${path}/test`),
      await askAs(narrow.secret, 'POST', `${path}/replay`),
      await askAs(narrow.secret, 'DELETE', path),
    ];
    expect(refused.map(statusAndCode)).toEqual(refused.map(() => [403, 'out-of-scope']));
    expect((await askAs(narrow.secret, 'GET', path)).statusCode).toBe(200);
    expect((await askAs(wide.secret, 'POST', `${path}/rotate`, { overlapSeconds: 0 })).statusCode).toBe(201);
    expect((await on.ask('DELETE', path)).statusCode).toBe(204);
  });

  it('keeps its scope when a wider key changes its events, and gets the scope of the key that sets its URL', async () => {
    const id = await notificationOf(narrow.secret);
    const change = async (secret: string | undefined, body: object) =>
      (await askAs(secret, 'PATCH', `/v1/notifications/${id}`, body)).statusCode;
    expect(await change(wide.secret, { events: ['campaign.scheduled'] })).toBe(200);
    await scheduleBoth();
    expect(await countriesTo(id)).toEqual(['SG']);
    expect(await change(narrow.secret, { name: 'Bot' })).toBe(200);

    expect(await change(wide.secret, { url: 'https://wide.example.com/' })).toBe(200);
    expect(await change(narrow.secret, { name: 'Bot' })).toBe(403);
    await scheduleBoth();
    expect(await countriesTo(id)).toEqual(['ID', 'SG', 'SG']);
  });

  it('stays with its account when an unrestricted operator sets its URL', async () => {
    const id = await notificationOf(narrow.secret);
    const url = { url: 'https://operator.example.com/' };
    expect((await on.ask('PATCH', `/v1/notifications/${id}`, url)).statusCode).toBe(200);
    const { rows } = await on.pool.query<{ key: string }>('select url_set_by as key from notifications where id = $1', [
      uuidOf('notification', id),
    ]);
    expect(rows.map(({ key }) => key)).not.toContain(uuidOf('apiKey', narrow.id));
    expect((await askAs(narrow.secret, 'DELETE', `/v1/notifications/${id}`)).statusCode).toBe(403);
    expect((await askAs(wide.secret, 'DELETE', `/v1/notifications/${id}`)).statusCode).toBe(204);
  });
});

describe('the client of a notification', () => {
  it('exists after the notification is deleted as long as it has dead deliveries', async () => {
    const notification = uuidOf('notification', await notificationOf(lead.secret));
    await on.pool.query(
      `insert into dead_jobs (id, client, cause, job) values (uuidv7(), $1, 'status 500', '{"body": ""}')`,
      [notification],
    );
    const idsOfClients = async () => (await on.rowsOf('clients')).map(({ id }) => id);
    await on.pool.query('update notifications set deleted_at = now()');
    await on.pool.query('update client_endpoints set enabled = false');
    await on.pool.query(`update clients set updated_at = now() - interval '1 minute'`);
    await notificationOf(lead.secret);
    expect(await idsOfClients()).toContain(notification);
    await on.pool.query('delete from dead_jobs');
    await notificationOf(lead.secret);
    expect(await idsOfClients()).not.toContain(notification);
  });

  it('hides its jobs from a key whose scope excludes the messages', async () => {
    const keyFor = (countries: string[], by?: string) =>
      makeKey({ name: 'wide', role: 'operator', scope: { clients: null, countries, actionTypes: null } }, by);
    const [wide, other] = [await keyFor(['SG', 'ID']), await keyFor(['SG', 'ID'])];
    const narrow = await keyFor(['SG'], wide.secret);
    const notification = await notificationOf(wide.secret);
    await schedule({ ...someCampaign, name: 'Elsewhere', countries: ['ID'] });
    expect(await textsTo(notification)).toHaveLength(1);
    const [row] = await on.rowsOf('jobs');
    const path = `/v1/jobs/${publicId('job', z.string().parse(row?.['id']))}`;
    const read = async (secret: string | undefined) => {
      const { statusCode, body } = await askAs(secret, 'GET', path);
      return [statusCode, body.includes('Elsewhere')];
    };
    expect(await read(narrow.secret)).toEqual([403, false]);
    expect(await read(other.secret)).toEqual([404, false]);
    expect(await read(wide.secret)).toEqual([200, true]);
    expect(await read(undefined)).toEqual([200, true]);
    expect((await askAs(wide.secret, 'DELETE', `/v1/notifications/${notification}`)).statusCode).toBe(204);
    expect(await read(other.secret)).toEqual([404, false]);
  });

  it('cannot be given keys or credentials by the routes of clients', async () => {
    const { notification } = createdNotification.parse((await on.ask('POST', '/v1/notifications', hook)).json());
    const nobody = await makeKey({
      name: 'of nothing',
      role: 'operator',
      scope: { clients: [], countries: [], actionTypes: [] },
    });
    const auth = { kind: 'bearer', token: 'a-token-of-theirs', origins: ['https://hooks.example.com'] };
    for (const secret of [nobody.secret, undefined]) {
      const path = `/v1/clients/${notification.client}/endpoints/default`;
      const requested = [
        await askAs(secret, 'POST', `${path}/keys`, {}),
        await askAs(secret, 'DELETE', `${path}/keys/csk_01kd6k1m3gf3bvdt20s1dpfvr4`),
        await askAs(secret, 'PUT', `${path}/auth`, auth),
        await askAs(secret, 'DELETE', `${path}/auth`),
      ];
      expect(requested.map((answer) => problem.parse(answer.json()).code)).toEqual(
        requested.map(() => 'client-not-found'),
      );
    }
    expect(await on.rowsOf('client_endpoint_secrets')).toHaveLength(1);
  });
});
