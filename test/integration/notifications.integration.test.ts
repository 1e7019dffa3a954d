import { beforeEach, describe, expect, it } from 'vitest';
import { failureCause } from '../../services/trigger/keep/auto-pause.ts';
import { createRunStore } from '../../services/trigger/keep/postgres/run-store.ts';
import { createDueJobs } from '../../services/scheduler/postgres/due-jobs.ts';
import { createNotificationEvents } from '../../services/scheduler/postgres/notification-events.ts';
import { deliveriesFor, digestCall, stalledForMs } from '../../services/scheduler/notifications/notifier.ts';
import { notificationMessage, type NotificationMessage } from '../../shared/contracts/notifications/messages.ts';
import { createdNotification } from '../../shared/contracts/notifications/notifications.ts';
import { campaign } from '../../shared/contracts/campaigns/campaigns.ts';
import { segmentAlone } from '../../shared/contracts/runs/feed-audience.ts';
import { publicId, uuidOf } from '../../shared/domain/ids/ids.ts';
import { createLeases } from '../../shared/postgres/registry/leases.ts';
import { someCampaign } from '../support/api-deps.ts';
import { apiOnPostgres } from '../support/api-on-postgres.ts';
import { untilOneWaits } from '../support/lock-waits.ts';

const on = apiOnPostgres();
const base = 'https://muster.test';
const events = () => createNotificationEvents({ pool: on.pool });
const deliver = (limit = 100) =>
  events().deliver(limit, (some, notifications) => deliveriesFor(some, notifications, { base, nowMs: Date.now() }));
const idOf = (runId: string) => publicId('run', runId);
const campaignIdOf = (id: string) => publicId('campaign', id);
const runs = () => createRunStore({ pool: on.pool });

async function notification(fields: object) {
  const answer = await on.ask('POST', '/v1/notifications', { url: 'https://hooks.example.com/s/cret', ...fields });
  const { id } = createdNotification.parse(answer.json()).notification;
  return { id, notificationId: uuidOf('notification', id) ?? '' };
}

async function scheduled(fields: object = {}) {
  const made = campaign.parse((await on.ask('POST', '/v1/campaigns', { ...someCampaign, ...fields })).json());
  expect((await on.ask('POST', `/v1/campaigns/${made.id}/start`)).statusCode).toBe(200);
  return { ...made, campaignId: uuidOf('campaign', made.id) ?? '' };
}

/** Starts the campaign, and returns its run, which is being prepared. */
async function fired(campaignId: string): Promise<string> {
  const lease = await createLeases({ pool: on.pool }).acquire('scheduler', 'a', 60_000);
  const made = lease && (await createDueJobs({ pool: on.pool }).fire(lease, 100));
  const run = made?.runs.find((each) => each.campaignId === campaignId);
  if (!run) throw new Error('no run was made');
  return run.runId;
}

async function running(fields: object = {}): Promise<{ runId: string; campaignId: string }> {
  const { campaignId } = await scheduled(fields);
  const runId = await fired(campaignId);
  const audience = segmentAlone({ segment: 'all', snapshot: 's1', estimate: null });
  await runs().begin(runId, [{ country: 'SG', audience }]);
  return { runId, campaignId };
}

interface StoredCall {
  id: string;
  client: string;
  body: string;
  url: string;
}

const calls = async () => (await on.pool.query<StoredCall>('select id, client, body, url from jobs order by id')).rows;

async function messagesTo(notificationId: string): Promise<NotificationMessage[]> {
  const own = (await calls()).filter(({ client }) => client === notificationId);
  const messages = own.map(({ body }) => notificationMessage.parse(JSON.parse(body)));
  return messages.toSorted((a, b) => (a.timestamp < b.timestamp ? -1 : 1));
}

const typesTo = async (notificationId: string) => (await messagesTo(notificationId)).map(({ type }) => type).toSorted();

