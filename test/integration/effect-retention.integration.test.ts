import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createCampaignStore } from '../../services/api/campaigns/postgres/campaign-store.ts';
import type { Retention } from '../../services/trigger/ports/retention-store.ts';
import { createRetentionStore } from '../../services/trigger/retain/postgres/retention.ts';
import { createPool } from '../../shared/postgres/connection/pool.ts';
import { usualQuotas } from '../../shared/runtime/configuration/quotas.ts';
import { addEffects, capOf, effectsOf, setCaps } from '../support/capped-effects.ts';
import { campaignDefinitionOf } from '../support/conformance/run-rows.ts';
import { createRoles } from '../support/database-roles.ts';
import { databaseForFile } from '../support/file-database.ts';
import { createPostgresRunRows } from '../support/postgres-run-rows.ts';

const database = databaseForFile();
const dayMs = 86_400_000;
const daysAgo = (days: number) => new Date(Date.now() - days * dayMs);
const createdAt = daysAgo(60);

/** Retention with the trigger's rights: it owns no table. */
let retention: Retention;

beforeAll(async () => {
  const roles = await createRoles(database.url);
  const connectionString = roles.urlFor('engine', database.url);
  retention = createRetentionStore({ pool: database.open(createPool, { connectionString }) });
});

beforeEach(() => database.empty());

/** Adds a feed of 60 days ago, whose run ended this many days ago, with effects of these batches. */
async function addFeed(endedDaysAgo: number | null, batchNos: readonly number[]): Promise<string> {
  const { campaignId } = await createCampaignStore({ pool: database.pool, quotas: usualQuotas }).create(
    campaignDefinitionOf(),
  );
  const rows = createPostgresRunRows({ pool: database.pool });
  const end = endedDaysAgo === null ? {} : { endedAt: daysAgo(endedDaysAgo) };
  const state = endedDaysAgo === null ? ('running' as const) : ('completed' as const);
  const runId = await rows.addRun({ campaignId, revision: 1, state, scheduledFor: createdAt, ...end });
  const feedId = await rows.addFeed(runId, { country: 'SG', createdAt });
  for (const batchNo of batchNos) await addEffects(database.pool, { feedId, batchNo, users: ['u1', 'u2'] });
  return feedId;
}

const effectsIn = async (feedId: string) => (await effectsOf(database.pool, feedId)).length;

describe('effects that caps count', () => {
  it('are kept one day longer than the longest cap in force counts', async () => {
    expect(await retention.effectDays()).toBe(1);
    await setCaps(database.pool, [capOf({ days: 7 }), capOf({ name: 'monthly', days: 31, counting: 'calendar' })]);
    expect(await retention.effectDays()).toBe(32);
    await setCaps(database.pool, [capOf({ days: 7 })]);
    expect(await retention.effectDays()).toBe(8);
  });

  it('are dropped by week when all runs of the week ended long enough ago', async () => {
    await database.pool.query('select make_feed_partitions($1, $1)', [createdAt]);
    const feedIds = [await addFeed(50, [1]), await addFeed(31.5, [1])];
    expect(await retention.dropWeeks('effects', 32)).toEqual({ weeks: 0, heldUp: 0 });
    expect(await Promise.all(feedIds.map(effectsIn))).toEqual([1, 1]);
    expect(await retention.dropWeeks('effects', 31)).toEqual({ weeks: 1, heldUp: 0 });
    expect(await Promise.all(feedIds.map(effectsIn))).toEqual([0, 0]);
  });

  it('are deleted in chunks outside of weekly partitions, except those of runs that have not ended', async () => {
    const [ended, going] = [await addFeed(31.5, [1, 2, 3]), await addFeed(null, [1])];
    expect(await retention.deleteStrays('effects', 32, 100)).toBe(0);
    expect(await retention.deleteStrays('effects', 31, 2)).toBe(2);
    expect(await retention.deleteStrays('effects', 31, 2)).toBe(1);
    expect(await Promise.all([ended, going].map(effectsIn))).toEqual([0, 1]);
  });
});
