import type { Pool } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { beforeAll, describe, expect, it } from 'vitest';
import { createAudienceStore } from '../../services/api/audiences/lists/postgres/audience-store.ts';
import { createCampaignStore } from '../../services/api/campaigns/postgres/campaign-store.ts';
import { createSavedAudienceStore } from '../../services/api/audiences/saved/postgres/saved-audience-store.ts';
import { createRetentionStore } from '../../services/trigger/retain/postgres/retention.ts';
import { createHotPathPool, createUploadPool } from '../../shared/postgres/connection/pool.ts';
import { publicId } from '../../shared/domain/ids/ids.ts';
import { campaignsNaming, publicListId } from '../../shared/postgres/audiences/list-usage.ts';
import { createStoredAudiences } from '../../shared/postgres/audiences/stored-audiences.ts';
import { describeAudienceStore } from '../support/conformance/audience-store.conformance.ts';
import { databaseForFile } from '../support/file-database.ts';
import { usualQuotas } from '../../shared/runtime/configuration/quotas.ts';

const database = databaseForFile();
let uploadPool: Pool;
let hotPool: Pool;
beforeAll(() => {
  uploadPool = database.open(createUploadPool, { applicationName: 'uploads', max: 4 });
  hotPool = database.open(createHotPathPool);
});

/** The clock of the database cannot be moved, so the times of stored lists are moved into the past. */
async function passTime(ms: number): Promise<void> {
  await database.pool.query(
    `update audiences set created_at = created_at - $1 * interval '1 ms', received_at = received_at - $1 * interval '1 ms'`,
    [ms],
  );
}

async function postgresStores() {
  await database.empty();
  return {
    audiences: createAudienceStore({ pool: database.pool, uploadPool, quotas: usualQuotas }),
    stored: createStoredAudiences({ pool: hotPool }),
    campaigns: createCampaignStore({ pool: database.pool, quotas: usualQuotas }),
    retention: createRetentionStore({ pool: database.pool }),
    passTime,
  };
}

describeAudienceStore('on Postgres', postgresStores);

describe('an upload to Postgres', () => {
  const start = () => ({ audienceId: uuidv7(), name: 'a list', country: 'SG' });

  it('stores nothing if its connection is lost halfway', async () => {
    const { audiences } = await postgresStores();
    const begun = await audiences.begin(start());
    if (begun.kind !== 'begun') throw new Error('the upload did not begin');
    await begun.upload.add({ users: ['a'], countries: ['SG'], lines: [1] });
    // The temporary tables disappear after the last message to the client. Only when the process has ended have they
    // disappeared too.
    await database.pool.query(
      `select pg_terminate_backend(pid, 30000) from pg_stat_activity where datname = current_database() and application_name = 'uploads' and query like '%upload_rows%' and pid <> pg_backend_pid()`,
    );
    await expect(begun.upload.add({ users: ['b'], countries: ['SG'], lines: [1] })).rejects.toThrow();
    await begun.upload.fail('lost', { rows: 2, rejected: 0, rejects: [] });
    const { rows } = await database.pool.query('select from audience_parts');
    expect(rows).toEqual([]);
    const { rows: tables } = await database.pool.query(`select from pg_class where relname = 'upload_rows'`);
    expect(tables).toEqual([]);
  });

  it('holds no transaction open while it waits for rows', async () => {
    const { audiences } = await postgresStores();
    const begun = await audiences.begin(start());
    if (begun.kind !== 'begun') throw new Error('the upload did not begin');
    await begun.upload.add({ users: ['a'], countries: ['SG'], lines: [1] });
    const open = `select from pg_stat_activity where datname = current_database() and application_name = 'uploads' and state <> 'idle' and pid <> pg_backend_pid()`;
    expect((await database.pool.query(open)).rows).toEqual([]);
    await begun.upload.fail('over', { rows: 1, rejected: 0, rejects: [] });
  });

  it('is paged with one index look-up, however long the list is', async () => {
    await postgresStores();
    await database.pool.query(`insert into audiences (id, name, state, attempt) values ($1, 'long', 'ready', $1)`, [
      uuidv7(),
    ]);
    const plan = await hotPool.query<{ 'QUERY PLAN': string }>(
      `explain select users from audience_parts where audience = $1 and country = $2 and last_user > $3 order by last_user limit 1`,
      [uuidv7(), 'SG', 'x'],
    );
    expect(plan.rows.map((row) => row['QUERY PLAN']).join('\n')).toMatch(/Index Scan using audience_parts_pkey/);
  });
});

describe('uploaded lists of an installation', () => {
  async function upload({ audiences }: Awaited<ReturnType<typeof postgresStores>>, rejected = 0): Promise<string> {
    const audienceId = uuidv7();
    const begun = await audiences.begin({ audienceId, name: 'Riders', country: 'SG' });
    if (begun.kind !== 'begun') throw new Error('the upload did not begin');
    await begun.upload.add({ users: ['a'], countries: ['SG'], lines: [1] });
    await begun.upload.finish({ rows: 1 + rejected, rejected, rejects: [] });
    return audienceId;
  }

  it('neither expire nor can be deleted while a saved audience uses them', async () => {
    const stores = await postgresStores();
    const [named, old] = [await upload(stores), await upload(stores)];
    const saved = createSavedAudienceStore({ pool: database.pool, quotas: usualQuotas });
    const savedAudienceId = uuidv7();
    const exclude = [{ list: publicId('audience', named) }];
    const audience = { include: [{ segment: 'riders' }], exclude };
    await saved.create(savedAudienceId, { name: 'Riders', countries: ['SG'], audience }, null);
    await passTime(31 * 86_400_000);
    expect(await stores.retention.deleteAudiences(30, 10)).toBe(1);
    expect(await stores.audiences.get(old)).toBeUndefined();
    expect(await stores.audiences.get(named)).toMatchObject({ usedBySaved: 1 });
    const kept = { kind: 'saved-in', savedAudienceId, name: 'Riders' };
    expect(await stores.audiences.delete(named)).toEqual(kept);
    await saved.delete(savedAudienceId);
    expect(await stores.retention.deleteAudiences(30, 10)).toBe(1);
  });

  it('have their campaigns found through an index, however many campaigns exist', async () => {
    await postgresStores();
    const { pool } = database;
    await pool.query(`insert into campaigns (id, name, state, revision)
      select uuidv7(), 'campaign ' || n, 'draft', 1 from generate_series(1, 3000) n`);
    await pool.query(`insert into revisions (campaign, revision, definition)
      select id, 1, '{"audience": {"include": [{"segment": "riders"}]}}' from campaigns`);
    await pool.query('analyze campaigns, revisions');
    const { rows } = await pool.query<{ 'QUERY PLAN': string }>(
      `explain select (select count(*) from (${campaignsNaming('list', publicListId('a.id'))}) u) from audiences a`,
    );
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan.match(/Bitmap Index Scan on revisions_audience/g)).toHaveLength(2);
  });
});