/** Cause of the keeper for a run in which 6 of 100 users failed. */
const threshold = failureCause({
  runId: '',
  campaignId: '',
  state: 'running',
  stateReason: null,
  overdueMs: -1,
  hasBudgets: false,
  canary: null,
  chain: [{ action: 'award-reward' }],
  failureBaseline: [],
  pauseAtFailed: { percent: 5, minUsers: 1 },
  feeds: [
    {
      feedId: '',
      country: 'SG',
      fedUsers: 100,
      heldOutUsers: 0,
      canaryUsers: null,
      fedBatches: 1,
      fromStep: 1,
      complete: true,
      stalled: null,
      flow: [],
      totals: [{ step: 1, batches: 1, succeeded: 94, failed: 6, expired: 0, cancelled: 0, unknown: 0 }],
    },
  ],
});

describe('notification events', () => {
  it('are recorded in the transaction of the change if a notification exists, and not at all otherwise', async () => {
    const { runId } = await running();
    expect(await on.rowsOf('notification_events')).toEqual([]);
    await notification({ events: ['run.paused'] });
    await runs().pauseFor(runId, threshold ?? '');
    const client = await on.pool.connect();
    await client.query('begin');
    await client.query(`insert into run_events (run, kind) values ($1, 'paused')`, [runId]);
    await client.query('rollback');
    client.release();
    expect((await on.rowsOf('notification_events')).map(({ kind }) => kind)).toEqual(['run.threshold']);
  });

  it('are recorded for each lifecycle change of a campaign and its runs', async () => {
    const all = await notification({
      events: ['campaign.scheduled', 'run.started', 'run.paused', 'run.threshold', 'run.ended'],
    });
    const titled = await on.ask('PATCH', '/v1/action-types/award-reward', { title: 'Give a reward' });
    expect(titled.statusCode).toBe(200);
    const { runId } = await running();
    await runs().pauseFor(runId, threshold ?? '');
    await runs().settlePause(runId);
    expect((await on.ask('POST', `/v1/runs/${idOf(runId)}/resume`)).statusCode).toBe(200);
    await runs().finish(runId, 'completed', null);
    await deliver();
    expect(await typesTo(all.notificationId)).toEqual([
      'campaign.scheduled',
      'run.completed',
      'run.paused',
      'run.started',
      'run.threshold',
    ]);
    const paused = (await messagesTo(all.notificationId)).find(({ type }) => type === 'run.paused');
    expect(paused?.data).toMatchObject({
      text: `A run of "Lapsed riders, December" is paused: ${threshold?.replace('award-reward', '“Give a reward”') ?? ''}`,
      cause: threshold,
      link: `${base}/runs/${idOf(runId)}`,
      campaign: { name: 'Lapsed riders, December', countries: ['SG', 'ID', 'VN'] },
      run: { id: idOf(runId), state: 'paused' },
    });
  });

  it.each(['cancelled', 'expired', 'failed'] as const)('are recorded for a run that ends as %s', async (state) => {
    const { notificationId } = await notification({ events: [`run.${state}`] });
    const { campaignId } = await scheduled();
    const runId = await fired(campaignId);
    if (state === 'cancelled') await on.ask('POST', `/v1/runs/${idOf(runId)}/cancel`);
    else await runs().finish(runId, state, 'for a reason');
    await deliver();
    expect((await messagesTo(notificationId)).map(({ type, data }) => [type, data.run?.state])).toEqual([
      [`run.${state}`, state],
    ]);
  });
});

/**
 * Returns the notifications of a look that began before another scheduler committed its change. The change is undone
 * afterwards.
 */
async function whileAnotherSays(update: string): Promise<number> {
  const other = await on.pool.connect();
  try {
    await other.query('begin');
    await other.query(update);
    const recorded = events().recordConditions(stalledForMs);
    await untilOneWaits(on.pool);
    await other.query('commit');
    return await recorded;
  } finally {
    other.release();
    await on.pool.query('update runs set stall_notified_at = null');
    await on.pool.query('update budgets set low_notified_units = null');
  }
}

it('a test send causes no notification event', async () => {
  await notification({ events: ['run.started', 'run.stalled', 'run.ended'] });
  const { campaignId } = await scheduled();
  const runId = await fired(campaignId);
  await on.pool.query(`update runs set kind = 'test', waiting_cause = 'x', waiting_since = now() - interval '1 hour'`);
  expect(await events().recordConditions(stalledForMs)).toBe(0);
  await runs().finish(runId, 'failed', null);
  expect((await on.rowsOf('notification_events')).map(({ kind }) => kind)).toEqual(['campaign.scheduled']);
});

