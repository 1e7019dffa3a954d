import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  createdNotification,
  notificationDelivery,
  maxNotifications,
  notificationShape,
} from '../../shared/contracts/notifications/notifications.ts';
import { clientShape } from '../../shared/contracts/jobs/clients.ts';
import { issuedApiKey } from '../../shared/contracts/access/api-keys.ts';
import { clientKeyContext } from '../../shared/domain/job/job-ids.ts';
import { publicId, uuidOf } from '../../shared/domain/ids/ids.ts';
import { createSecretBox } from '../../shared/runtime/configuration/secret-box.ts';
import { openUrl } from '../../shared/runtime/installation/call-secrets.ts';
import { authorized } from '../support/api-deps.ts';
import { apiOnPostgres } from '../support/api-on-postgres.ts';
import { teamsOn } from '../support/teams-on-postgres.ts';
import { createNotificationEvents } from '../../services/scheduler/postgres/notification-events.ts';
import { deliveriesFor } from '../../services/scheduler/notifications/notifier.ts';
import { createApi } from '../../services/api/api.ts';
import { pageShape } from '../../services/api/frame/pages.contract.ts';
import { problem } from '../../services/api/frame/problems.contract.ts';

const on = apiOnPostgres();
const { askAs, makeManager, makeLead } = teamsOn(on);
const url = 'https://hooks.example.com/services/T0/B0/secret?token=1';
const body = { url, events: ['run.ended'] };

async function made(fields: object = {}) {
  const answer = await on.ask('POST', '/v1/notifications', { ...body, ...fields });
  expect(answer.statusCode, answer.body).toBe(201);
  return createdNotification.parse(answer.json());
}

const read = async (id: string) => notificationShape.parse((await on.ask('GET', `/v1/notifications/${id}`)).json());
const uuid = (id: string) => uuidOf('notification', id) ?? '';
const errorsOf = (answer: { json: () => unknown }) =>
  problem.parse(answer.json()).errors.map(({ code, pointer }) => `${code} ${pointer}`);
const deliver = () =>
  createNotificationEvents({ pool: on.pool }).deliver(100, (some, notifications) =>
    deliveriesFor(some, notifications, { base: '', nowMs: 0 }),
  );

