import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { notificationClientName } from '../../../shared/domain/job/notification-clients.ts';
import { clientSnapshotOf, type ClientSnapshot } from '../../../shared/runtime/installation/client-reader.ts';
import { clientOf, newClientOf } from '../../../test/support/clients.ts';
import { clientIdOf } from '../../../test/support/conformance/job-subject.ts';
import { createMemoryChangeFeed } from '../../../test/support/memory/change-feed.ts';
import { passTime, settled } from '../../../test/support/pass-time.ts';
import { createSettableClock } from '../../../test/support/settable-clock.ts';
import { notificationMessage } from '../../../shared/contracts/notifications/messages.ts';
import { notificationDefinition } from '../../../shared/contracts/notifications/notifications.ts';
import type { CampaignScope } from '../../../shared/domain/scopes.ts';
import type { NotificationBounds, NotificationEvent } from '../ports/notification-events.ts';
import { createNotifier, deliveriesFor, digestCall } from './notifier.ts';

const notificationId = clientIdOf(1);

/**
 * Creates a notifier with some clients, and records the calls of its store.
 * @param pending numbers of events that the calls of `deliver` take, one after the other
 */
function setUp(pending: number[] = []) {
  const clock = createSettableClock();
  const changes = createMemoryChangeFeed();
  const storeCalls: string[] = [];
  let snapshot: ClientSnapshot = clientSnapshotOf(1, []);
  const listeners: ((snapshot: ClientSnapshot) => void)[] = [];
  const know = (...names: string[]) => {
    const clients = names.map((name) => clientOf(newClientOf(name, { clientId: notificationId }), clock.now()));
    snapshot = clientSnapshotOf(snapshot.revision + 1, clients);
    for (const listener of listeners) listener(snapshot);
  };
  const notifier = createNotifier({
    events: {
      deliver: () => {
        storeCalls.push('deliver');
        const events = pending.shift() ?? 0;
        return Promise.resolve({ events, calls: events });
      },
      deliverDigests: () => Promise.resolve(0),
      recordConditions: () => {
        storeCalls.push('record');
        return Promise.resolve(0);
      },
    },
    clients: { current: () => snapshot, onChange: (listener) => void listeners.push(listener) },
    base: '',
    changes,
    clock,
    logger: pino({ level: 'silent' }),
  });
  notifier.start();
  return { clock, changes, storeCalls, know, notifier };
}

it('the notifier does not query while there is no notification, whatever other clients exist', async () => {
  const { clock, changes, storeCalls, know, notifier } = setUp();
  know('orders');
  changes.announce('notification-events');
  await passTime(clock, 3_600_000);
  expect(storeCalls).toEqual([]);
  know('orders', notificationClientName(notificationId));
  await settled();
  expect(storeCalls).toEqual(['record', 'deliver']);
  await notifier.stop();
});

it('the notifier takes events at once until none is left, and records conditions every ten seconds', async () => {
  const { clock, changes, storeCalls, know, notifier } = setUp([0, 100, 100, 3]);
  know(notificationClientName(notificationId));
  await passTime(clock, 0);
  storeCalls.length = 0;
  changes.announce('notification-events');
  await passTime(clock, 0);
  expect(storeCalls).toEqual(['deliver', 'deliver', 'deliver']);
  storeCalls.length = 0;
  await passTime(clock, 30_000);
  expect(storeCalls).toEqual(['record', 'deliver', 'record', 'deliver', 'record', 'deliver']);
  await notifier.stop();
});

const uuid = (number: number) => `018f0000-0000-7000-8000-${String(number).padStart(12, '0')}`;
const nowMs = Date.parse('2026-12-01T02:00:00Z');

function eventOf(kind: string, fields: Partial<NotificationEvent> = {}): NotificationEvent {
  const reach = { countries: ['SG', 'VN'], actionTypes: ['award-reward'], titles: {} };
  const campaign = { campaignId: uuid(1), name: 'Payday', owner: null, tags: [], ...reach };
  const run = { runId: uuid(2), state: 'completed', scheduledFor: new Date(nowMs), startedAt: null };
  const figures = { audience: 300, succeeded: 290, failed: 10 };
  const of = { campaign, run, figures, recurs: true, keyAccount: null, ...fields };
  return { eventId: uuid(3), kind, at: new Date(nowMs), notificationId: null, detail: {}, ...of };
}

const events = ['run.started', 'run.ended', 'key.ending'];

function notificationOf(number: number, fields: object, bounds?: NotificationBounds) {
  const definition = notificationDefinition.parse({ kind: 'webhook', events, ...fields });
  return {
    notificationId: uuid(number),
    url: 'https://hooks.example.com/',
    definition,
    createdAt: new Date(0),
    bounds,
  };
}