describe('a notification of stalled runs', () => {
  const waitsSince = (runId: string, ms: number) =>
    on.pool.query(
      `update runs set waiting_cause = 'step 1 is held', waiting_since = now() - $2 * interval '1 ms' where id = $1`,
      [runId, ms],
    );

  it('reports a run once until the run progresses, and reports no short wait', async () => {
    const { notificationId } = await notification({ events: ['run.stalled'] });
    const { runId } = await running();
    await waitsSince(runId, stalledForMs - 1000);
    expect(await events().recordConditions(stalledForMs)).toBe(0);
    await waitsSince(runId, stalledForMs + 1000);
    expect(await whileAnotherSays(`update runs set stall_notified_at = now() where id = '${runId}'`)).toBe(0);
    expect(await events().recordConditions(stalledForMs)).toBe(1);
    await waitsSince(runId, stalledForMs + 60_000);
    expect(await events().recordConditions(stalledForMs)).toBe(0);
    await deliver();
    expect((await messagesTo(notificationId)).map(({ data }) => data.cause)).toEqual(['step 1 is held']);

    await on.pool.query('update runs set waiting_cause = null, waiting_since = null');
    expect(await events().recordConditions(stalledForMs)).toBe(0);
    await waitsSince(runId, stalledForMs + 1000);
    expect(await events().recordConditions(stalledForMs)).toBe(1);
  });

  it('reports a run whose users cannot be read, and none after the run has ended', async () => {
    await notification({ events: ['run.stalled'] });
    const { runId } = await running();
    const trouble = `insert into run_problems (run, kind, step, country, cause, since)
      values ($1, 'feed', 1, 'SG', 'no answer', now() - interval '1 hour')`;
    await on.pool.query(trouble, [runId]);
    expect(await events().recordConditions(stalledForMs)).toBe(1);
    const other = await running();
    await waitsSince(other.runId, stalledForMs + 1000);
    await runs().finish(other.runId, 'expired', null);
    expect(await events().recordConditions(stalledForMs)).toBe(0);
  });
});

describe('a notification of low budgets', () => {
  const budgeted = {
    countries: ['SG'],
    chain: [{ action: 'award-reward', params: { rewardId: 'ride-5' }, unitsPerUser: 1 }],
    budgets: [{ country: 'SG', units: 100 }],
  };

  async function spend(runId: string, users: number) {
    // Only a feed with fed users has totals.
    await on.pool.query('update feeds set next_batch_no = 2 where run = $1', [runId]);
    await on.pool.query(
      `insert into run_totals (feed, step, slot, succeeded) select feed, 1, 9, $2 from feeds where run = $1
      on conflict (feed, step, slot) do update set succeeded = excluded.succeeded`,
      [runId, users],
    );
  }

  it('reports a low budget once for each size of the budget, while the run is open', async () => {
    const { notificationId } = await notification({ events: ['budget.low'] });
    const { runId, campaignId } = await running(budgeted);
    await spend(runId, 90);
    expect(await events().recordConditions(stalledForMs)).toBe(0);
    await spend(runId, 93);
    expect(
      await whileAnotherSays(`update budgets set low_notified_units = units where campaign = '${campaignId}'`),
    ).toBe(0);
    expect(await events().recordConditions(stalledForMs)).toBe(1);
    await deliver();
    expect((await messagesTo(notificationId)).map(({ data }) => [data.budget, data.text])).toEqual([
      [
        { country: 'SG', units: 100, left: 7, money: null },
        '7 of 100 units are left of "Lapsed riders, December" in SG',
      ],
    ]);
    await on.pool.query('update budgets set units = 200 where campaign = $1', [campaignId]);
    expect(await events().recordConditions(stalledForMs)).toBe(0);
    await spend(runId, 190);
    expect(await events().recordConditions(stalledForMs)).toBe(1);
  });

  it('reports a low budget at the end of the run if no check happened before', async () => {
    const { notificationId } = await notification({ events: ['budget.low'] });
    const { runId } = await running(budgeted);
    await spend(runId, 95);
    await runs().finish(runId, 'completed', null);
    expect(await events().recordConditions(stalledForMs)).toBe(0);
    await deliver();
    expect((await messagesTo(notificationId)).map(({ data }) => data.budget)).toEqual([
      { country: 'SG', units: 100, left: 5, money: null },
    ]);
  });

  it.each(['while the run is active', 'at the end of the run'])(
    'reports amounts in the currency of the budget: %s',
    async (when) => {
      const { notificationId } = await notification({ events: ['budget.low'] });
      const { runId, campaignId } = await running(budgeted);
      await on.pool.query(`update budgets set units = 1500000000, currency = 'SGD' where campaign = $1`, [campaignId]);
      await on.pool.query('update feeds set step_units = array[500000] where run = $1', [runId]);
      await spend(runId, 2999);
      if (when === 'while the run is active') expect(await events().recordConditions(stalledForMs)).toBe(1);
      else await runs().finish(runId, 'completed', null);
      await deliver();
      expect((await messagesTo(notificationId)).map(({ data }) => [data.budget, data.text])).toEqual([
        [
          { country: 'SG', units: null, left: null, money: { currency: 'SGD', amount: '1500.00', left: '0.50' } },
          '0.50 SGD of 1,500.00 SGD are left of "Lapsed riders, December" in SG',
        ],
      ]);
    },
  );
});