describe('a notification', () => {
  it('shows its URL without the secret path, shows its secret once, and stores both encrypted', async () => {
    const { notification, secret } = await made({ name: 'Bot', tags: ['payday'], owners: ['growth'] });
    expect(notification).toMatchObject({
      url: 'https://hooks.example.com/[sealed]',
      name: 'Bot',
      tags: ['payday'],
      owners: ['growth'],
      campaigns: null,
      enabled: true,
      waiting: 0,
      dead: 0,
      lastSent: null,
    });
    expect(await read(notification.id)).toEqual(notification);
    const [row] = await on.rowsOf('notifications');
    const stored = z.string().parse(row?.['url']);
    expect(stored).not.toContain('services');
    expect(openUrl(stored, uuid(notification.id), on.deps.secretBox)).toBe(url);
    const [key] = await on.rowsOf('client_endpoint_secrets');
    const sealed = z.string().parse(key?.['sealed']);
    const context = clientKeyContext(uuid(notification.id), z.string().parse(key?.['id']));
    expect(on.deps.secretBox.open(sealed, context)).toBe(secret);
    expect(JSON.stringify((await on.ask('GET', '/v1/notifications')).json())).not.toContain(secret?.slice(6));
  });

  it('is refused with all its problems, and if its URL is not allowed', async () => {
    const answer = await on.ask('POST', '/v1/notifications', {
      url: 'ftp://x',
      events: ['run.begun'],
      campaigns: ['x'],
      tags: ['A'],
    });
    expect(answer.statusCode).toBe(422);
    expect(new Set(errorsOf(answer).map((error) => error.split(' ')[1]))).toEqual(
      new Set(['/url', '/events/0', '/campaigns/0', '/tags/0']),
    );
    const inside = await on.ask('POST', '/v1/notifications', { ...body, url: 'http://169.254.169.254/latest' });
    expect([inside.statusCode, errorsOf(inside)]).toEqual([422, ['forbidden-address /url']]);
    expect(await on.rowsOf('clients')).toEqual([]);
  });

  it('can send to an e-mail address of an allowed domain, without a secret', async () => {
    const { notification, secret } = await made({ url: 'mailto:team@example.com' });
    expect([notification.url, secret]).toEqual(['mailto:team@example.com', null]);
    expect(await on.rowsOf('client_endpoint_secrets')).toEqual([]);
    const elsewhere = await on.ask('POST', '/v1/notifications', { ...body, url: 'mailto:team@elsewhere.test' });
    expect([elsewhere.statusCode, errorsOf(elsewhere)]).toEqual([422, ['forbidden-address /url']]);
    const several = await on.ask('POST', '/v1/notifications', {
      ...body,
      url: 'mailto:a@example.com,b@elsewhere.test',
    });
    expect([several.statusCode, errorsOf(several)]).toEqual([422, ['invalid-url /url']]);
    const called = await on.ask('PATCH', `/v1/notifications/${notification.id}`, { url });
    expect([called.statusCode, errorsOf(called)]).toEqual([422, ['kind-mismatch /url']]);
    expect((await on.ask('POST', `/v1/notifications/${notification.id}/rotate`, {})).json()).toMatchObject({
      code: 'no-secret',
    });
    const without = await createApi({ ...on.deps, mail: undefined });
    const refused = await without.server.inject({
      method: 'POST',
      url: '/v1/notifications',
      headers: authorized,
      payload: { ...body, url: 'mailto:team@example.com' },
    });
    expect([refused.statusCode, refused.json()]).toMatchObject([409, { code: 'no-email' }]);
    await without.close();
  });

  it('posts to a chat channel without a secret, and its kind cannot be changed', async () => {
    const { notification, secret } = await made({ kind: 'slack' });
    expect([notification.kind, notification.url, secret]).toEqual([
      'slack',
      'https://hooks.example.com/[sealed]',
      null,
    ]);
    expect(await on.rowsOf('client_endpoint_secrets')).toEqual([]);
    expect((await on.ask('POST', `/v1/notifications/${notification.id}/rotate`, {})).json()).toMatchObject({
      code: 'no-secret',
    });
    const changed = await on.ask('PATCH', `/v1/notifications/${notification.id}`, {
      name: 'Growth',
      url: `${url}&b=2`,
    });
    expect(notificationShape.parse(changed.json())).toMatchObject({ name: 'Growth', kind: 'slack' });
    const other = await on.ask('PATCH', `/v1/notifications/${notification.id}`, { kind: 'teams' });
    expect(other.statusCode).toBe(422);
    const mail = await on.ask('POST', '/v1/notifications', {
      ...body,
      url: 'mailto:team@example.com',
      kind: 'teams',
    });
    expect([mail.statusCode, errorsOf(mail)]).toEqual([422, ['kind-mismatch /url']]);
    const noMail = await on.ask('POST', '/v1/notifications', { ...body, url, kind: 'email' });
    expect([noMail.statusCode, errorsOf(noMail)]).toEqual([422, ['kind-mismatch /url']]);
    expect(noMail.body).not.toContain(new URL(url).pathname);
    const unknown = await on.ask('POST', '/v1/notifications', { ...body, kind: 'irc' });
    expect([unknown.statusCode, errorsOf(unknown)]).toEqual([422, ['invalid-value /kind']]);
  });

  it('is refused if no secrets key is configured', async () => {
    const bare = await createApi({ ...on.deps, secretBox: createSecretBox([]) });
    const answer = await bare.server.inject({
      method: 'POST',
      url: '/v1/notifications',
      headers: authorized,
      payload: body,
    });
    expect([answer.statusCode, problem.parse(answer.json()).code]).toEqual([409, 'secrets-not-configured']);
    await bare.close();
  });

  it('can be changed at its revision, disabled and given another secret', async () => {
    const { notification, secret } = await made();
    const headers = { ...authorized, 'if-match': `"${notification.revision}"` };
    const change = (payload: object) =>
      on.api.server.inject({ method: 'PATCH', url: `/v1/notifications/${notification.id}`, headers, payload });
    const changed = notificationShape.parse((await change({ events: ['run.paused'], enabled: false })).json());
    expect(changed).toMatchObject({ events: ['run.paused'], enabled: false, url: notification.url });
    expect(changed.revision).toBeGreaterThan(notification.revision);
    expect((await change({ enabled: true })).statusCode).toBe(412);
    const rotated = await on.ask('POST', `/v1/notifications/${notification.id}/rotate`, { overlapSeconds: 60 });
    expect(createdNotification.parse(rotated.json()).secret).not.toBe(secret);
    const keys = await on.rowsOf('client_endpoint_secrets');
    expect(keys.map(({ expires_at }) => expires_at !== null).toSorted()).toEqual([false, true]);
  });

  it('is not listed as a client, and its client sends only its messages', async () => {
    const { notification } = await made();
    const listed = pageShape(clientShape).parse((await on.ask('GET', '/v1/clients')).json());
    expect(listed.items).toEqual([]);
    const clientId = notification.client;
    expect((await on.ask('GET', `/v1/clients/${clientId}`)).statusCode).toBe(404);
    expect((await on.ask('DELETE', `/v1/clients/${clientId}`)).statusCode).toBe(404);
    expect((await on.ask('PATCH', `/v1/clients/${clientId}`, { timeoutMs: 100 })).statusCode).toBe(404);
    for (const client of [clientId, `notification:${notification.id}`]) {
      const job = { client, url: 'https://hooks.example.com/', body: { type: 'run.completed' } };
      expect((await on.ask('POST', '/v1/jobs', job)).statusCode).toBe(422);
    }
    expect(await on.rowsOf('jobs')).toEqual([]);
  });

  it('sends nothing after its deletion, and its client is deleted once it has no stored jobs', async () => {
    const { notification } = await made();
    await on.ask('POST', `/v1/notifications/${notification.id}/test`);
    expect(await deliver()).toMatchObject({ calls: 1 });
    expect((await on.ask('DELETE', `/v1/notifications/${notification.id}`)).statusCode).toBe(204);
    expect((await on.ask('DELETE', `/v1/notifications/${notification.id}`)).statusCode).toBe(204);
    expect((await on.ask('GET', `/v1/notifications/${notification.id}`)).statusCode).toBe(404);
    expect((await on.rowsOf('client_endpoints')).map(({ enabled }) => enabled)).toEqual([false]);
    expect((await on.rowsOf('job_changes')).map(({ verb }) => verb)).toEqual(['cancel']);

    await on.pool.query('delete from jobs');
    await on.pool.query('update client_totals set cancelled = accepted');
    await on.passTime(10_000);
    await made();
    expect(await on.rowsOf('clients')).toHaveLength(1);
  });

  it('is refused beyond the maximum number of notifications', async () => {
    const { notification } = await made();
    await on.pool.query(
      `with c as (insert into clients (id, name, definition)
        select uuidv7(), 'notification:' || n, '{}' from generate_series(2, $1::int) n returning id)
      insert into notifications (id, url, definition)
      select c.id, n.url, n.definition from c, notifications n where n.id = $2`,
      [maxNotifications, uuid(notification.id)],
    );
    const answer = await on.ask('POST', '/v1/notifications', body);
    expect([answer.statusCode, problem.parse(answer.json()).code]).toEqual([409, 'too-many-notifications']);
  });
});