it('routine events of recurring campaigns wait for a digest, and all others are sent at once', () => {
  const digest = { every: 'day', at: '09:00', zone: 'Asia/Singapore' };
  const notifications = [
    notificationOf(7, { digest }),
    notificationOf(8, {}),
    notificationOf(9, { digest, tags: ['vip'] }),
  ];
  const events = [
    ...[eventOf('run.started'), eventOf('run.completed'), eventOf('run.completed'), eventOf('run.failed')],
    eventOf('run.completed', { recurs: false }),
  ];
  const { calls, digestParts } = deliveriesFor(events, notifications, { base: '', nowMs });
  const typesTo = (number: number) =>
    calls.filter(({ clientId }) => clientId === uuid(number)).map(({ tags }) => tags?.[0]);
  expect(typesTo(7)).toEqual(['run.failed', 'run.completed']);
  expect(typesTo(8)).toEqual(['run.started', 'run.completed', 'run.completed', 'run.failed', 'run.completed']);
  expect(typesTo(9)).toEqual([]);
  const sums = { runs: 2, audience: 600, succeeded: 580, failed: 20 };
  // In Singapore it is ten in the morning, so the digest is due on the next day.
  expect(digestParts).toMatchObject([{ notificationId: uuid(7), due: new Date('2026-12-02T01:00:00Z'), ...sums }]);
  expect(digestParts[0]?.lines).toHaveLength(2);
});

it('a weekly digest is due on Monday, and counts the runs beyond those that it lists', () => {
  const digest = { every: 'week', at: '09:00', zone: 'Asia/Singapore' };
  const notification = notificationOf(7, { digest });
  const events = Array.from({ length: 150 }, () => eventOf('run.completed'));
  const [row] = deliveriesFor(events, [notification], { base: '', nowMs }).digestParts;
  if (!row) throw new Error('the digest has no part');
  expect(row.due).toEqual(new Date('2026-12-07T01:00:00Z'));
  const { data } = notificationMessage.parse(
    JSON.parse(digestCall({ ...row, digestId: uuid(4) }, notification, 'https://muster.test').body ?? ''),
  );
  expect(data).toMatchObject({
    text: '150 runs of recurring campaigns completed. 43,500 of 45,000 users through the chain, 1,500 failed',
    link: 'https://muster.test/campaigns',
    digest: { runs: 150 },
  });
  expect(data.digest?.first).toHaveLength(100);
});

it('each notification receives the message in the format of its kind', () => {
  const notifications = [
    notificationOf(7, {}),
    notificationOf(8, { kind: 'slack' }),
    notificationOf(9, { kind: 'teams' }),
  ];
  const { calls } = deliveriesFor([eventOf('run.started')], notifications, { base: '', nowMs });
  const bodies = calls.map(({ body }): unknown => JSON.parse(body ?? ''));
  expect(bodies).toMatchObject([{ type: 'run.started' }, { text: 'A run of "Payday" started' }, { type: 'message' }]);
});

describe('messages to a notification whose account has a restricted scope', () => {
  const account = uuid(20);
  const everything = { countries: null, actionTypes: null };

  function isSubscribed(bounds: NotificationBounds | undefined, event: NotificationEvent): boolean {
    const digest = { every: 'day', at: '09:00', zone: 'UTC' };
    const notifications = [notificationOf(7, {}, bounds), notificationOf(8, { digest }, bounds)];
    const { calls, digestParts } = deliveriesFor([event], notifications, { base: '', nowMs });
    const receivers = new Set([
      ...calls.map(({ clientId }) => clientId),
      ...digestParts.map((each) => each.notificationId),
    ]);
    expect([0, 2]).toContain(receivers.size);
    return receivers.size === 2;
  }

  it.each<[boolean, Partial<CampaignScope>]>([
    [true, { countries: ['SG'] }],
    [true, { countries: ['ID', 'SG'], actionTypes: ['award-reward'] }],
    [true, { countries: ['VN'] }],
    [false, { countries: ['ID'] }],
    [false, { countries: [] }],
    [false, { actionTypes: ['send-message'] }],
  ])('are sent (%s) about a campaign only if the scope covers it: %j', (expected, scope) => {
    expect(isSubscribed({ account, scopes: [{ ...everything, ...scope }] }, eventOf('run.completed'))).toBe(expected);
    expect(isSubscribed(undefined, eventOf('run.completed'))).toBe(true);
  });

  it.each<[boolean, string[], string[]]>([
    [true, ['SG', 'ID'], ['SG']],
    [false, ['SG', 'ID'], ['ID']],
    [false, ['ID'], ['SG', 'ID']],
  ])(
    'are sent (%s) about a campaign only if both the account and the key behind the URL cover it: %j, %j',
    (expected, ...scopes) => {
      const bounds = { account, scopes: scopes.map((countries) => ({ ...everything, countries })) };
      expect(isSubscribed(bounds, eventOf('run.completed'))).toBe(expected);
    },
  );

  it.each([
    [true, account],
    [false, uuid(21)],
    [false, null],
  ])('are sent (%s) about a key only if it belongs to that account: %s', (expected, keyAccount) => {
    const key = { id: uuid(30), name: 'nightly', owner: null, expiresAt: new Date(nowMs).toISOString() };
    const event = eventOf('key.ending', { campaign: null, run: null, keyAccount, detail: { key } });
    expect(isSubscribed({ account, scopes: [everything] }, event)).toBe(expected);
    expect(isSubscribed({ account: null, scopes: [everything] }, event)).toBe(false);
    expect(isSubscribed(undefined, event)).toBe(true);
  });
});