describe('a notification', () => {
  it('is selected by event, campaign, tag and owner, and reports no earlier events', async () => {
    const early = await running({ tags: ['payday'], owner: 'growth' });
    const { runId: growth, campaignId } = await running({ tags: ['payday'], owner: 'growth' });
    const ofTag = await notification({ events: ['run.ended'], tags: ['payday', 'other'] });
    const ofOwner = await notification({ events: ['run.ended'], owners: ['growth'] });
    const ofCampaign = await notification({ events: ['run.ended'], campaigns: [campaignIdOf(campaignId)] });
    const ofAnother = await notification({ events: ['run.ended'], owners: ['loyalty'] });
    const ofStarts = await notification({ events: ['run.started'] });
    const off = await notification({ events: ['run.ended'], enabled: false });
    const { runId: plain } = await running();
    for (const runId of [early.runId, growth, plain]) await runs().finish(runId, 'completed', null);
    await deliver();
    const ended = [idOf(early.runId), idOf(growth)].toSorted();
    const runsIn = async ({ notificationId }: { notificationId: string }) =>
      (await messagesTo(notificationId)).map(({ data }) => data.run?.id ?? '').toSorted();
    expect(await runsIn(ofTag)).toEqual(ended);
    expect(await runsIn(ofOwner)).toEqual(ended);
    expect(await runsIn(ofCampaign)).toEqual([idOf(growth)]);
    expect(await runsIn(ofAnother)).toEqual([]);
    expect(await runsIn(ofStarts)).toEqual([idOf(plain)]);
    expect(await runsIn(off)).toEqual([]);
    expect(await on.rowsOf('notification_events')).toEqual([]);
  });

  it('reports no event from before its creation, even if another notification existed', async () => {
    await notification({ events: ['run.started'] });
    await running();
    await on.passTime(1000);
    const late = await notification({ events: ['run.started'] });
    await deliver();
    expect(await typesTo(late.notificationId)).toEqual([]);
  });

  it('reports a waiting approval', async () => {
    const { notificationId } = await notification({ events: ['approval.waiting'] });
    const { campaignId } = await running();
    await on.pool.query(
      `insert into approvals (id, campaign, revision, hash, covers, state, required_approvers, reasons)
      values (uuidv7(), $1, 1, 'h', '{}', 'waiting', 2, '["over 100,000 users"]')`,
      [campaignId],
    );
    await deliver();
    expect((await messagesTo(notificationId)).map(({ data }) => [data.approval?.requiredApprovers, data.text])).toEqual(
      [[2, '"Lapsed riders, December" waits for approval: over 100,000 users']],
    );
  });
});