describe('a notification of an account', () => {
  const keyOf = async (role: string) =>
    issuedApiKey.parse((await on.ask('POST', '/v1/api-keys', { name: role, role })).json()).secret;

  const problemOf = (answer: { json: () => unknown }) => {
    const { status, code } = problem.parse(answer.json());
    return [status, code];
  };
  const keyWithScope = (role: string) => (role === 'manager' ? makeManager() : makeLead());

  it('is created by a manager, and changed by a key of the account or an unrestricted operator', async () => {
    const [mine, viewer, manager] = [await makeManager(), await keyOf('viewer'), await keyOf('manager')];
    expect((await askAs(viewer, 'POST', '/v1/notifications', body)).statusCode).toBe(403);
    const { notification } = createdNotification.parse(
      (await askAs(mine.secret, 'POST', '/v1/notifications', body)).json(),
    );
    const path = `/v1/notifications/${notification.id}`;
    expect((await askAs(mine.secret, 'PATCH', path, { enabled: false })).statusCode).toBe(200);
    expect((await askAs(viewer, 'GET', path)).statusCode).toBe(200);
    expect(problemOf(await askAs(manager, 'PATCH', path, { enabled: true }))).toEqual([403, 'not-yours']);
    expect((await on.ask('DELETE', path)).statusCode).toBe(204);
  });

  it.each(['manager', 'operator'])(
    'is neither shown to nor changed by a %s of another account with a scope',
    async (role) => {
      const { secret } = await keyWithScope(role);
      const { notification } = await made({ url: 'https://hooks.example.com/theirs' });
      const path = `/v1/notifications/${notification.id}`;
      const requested = [
        await askAs(secret, 'GET', path),
        await askAs(secret, 'GET', `${path}/deliveries`),
        await askAs(secret, 'PATCH', path, { url: 'https://elsewhere.example.com/' }),
        await askAs(secret, 'DELETE', path),
        await askAs(secret, 'POST', `${path}/rotate`, { overlapSeconds: 0 }),
        await askAs(secret, 'POST', `${path}/test`),
        await askAs(secret, 'POST', `${path}/replay`),
      ];
      expect(requested.map(problemOf)).toEqual(requested.map(() => [404, 'notification-not-found']));
      const list = async (by?: string) => {
        const { items } = pageShape(notificationShape).parse((await askAs(by, 'GET', '/v1/notifications')).json());
        return items.map(({ id }) => id);
      };
      expect(await list(secret)).toEqual([]);
      expect(await list()).toEqual([notification.id]);
      const { notification: ours } = createdNotification.parse(
        (await askAs(secret, 'POST', '/v1/notifications', body)).json(),
      );
      expect(await list(secret)).toEqual([ours.id]);
      expect(await read(notification.id)).toEqual(notification);
      expect(await on.rowsOf('client_endpoint_secrets')).toHaveLength(2);
    },
  );

  it('reports only expiring keys if its key has no campaigns', async () => {
    expect((await on.ask('POST', '/v1/clients', { name: 'shop' })).statusCode).toBe(201);
    const scope = { clients: ['shop'], countries: [], actionTypes: [] };
    const key = await on.ask('POST', '/v1/api-keys', { name: 'shop team', role: 'manager', scope });
    const { secret } = issuedApiKey.parse(key.json());
    for (const events of [['run.ended'], ['key.ending', 'run.ended']])
      expect(problemOf(await askAs(secret, 'POST', '/v1/notifications', { url, events }))).toEqual([
        403,
        'out-of-scope',
      ]);
    const answer = await askAs(secret, 'POST', '/v1/notifications', { url, events: ['key.ending'] });
    expect(answer.statusCode, answer.body).toBe(201);
    const path = `/v1/notifications/${createdNotification.parse(answer.json()).notification.id}`;
    expect((await askAs(secret, 'PATCH', path, { name: 'Keys' })).statusCode).toBe(200);
    const wider = await askAs(secret, 'PATCH', path, { events: ['key.ending', 'run.started'] });
    expect(problemOf(wider)).toEqual([403, 'out-of-scope']);
    expect((await askAs(undefined, 'GET', path)).json()).toMatchObject({ events: ['key.ending'], name: 'Keys' });
  });

  it.each(['manager', 'operator'])('cannot be allowed to call private addresses by a %s with a scope', async (role) => {
    const { secret } = await keyWithScope(role);
    const inside = { url: 'http://127.0.0.1:9/x', egress: { allow: [{ cidr: '127.0.0.0/8' }] } };
    expect((await askAs(secret, 'POST', '/v1/notifications', { ...body, ...inside })).statusCode).toBe(403);
    const { notification } = createdNotification.parse((await askAs(secret, 'POST', '/v1/notifications', body)).json());
    expect((await askAs(secret, 'PATCH', `/v1/notifications/${notification.id}`, inside)).statusCode).toBe(403);
    expect((await read(notification.id)).egress).toEqual({ allow: [] });
    expect((await on.ask('POST', '/v1/notifications', { ...body, ...inside })).statusCode).toBe(201);
  });
});

