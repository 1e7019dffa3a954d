import { expect, it } from 'vitest';
import { createNotificationEvents } from '../../services/scheduler/postgres/notification-events.ts';
import { stalledForMs, deliveriesFor } from '../../services/scheduler/notifications/notifier.ts';
import { issuedApiKey } from '../../shared/contracts/access/api-keys.ts';
import { notificationMessage } from '../../shared/contracts/notifications/messages.ts';
import { createdNotification } from '../../shared/contracts/notifications/notifications.ts';
import { uuidOf } from '../../shared/domain/ids/ids.ts';
import { apiOnPostgres } from '../support/api-on-postgres.ts';

const on = apiOnPostgres();
const base = 'https://muster.test';
const dayMs = 86_400_000;

async function notification(fields: object = {}): Promise<string> {
  const body = { url: 'https://hooks.example.com/', events: ['key.ending'], ...fields };
  const answer = await on.ask('POST', '/v1/notifications', body);
  return uuidOf('notification', createdNotification.parse(answer.json()).notification.id) ?? '';
}

async function keyOf(name: string, owner: string | null): Promise<string> {
  const answer = await on.ask('POST', '/v1/api-keys', { name, owner, role: 'viewer' });
  return issuedApiKey.parse(answer.json()).key.id;
}

/** Changes the key as if it had been created a year ago. */
async function endsInDays(id: string, days: number): Promise<void> {
  await on.pool.query(
    `update api_keys set created_at = now() - interval '1 year', expires_at = now() + $2 * interval '1 day'
     where id = $1`,
    [uuidOf('apiKey', id), days],
  );
}

/** Texts that a scheduler delivers to this notification. */
async function textsTo(notificationId: string): Promise<string[]> {
  const events = createNotificationEvents({ pool: on.pool });
  await on.pool.query('delete from jobs');
  await events.recordConditions(stalledForMs);
  await events.deliver(100, (some, notifications) => deliveriesFor(some, notifications, { base, nowMs: Date.now() }));
  const { rows } = await on.pool.query<{ body: string }>('select body from jobs where client = $1', [notificationId]);
  return rows.map(({ body }) => notificationMessage.parse(JSON.parse(body)).data.text);
}

it('a notification reports 14 and 3 days before a key expires, and again if the expiry changes', async () => {
  const hook = await notification();
  const id = await keyOf('orders-batch', 'orders-core');
  await endsInDays(id, 15);
  expect(await textsTo(hook)).toEqual([]);
  await endsInDays(id, 13.5);
  expect(await textsTo(hook)).toEqual(['The key "orders-batch" of "orders-core" ends in 14 days']);
  expect(await textsTo(hook)).toEqual([]);
  await endsInDays(id, 2.9);
  expect(await textsTo(hook)).toEqual(['The key "orders-batch" of "orders-core" ends in 3 days']);
  expect(await textsTo(hook)).toEqual([]);
  await endsInDays(id, 12.5);
  expect(await textsTo(hook)).toEqual(['The key "orders-batch" of "orders-core" ends in 13 days']);
});

it('the message about an expiring key names the key, its owner and its expiry, and links to the keys', async () => {
  const hook = await notification();
  const id = await keyOf('nightly', null);
  await endsInDays(id, 0.5);
  await textsTo(hook);
  const { rows } = await on.pool.query<{ body: string }>('select body from jobs where client = $1', [hook]);
  const { data } = notificationMessage.parse(JSON.parse(rows[0]?.body ?? ''));
  expect(data).toMatchObject({ text: 'The key "nightly" ends in 1 day', link: `${base}/keys`, campaign: null });
  expect(data.key).toMatchObject({ id, name: 'nightly', owner: null });
  expect(Date.parse(data.key?.expiresAt ?? '') - Date.now()).toBeLessThan(dayMs / 2);
});

it('a notification with an owner reports the keys of that owner, and a notification with tags reports no keys', async () => {
  const [ours, all, tagged] = [
    await notification({ owners: ['growth'] }),
    await notification(),
    await notification({ tags: ['vip'] }),
  ];
  await endsInDays(await keyOf('a', 'growth'), 10);
  await endsInDays(await keyOf('b', 'loyalty'), 10);
  await endsInDays(await keyOf('c', null), 10);
  expect(await textsTo(ours)).toEqual(['The key "a" of "growth" ends in 10 days']);
  const { rows } = await on.pool.query<{ client: string }>('select client from jobs');
  expect(rows.filter(({ client }) => client === all)).toHaveLength(3);
  expect(rows.filter(({ client }) => client === tagged)).toEqual([]);
});

it('no notification reports a revoked or expired key, or a key created with a short life', async () => {
  const hook = await notification();
  const revoked = await keyOf('revoked', null);
  await endsInDays(revoked, 10);
  await on.ask('DELETE', `/v1/api-keys/${revoked}`);
  await endsInDays(await keyOf('ended', null), -1);
  const expiresAt = new Date(Date.now() + 5 * dayMs).toISOString();
  expect((await on.ask('POST', '/v1/api-keys', { name: 'short', role: 'viewer', expiresAt })).statusCode).toBe(201);
  expect(await textsTo(hook)).toEqual([]);
});
