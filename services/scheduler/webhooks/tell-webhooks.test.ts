import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { clientDefinition } from '../../../shared/contracts/jobs/clients.ts';
import { webhookClientName } from '../../../shared/domain/job/webhook-clients.ts';
import type { Client } from '../../../shared/ports/clients.ts';
import { clientSnapshotOf, type ClientSnapshot } from '../../../shared/runtime/installation/client-reader.ts';
import { clientIdOf } from '../../../test/support/conformance/job-subject.ts';
import { createMemoryChangeFeed } from '../../../test/support/memory/change-feed.ts';
import { passTime, settled } from '../../../test/support/pass-time.ts';
import { createSettableClock } from '../../../test/support/settable-clock.ts';
import { notice, webhookDefinition } from '../../../shared/contracts/webhooks/webhooks.ts';
import type { CampaignScope } from '../../../shared/domain/scopes.ts';
import type { WebhookBounds, WebhookEvent } from '../ports/webhook-events.ts';
import { createWebhookTeller, digestCall, toldOf } from './tell-webhooks.ts';

const webhookId = clientIdOf(1);

/** Creates a scheduler with webhooks, and records its database queries. */
function setUp(toTell: number[] = []) {
  const clock = createSettableClock();
  const changes = createMemoryChangeFeed();
  const asked: string[] = [];
  let snapshot: ClientSnapshot = clientSnapshotOf(1, []);
  const listeners: ((snapshot: ClientSnapshot) => void)[] = [];
  const know = (...names: string[]) => {
    const clients = names.map((name): Client => {
      const times = { createdAt: clock.now(), updatedAt: clock.now() };
      const standing = { revision: 1, enabled: true, disabledReason: null, auth: null, keys: [], endpoints: [] };
      return { clientId: webhookId, name, definition: clientDefinition.parse({}), ...standing, ...times };
    });
    snapshot = clientSnapshotOf(snapshot.revision + 1, clients);
    for (const listener of listeners) listener(snapshot);
  };
  const teller = createWebhookTeller({
    events: {
      tell: () => {
        asked.push('tell');
        const events = toTell.shift() ?? 0;
        return Promise.resolve({ events, calls: events });
      },
      tellDigests: () => Promise.resolve(0),
      noteWhatStands: () => {
        asked.push('look');
        return Promise.resolve(0);
      },
    },
    clients: { current: () => snapshot, onChange: (listener) => void listeners.push(listener) },
    base: '',
    changes,
    clock,
    logger: pino({ level: 'silent' }),
  });
  teller.start();
  return { clock, changes, asked, know, teller };
}

it('the webhook sender queries nothing without a webhook', async () => {
  const { clock, changes, asked, know, teller } = setUp();
  know('orders');
  changes.announce('webhook-events');
  await passTime(clock, 3_600_000);
  expect(asked).toEqual([]);
  know('orders', webhookClientName(webhookId));
  await settled();
  expect(asked).toEqual(['look', 'tell']);
  await teller.stop();
});

it('the webhook sender sends notified events at once until none is left, and looks for lasting conditions every ten seconds', async () => {
  const { clock, changes, asked, know, teller } = setUp([0, 100, 100, 3]);
  know(webhookClientName(webhookId));
  await passTime(clock, 0);
  asked.length = 0;
  changes.announce('webhook-events');
  await passTime(clock, 0);
  expect(asked).toEqual(['tell', 'tell', 'tell']);
  asked.length = 0;
  await passTime(clock, 30_000);
  expect(asked).toEqual(['look', 'tell', 'look', 'tell', 'look', 'tell']);
  await teller.stop();
});

const uuid = (number: number) => `018f0000-0000-7000-8000-${String(number).padStart(12, '0')}`;
const nowMs = Date.parse('2026-12-01T02:00:00Z');

function eventOf(kind: string, fields: Partial<WebhookEvent> = {}): WebhookEvent {
  const reach = { countries: ['SG', 'VN'], actionTypes: ['award-reward'], titles: {} };
  const campaign = { campaignId: uuid(1), name: 'Payday', owner: null, tags: [], ...reach };
  const run = { runId: uuid(2), state: 'completed', scheduledFor: new Date(nowMs), startedAt: null };
  const figures = { audience: 300, throughTheChain: 290, failed: 10 };
  const of = { campaign, run, figures, recurs: true, keyAccount: null, ...fields };
  return { eventId: uuid(3), kind, at: new Date(nowMs), webhookId: null, detail: {}, ...of };
}

function listening(number: number, fields: object, bounds?: WebhookBounds) {
  const definition = webhookDefinition.parse({ events: ['run.started', 'run.ended', 'key.ending'], ...fields });
  return { webhookId: uuid(number), url: 'https://hooks.example.com/', definition, createdAt: new Date(0), bounds };
}

