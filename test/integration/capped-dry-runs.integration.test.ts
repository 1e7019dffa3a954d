import { beforeEach, describe, expect, it } from 'vitest';
import type { OwnedFeed } from '../../services/trigger/ports/feed-store.ts';
import { segmentAlone } from '../../shared/contracts/runs/feed-audience.ts';
import { capDetail } from '../../shared/domain/step/caps.ts';
import { createHotPathPool } from '../../shared/postgres/connection/pool.ts';
import { addEffects, capOf, effectsOf, setCaps } from '../support/capped-effects.ts';
import { createRun, leaseMs, startFedRun, talliesOf } from '../support/conformance/execution-subject.ts';
import { databaseForFile } from '../support/file-database.ts';
import { createPostgresExecutionStores } from '../support/postgres-execution-stores.ts';

const database = databaseForFile(createHotPathPool);
const chain = ['award-reward', 'send-message', 'send-message'].map((action) => ({ action, params: {} }));

let subject: ReturnType<typeof createPostgresExecutionStores>;
let campaignId: string;
let runId: string;
let feed: OwnedFeed;

beforeEach(async () => {
  await database.empty();
  const passTime = () => Promise.reject(new Error('this clock cannot be set'));
  subject = createPostgresExecutionStores({ pool: database.pool, passTime });
  await addEarlierRun('send-message', ['u1', 'u2', 'u3']);
  await addEarlierRun('award-reward', ['u3']);

  ({ campaignId, runId } = await createRun(subject, { chain }));
  await subject.makeDry(runId);
  const audience = segmentAlone({ segment: 'all', snapshot: 's1', estimate: 5 });
  await subject.runs.begin(runId, [{ country: 'SG', audience }]);
  const feeds = await subject.feeds.claim('t', leaseMs, 10, 'all');
  feed = feeds.find((each) => each.runId === runId) ?? expect.fail('the dry run has no feed');
});

/** Adds a run whose only batch had effects of this action. */
async function addEarlierRun(action: string, users: readonly string[]): Promise<void> {
  const { feedId } = await startFedRun(subject, [users], { chain: [{ action, params: {} }] });
  await addEffects(database.pool, { feedId, batchNo: 1, users, action });
}

async function feedAll(): Promise<void> {
  const { feedId, token } = feed;
  const batches = [
    { batchNo: 1, users: ['u1', 'u2'] },
    { batchNo: 2, users: ['u3', 'u4', 'u5'] },
  ];
  const sink = { shared: 0, country: 'SG' };
  const end = { cursor: 'u5', complete: true, staysStalled: false };
  expect(await subject.feeds.writePages({ feedId, token, batches, invalidUsers: [], sink, ...end })).toBe(true);
}

async function suppressed() {
  const { items } = await subject.reports.failures(runId, {}, 10, null);
  return items.map(({ user, step, outcome, reason, detail }) => [user, step, outcome, reason, detail]);
}

describe('a dry run', () => {
  it('suppresses users at a cap in the first step of the cap, after suppression lists, and has no effects', async () => {
    await setCaps(database.pool, [
      capOf({ effects: 1, days: 7 }),
      capOf({ name: 'rewards', actionTypes: ['award-reward'], effects: 1, days: 1, counting: 'calendar' }),
    ]);
    await subject.suppress('send-message', ['u2'], null);
    await feedAll();

    const messages = capDetail({ cap: 'weekly-messages', had: 1, effects: 1, days: 7 });
    const rewards = capDetail({ cap: 'rewards', had: 1, effects: 1, days: 1 });
    expect(await suppressed()).toEqual([
      ['u1', 2, 'suppressed', 'muster.cap', messages],
      ['u2', 2, 'suppressed', 'muster.suppression-list', 'on the suppression list of send-message'],
      ['u3', 1, 'suppressed', 'muster.cap', rewards],
    ]);
    const tally = (await talliesOf(subject)).find((each) => each.runId === runId);
    expect(tally?.feeds[0]?.totals).toMatchObject([
      { step: 1, batches: 2, succeeded: 4, suppressed: 1 },
      { step: 2, batches: 2, succeeded: 2, suppressed: 2 },
      { step: 3, batches: 1, succeeded: 2, suppressed: 0 },
    ]);
    expect(await subject.reports.failureGroups(runId)).toMatchObject([
      { step: 1, outcome: 'suppressed', reason: 'muster.cap', users: 1 },
      { step: 2, outcome: 'suppressed', reason: 'muster.cap', users: 1 },
      { step: 2, outcome: 'suppressed', reason: 'muster.suppression-list', users: 1 },
    ]);
    expect(await subject.reconciliation.reconcile({ feedId: feed.feedId, chainLength: 3 })).toEqual([]);
    expect(await effectsOf(database.pool, feed.feedId)).toEqual([]);
  });

  it.each(['of another country', 'with more effects', 'of earlier effects', 'that exempts its campaign'])(
    'suppresses no user because of a cap %s',
    async (kind) => {
      const changes = {
        'of another country': { countries: ['ID'] },
        'with more effects': { effects: 2 },
        'of earlier effects': { countsFrom: '2100-01-01T00:00:00.000Z' },
        'that exempts its campaign': { exempt: [campaignId] },
      }[kind];
      await setCaps(database.pool, [capOf(changes)]);
      await feedAll();
      expect(await suppressed()).toEqual([]);
    },
  );
});
