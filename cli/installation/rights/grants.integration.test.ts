import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { migrate } from '../../../shared/postgres/connection/migrate.ts';
import { createRoles, type DatabaseRoles } from '../../../test/support/database-roles.ts';
import { createEmptyTestDatabase, type TestDatabase } from '../../../test/support/postgres-database.ts';
import { examineInstallation } from '../doctor/examine-installation.ts';
import { grantsSql, rightsSql, type RoleName } from '../../../shared/postgres/roles/grants.ts';

/** SQLSTATE `insufficient_privilege`. */
const refused = { code: '42501' };

describe('the Postgres roles that muster grants creates', () => {
  let database: TestDatabase;
  let roles: DatabaseRoles;
  const prefix = () => new URL(database.url).pathname.slice(1);

  async function as(role: RoleName, text: string): Promise<unknown[]> {
    return await query(roles.urlFor(role, database.url), text);
  }

  async function query(url: string, text: string): Promise<unknown[]> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query<object>(text)).rows;
    } finally {
      await client.end();
    }
  }

  // Sets up the database as an operator does: first the roles, then the schema by its owner, then the rights of each
  // role.
  beforeAll(async () => {
    database = await createEmptyTestDatabase();
    roles = await createRoles(database.url);
    const owner = roles.urlFor('owner', database.url);
    await migrate(owner);
    await query(owner, rightsSql(prefix()));
  });

  afterAll(async () => {
    await database.drop();
    await roles.drop();
  });

  const audit = `append_audit(null, 'POST', '/v1/x', 'x', 201::int2, '', '{}')`;
  const insertion = `insert into audit_log (number, hash, method, route, status, request_id) values (9, '', '', '', 1, '')`;

  it.each<[RoleName, string]>([
    ['api', insertion],
    ['api', 'update audit_log set status = 200'],
    ['api', `delete from audit_log where at < now() - interval '400 days'`],
    ['api', 'update audit_head set number = 0'],
    ['api', 'truncate audit_log'],
    ['api', `select delete_audit_entries(30, 10)`],
    ['api', 'select make_feed_partitions(now(), now())'],
    ['api', 'insert into batches (feed) select feed from feeds'],
    ['api', 'delete from batches'],
    ['api', 'create table own (id int)'],
    ['api', 'alter table runs disable trigger all'],
    ['engine', insertion],
    ['engine', 'update audit_log set status = 200'],
    ['engine', 'delete from audit_log'],
    ['engine', 'update audit_head set number = 0'],
    ['engine', 'alter table audit_log disable trigger audit_log_is_append_only'],
    ['engine', 'select digest from api_key_secrets'],
    ['engine', 'update sessions set api_key = api_key'],
    ['engine', 'insert into api_key_secrets (digest, api_key) select $$x$$, id from api_keys'],
    ['engine', `update api_keys set role = 'operator'`],
    ['engine', 'insert into approval_votes (approval, api_key) select id, id from approvals'],
    ['engine', 'create table own (id int)'],
    ['engine', 'drop table batches_default'],
    ['engine', `select drop_feed_week('audit_log')`],
    [
      'engine',
      `select drop_feed_week(format('batches_%s',
      to_char(date_trunc('week', now(), 'UTC') at time zone 'UTC', 'YYYYMMDD'))::name)`,
    ],
    ['engine', 'create temporary table own (id int)'],
    ['reader', 'select digest from api_key_secrets'],
    ['reader', 'select digest from report_links'],
    ['reader', 'select body from idempotency_keys'],
    ['reader', 'update campaigns set name = name'],
    ['reader', `select ${audit}`],
    ['reader', 'select make_job_days(now(), now())'],
    ['reader', 'select from runs for update'],
  ])('deny the role %s: %s', async (role, text) => {
    await expect(as(role, text)).rejects.toMatchObject(refused);
  });

  it.each<[RoleName, string, object[]]>([
    ['api', `select number from ${audit}`, [{ number: '1' }]],
    ['engine', `select number from ${audit}`, [{ number: '2' }]],
    ['reader', 'select number from audit_log order by number', [{ number: '1' }, { number: '2' }]],
    [
      'engine',
      `select make_feed_partitions(now() + interval '21 days', now() + interval '21 days') as made`,
      [{ made: 1 }],
    ],
    ['engine', `select make_job_days(now() + interval '9 days', now() + interval '9 days') as made`, [{ made: 2 }]],
    ['engine', 'select from delete_audit_entries(400, 10)', []],
  ])('allow the role %s: %s', async (role, text, rows) => {
    expect(await as(role, text)).toEqual(rows);
  });

  it('keep an unrelated role from connecting to the database', async () => {
    const server = new URL(database.url);
    await query(server.href, `create role ${prefix()}_stranger login password 'x'`);
    [server.username, server.password] = [`${prefix()}_stranger`, 'x'];
    await expect(query(server.href, 'select 1')).rejects.toMatchObject(refused);
    await query(database.url, `drop role ${prefix()}_stranger`);
  });

  it('let muster doctor check whether the engine can create the tables of the next weeks', async () => {
    const partitions = async (role: RoleName) => {
      const checks = await examineInstallation({ DATABASE_URL: roles.urlFor(role, database.url) });
      return checks.find(({ name }) => name === 'partitions');
    };
    // The migration creates partitions of three weeks and eight days. The test above has created one more week.
    const [days] = await query(
      database.url,
      `select to_char(date_trunc('week', now() at time zone 'UTC') + interval '28 days', 'YYYY-MM-DD') as runs,
        to_char((now() at time zone 'UTC') + interval '8 days', 'YYYY-MM-DD') as jobs`,
    );
    const { runs, jobs } = z.object({ runs: z.string(), jobs: z.string() }).parse(days);
    const good = { ok: true, found: `there until ${runs} for runs and ${jobs} for jobs, and more can be made` };
    for (const role of ['engine', 'reader', 'owner'] as const) expect(await partitions(role), role).toMatchObject(good);

    await query(database.url, `revoke execute on function make_feed_partitions from ${prefix()}_engine`);
    const found = `${prefix()}_engine may not call make_feed_partitions`;
    expect(await partitions('engine')).toMatchObject({ ok: false, found });

    await query(database.url, `revoke create on schema public from ${prefix()}_owner`);
    expect(await partitions('reader')).toMatchObject({
      ok: false,
      found: 'the owner of make_feed_partitions and make_job_days may not make tables beside its own',
      fix: 'apply muster grants anew',
    });

    await query(database.url, grantsSql(prefix()));
    expect(await partitions('engine')).toMatchObject(good);
  });
});