it('routine events of recurring campaigns wait for the digest, and all other events are sent at once', () => {
  const digest = { every: 'day', at: '09:00', zone: 'Asia/Singapore' };
  const webhooks = [listening(7, { digest }), listening(8, {}), listening(9, { digest, tags: ['vip'] })];
  const events = [
    ...[eventOf('run.started'), eventOf('run.completed'), eventOf('run.completed'), eventOf('run.failed')],
    eventOf('run.completed', { recurs: false }),
  ];
  const { calls, kept } = toldOf(events, webhooks, { base: '', nowMs });
  const toldTo = (number: number) =>
    calls.filter(({ clientId }) => clientId === uuid(number)).map(({ tags }) => tags?.[0]);
  expect(toldTo(7)).toEqual(['run.failed', 'run.completed']);
  expect(toldTo(8)).toEqual(['run.started', 'run.completed', 'run.completed', 'run.failed', 'run.completed']);
  expect(toldTo(9)).toEqual([]);
  const sums = { runs: 2, audience: 600, throughTheChain: 580, failed: 20 };
  // Ten in the morning in that zone, on the next day.
  expect(kept).toMatchObject([{ webhookId: uuid(7), due: new Date('2026-12-02T01:00:00Z'), ...sums }]);
  expect(kept[0]?.lines).toHaveLength(2);
});

it('a weekly digest is sent on Monday with the total number of runs', () => {
  const digest = { every: 'week', at: '09:00', zone: 'Asia/Singapore' };
  const webhook = listening(7, { digest });
  const events = Array.from({ length: 150 }, () => eventOf('run.completed'));
  const [row] = toldOf(events, [webhook], { base: '', nowMs }).kept;
  if (!row) throw new Error('nothing is kept');
  expect(row.due).toEqual(new Date('2026-12-07T01:00:00Z'));
  const { data } = notice.parse(
    JSON.parse(digestCall({ ...row, digestId: uuid(4) }, webhook, 'https://muster.test').body ?? ''),
  );
  expect(data).toMatchObject({
    text: '150 runs of recurring campaigns completed. 43,500 of 45,000 users through the chain, 1,500 failed',
    link: 'https://muster.test/campaigns',
    digest: { runs: 150 },
  });
  expect(data.digest?.first).toHaveLength(100);
});

it('each webhook receives notices in its own format', () => {
  const webhooks = [listening(7, {}), listening(8, { format: 'slack' }), listening(9, { format: 'teams' })];
  const { calls } = toldOf([eventOf('run.started')], webhooks, { base: '', nowMs });
  const bodies = calls.map(({ body }): unknown => JSON.parse(body ?? ''));
  expect(bodies).toMatchObject([{ type: 'run.started' }, { text: 'A run of "Payday" started' }, { type: 'message' }]);
});

describe('a notice to a webhook of an account with a scope', () => {
  const account = uuid(20);
  const everything = { countries: null, actionTypes: null };

  function isTold(bounds: WebhookBounds | undefined, event: WebhookEvent): boolean {
    const digest = { every: 'day', at: '09:00', zone: 'UTC' };
    const webhooks = [listening(7, {}, bounds), listening(8, { digest }, bounds)];
    const { calls, kept } = toldOf([event], webhooks, { base: '', nowMs });
    const receivers = new Set([...calls.map(({ clientId }) => clientId), ...kept.map((each) => each.webhookId)]);
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
  ])('about a campaign is sent (%s) for the scope %j', (expected, scope) => {
    expect(isTold({ account, scopes: [{ ...everything, ...scope }] }, eventOf('run.completed'))).toBe(expected);
    expect(isTold(undefined, eventOf('run.completed'))).toBe(true);
  });

  it.each<[boolean, string[], string[]]>([
    [true, ['SG', 'ID'], ['SG']],
    [false, ['SG', 'ID'], ['ID']],
    [false, ['ID'], ['SG', 'ID']],
  ])('about a campaign is sent (%s) for an account with %j and an API key with %j', (expected, ...scopes) => {
    const bounds = { account, scopes: scopes.map((countries) => ({ ...everything, countries })) };
    expect(isTold(bounds, eventOf('run.completed'))).toBe(expected);
  });

  it.each([
    [true, account],
    [false, uuid(21)],
    [false, null],
  ])('about a key is sent (%s) if the key belongs to the account: %s', (expected, keyAccount) => {
    const key = { id: uuid(30), name: 'nightly', owner: null, expiresAt: new Date(nowMs).toISOString() };
    const event = eventOf('key.ending', { campaign: null, run: null, keyAccount, detail: { key } });
    expect(isTold({ account, scopes: [everything] }, event)).toBe(expected);
    expect(isTold({ account: null, scopes: [everything] }, event)).toBe(false);
    expect(isTold(undefined, event)).toBe(true);
  });
});