describe('the delivery of notification events', () => {
  let ended: { notificationId: string };
  beforeEach(async () => {
    ended = await notification({ events: ['run.ended'] });
    for (let made = 0; made < 3; made++) await runs().finish((await running()).runId, 'completed', null);
  });

  it('sends each event once, whichever scheduler takes the event', async () => {
    const delivered = await Promise.all([1, 2, 3, 4].map(() => deliver(2)));
    while ((await deliver(2)).events > 0);
    expect(delivered.reduce((sum, { calls: made }) => sum + made, 0)).toBeLessThanOrEqual(3);
    expect(await typesTo(ended.notificationId)).toEqual(['run.completed', 'run.completed', 'run.completed']);
  });

  it('leaves the event to the next scheduler if it fails', async () => {
    const before = await on.rowsOf('notification_events');
    const failing = events().deliver(100, () => {
      throw new Error('the process is killed here');
    });
    await expect(failing).rejects.toThrow('killed');
    expect(await on.rowsOf('notification_events')).toEqual(before);
    // The connection is cut; a moment later the server releases its locks.
    while ((await deliver()).events === 0);
    expect(await typesTo(ended.notificationId)).toHaveLength(3);
  });

  it('does not wait for events that another scheduler has locked', async () => {
    const holder = await on.pool.connect();
    await holder.query('begin');
    await holder.query('select from notification_events order by id limit 1 for update');
    expect((await deliver()).calls).toBeGreaterThanOrEqual(2);
    await holder.query('rollback');
    holder.release();
    await deliver();
    expect(await typesTo(ended.notificationId)).toHaveLength(3);
  });

  it('uses the same call id on every attempt, and seals the URL', async () => {
    const { rows } = await on.pool.query<{ event: string }>(
      `select to_jsonb(e)::text as event from notification_events e where kind = 'run.completed'`,
    );
    await deliver();
    const made = await calls();
    expect(made.every(({ url }) => url.startsWith('https://hooks.example.com/#sealed=') && !url.includes('cret'))).toBe(
      true,
    );
    await on.pool.query(
      `insert into notification_events select * from jsonb_populate_record(null::notification_events, $1::jsonb)`,
      [rows[0]?.event],
    );
    expect(await deliver()).toEqual({ events: 1, calls: 1 });
    expect(await calls()).toEqual(made);
  });
});

describe('the digest of a notification', () => {
  const digest = { every: 'day', at: '09:00', zone: 'UTC' };
  const deliverDigests = () => events().deliverDigests((row, active) => digestCall(row, active, base));
  const due = () => on.pool.query(`update notification_digests set due_at = now() - interval '1 second'`);

  /** Ends a run of a recurring campaign. */
  async function completed(): Promise<void> {
    const { runId, campaignId } = await running();
    await on.pool.query(
      `insert into schedules (id, name, campaign, definition, state, high_water)
       values (uuid_of_now(), 'daily', $1, '{}', 'active', now())`,
      [campaignId],
    );
    await runs().finish(runId, 'completed', null);
    await deliver();
  }

  it('is sent once, when it is due, for all runs completed since the last one', async () => {
    const { notificationId } = await notification({ events: ['run.started', 'run.ended'], digest });
    await completed();
    await completed();
    expect([await typesTo(notificationId), await deliverDigests()]).toEqual([[], 0]);
    await due();
    expect((await Promise.all([deliverDigests(), deliverDigests(), deliverDigests()])).toSorted()).toEqual([0, 0, 1]);
    const [message] = await messagesTo(notificationId);
    expect(message).toMatchObject({ type: 'campaign.digest', data: { digest: { runs: 2 } } });
    expect(message?.data.digest?.first).toHaveLength(2);
    await completed();
    await due();
    expect([
      await deliverDigests(),
      (await messagesTo(notificationId)).map(({ data }) => data.digest?.runs).toSorted(),
    ]).toEqual([...[1, [1, 2]]]);
  });

  it('is sent immediately when the digest is removed, and never while the notification is disabled', async () => {
    const kept = await notification({ events: ['run.ended'], digest });
    const silent = await notification({ events: ['run.ended'], digest });
    await completed();
    expect((await on.ask('PATCH', `/v1/notifications/${kept.id}`, { digest: null })).statusCode).toBe(200);
    expect((await on.ask('PATCH', `/v1/notifications/${silent.id}`, { enabled: false })).statusCode).toBe(200);
    expect(await deliverDigests()).toBe(1);
    expect([await typesTo(kept.notificationId), await typesTo(silent.notificationId)]).toEqual([
      ['campaign.digest'],
      [],
    ]);
    expect(await on.rowsOf('notification_digests')).toEqual([]);
  });
});