describe('the deliveries of a notification', () => {
  const deliveries = async (id: string, query = '') =>
    pageShape(notificationDelivery).parse((await on.ask('GET', `/v1/notifications/${id}/deliveries${query}`)).json());

  it('can be tested, are listed with their outcome and are replayed under the same id', async () => {
    const { notification } = await made();
    const tested = await on.ask('POST', `/v1/notifications/${notification.id}/test`);
    expect(tested.statusCode).toBe(202);
    const { id } = z.object({ id: z.string() }).parse(tested.json());
    await deliver();
    expect(await read(notification.id)).toMatchObject({ waiting: 1, dead: 0, lastSent: null });
    const [job] = await on.rowsOf('jobs');
    expect(publicId('job', z.string().parse(job?.['id']))).toBe(id);

    await on.pool.query(
      `with j as (delete from jobs returning *),
        d as (insert into dead_jobs (id, client, cause, job) select id, client, 'http-500', jsonb_build_object(
          'scheduledFor', scheduled_for, 'acceptedAt', accepted_at, 'attempt', 12, 'method', method, 'url', url,
          'headers', headers, 'body', body, 'tags', to_jsonb(tags), 'key', key) from j),
        t as (update client_totals set dead = 1)
      insert into ended_jobs (id, client, ended_at, accepted_at, scheduled_for, outcome, attempt, status, error, method,
        url, tags)
      select id, client, now(), accepted_at, scheduled_for, 'dead', 12, 500, 'http-500', method, url, tags from j`,
    );
    expect(await read(notification.id)).toMatchObject({ waiting: 0, dead: 1 });
    expect((await deliveries(notification.id, '?state=dead')).items).toMatchObject([
      { id, event: 'notification.test', state: 'dead', attempts: 12, status: 500, cause: 'http-500' },
    ]);
    const again = await on.ask('POST', `/v1/notifications/${notification.id}/replay`);
    expect(again.json()).toEqual({ items: 1, expired: 0 });
    expect((await on.rowsOf('jobs')).map((each) => each['id'])).toEqual([job?.['id']]);
    expect((await deliveries(notification.id)).items).toEqual([]);
  });

  it('are listed page by page, newest first', async () => {
    const { notification } = await made();
    await on.pool.query(
      `insert into ended_jobs (id, client, ended_at, accepted_at, scheduled_for, outcome, attempt, status, method, url,
        tags)
      select uuidv7(), $1, now() - n * interval '1 second', now(), now(), 'called', n, 204, 'POST', 'x', '{run.started}'
      from generate_series(1, 5) n`,
      [uuid(notification.id)],
    );
    const first = await deliveries(notification.id, '?limit=3');
    const rest = await deliveries(notification.id, `?limit=3&cursor=${first.next ?? ''}`);
    expect([...first.items, ...rest.items].map(({ attempts }) => attempts)).toEqual([1, 2, 3, 4, 5]);
    expect(rest.next).toBeNull();
    expect((await read(notification.id)).lastSent).toMatchObject({ event: 'run.started', status: 204 });
    expect((await on.ask('GET', `/v1/notifications/${notification.id}/deliveries?cursor=x`)).statusCode).toBe(422);
  });
});
