import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { migrate } from '../../../shared/postgres/connection/migrate.ts';
import { rightsSql, type RoleName } from '../../../shared/postgres/roles/grants.ts';
import { createRoles, type DatabaseRoles } from '../../../test/support/database-roles.ts';
import { createEmptyTestDatabase, type TestDatabase } from '../../../test/support/postgres-database.ts';

/*
 * Calls each function that runs with the rights of the owner, as each role of a service, with the worst arguments. The
 * functions are read from the catalog, so a new function needs no line here.
 */

const insufficientPrivilege = '42501';
const statementTimedOut = '57014';
const services = ['engine', 'api', 'reader'] as const;

let database: TestDatabase;
let roles: DatabaseRoles;

async function query(url: string, text: string): Promise<object[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<object>(text)).rows;
  } finally {
    await client.end();
  }
}

const asOwner = (text: string) => query(roles.urlFor('owner', database.url), text);

/** Returns the SQLSTATE of each statement; undefined for one that succeeded. */
async function statesOf(role: RoleName, texts: readonly string[]): Promise<(string | undefined)[]> {
  const client = new pg.Client({ connectionString: roles.urlFor(role, database.url) });
  await client.connect();
  try {
    await client.query(`set statement_timeout = '20s'`);
    const states: (string | undefined)[] = [];
    for (const text of texts) states.push(await client.query(text).then(() => undefined, stateOf));
    return states;
  } finally {
    await client.end();
  }
}

const failure = z.object({ code: z.string() });
const stateOf = (error: unknown): string => failure.parse(error).code;

beforeAll(async () => {
  database = await createEmptyTestDatabase();
  roles = await createRoles(database.url);
  await migrate(roles.urlFor('owner', database.url));
  await asOwner(rightsSql(new URL(database.url).pathname.slice(1)));
  // A day that ended less than a day ago, and a week that is long over, in which a run still continues.
  await asOwner(`select make_job_days(now() - interval '1 day', now())`);
  await asOwner(`select make_feed_partitions(now() - interval '5 weeks', now() - interval '5 weeks' + interval '1 s')`);
  await query(
    database.url,
    `with r as (
       insert into runs (id, campaign, revision, scheduled_for, state, deadline_at)
       values (gen_random_uuid(), gen_random_uuid(), 1, now(), 'running', now()) returning id
     )
     insert into feeds (feed, run, country, segment, snapshot)
     select min_feed_id(now() - interval '5 weeks'), id, 'SG', 'all', 's1' from r`,
  );
  for (let entry = 0; entry < 3; entry++) {
    await asOwner(`select append_audit(null, 'POST', '/v1/x', 'x', 201::int2, '', '{}')`);
  }
});

afterAll(async () => {
  await database.drop();
  await roles.drop();
});

const definer = z.object({ name: z.string(), types: z.array(z.string()), isTrigger: z.boolean() });

async function definers() {
  const rows = await asOwner(
    `select p.proname as name, p.prorettype = 'trigger'::regtype as "isTrigger",
       array(select format_type(t, null) from unnest(p.proargtypes::oid[]) with ordinality a (t, place) order by place)
         as types
     from pg_proc p where p.pronamespace = 'public'::regnamespace and p.prosecdef order by p.proname`,
  );
  return z.array(definer).parse(rows);
}

async function tableNames(): Promise<string[]> {
  const rows = await asOwner(
    `select c.relname::text as name from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') order by 1`,
  );
  return z
    .array(z.object({ name: z.string() }))
    .parse(rows)
    .map(({ name }) => name);
}

const moments = ['null', `'-infinity'`, `'infinity'`, `'0001-01-01'`, `'9999-01-01'`, 'now()'];
const numbers = ['null', `'-1'`, `'0'`, `'2147483647'`];

const worstOf: Readonly<Record<string, readonly string[]>> = {
  'timestamp with time zone': moments,
  integer: numbers,
  smallint: ['null', `'-32768'`, `'32767'`],
  uuid: ['null', `'00000000-0000-0000-0000-000000000000'`],
  text: ['null', `''`, `repeat('x', 1000000)`],
  jsonb: ['null', `'[]'`, `jsonb_build_object('x', repeat('x', 9000000))`],
};

const odd = ['null', `''`, `'_20200106'`, `'pg_class'`, `'pg_catalog.pg_class'`, `'audit_log; drop table runs'`];

/**
 * Returns calls with every combination of the worst values. For functions with many arguments, each value is combined
 * only with the first values of the others.
 */
function worstCalls({ name, types }: z.infer<typeof definer>, names: readonly string[]): string[] {
  const values = types.map((type) => {
    const worst = type === 'name' ? [...odd, ...names.map((table) => `'${table}'`)] : worstOf[type];
    return (worst ?? expect.fail(`${name} takes a ${type}, of which no worst value is known`)).map(
      (value) => `${value}::${type}`,
    );
  });
  const all = types.length <= 3 ? combined(values) : oneByOne(values);
  return all.map((args) => `select ${name}(${args.join(', ')})`);
}

function combined(values: readonly (readonly string[])[]): string[][] {
  return values.reduce<string[][]>(
    (before, each) => before.flatMap((args) => each.map((value) => [...args, value])),
    [[]],
  );
}

function oneByOne(values: readonly (readonly string[])[]): string[][] {
  return values.flatMap((each, place) =>
    each.map((value) => values.map((own, at) => (at === place ? value : (own.at(-1) ?? '')))),
  );
}

/** Reads the data that no service may change by these functions. */
async function kept() {
  const chain = await asOwner(
    `select count(*)::int as entries, min(l.number)::int as first, max(l.number) = h.number as "isWhole",
       h.last_deleted_number::int as cut
     from audit_log l, audit_head h group by h.number, h.last_deleted_number`,
  );
  const [{ first, isWhole, cut }] = z
    .tuple([z.object({ entries: z.int(), first: z.int(), isWhole: z.boolean(), cut: z.int() })])
    .parse(chain);
  return { tables: await tableNames(), first, isWhole, cut };
}

describe('security definer functions of the owner', () => {
  it('are all called by this test', async () => {
    const names = (await definers()).map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining([
        'append_audit',
        'delete_audit_entries',
        'drop_feed_week',
        'drop_job_day',
        'make_job_days',
      ]),
    );
  });

  it.each(services)('never change history when the role %s calls them with any arguments', async (role) => {
    const before = await kept();
    for (const each of (await definers()).filter(({ isTrigger }) => !isTrigger)) {
      // The make_… functions take a table name as a filter in second place, so the first table is enough there.
      const names = each.types.length === 1 ? before.tables : before.tables.slice(0, 1);
      const states = await statesOf(role, worstCalls(each, names));
      expect(states, each.name).not.toContain(statementTimedOut);
      if (role === 'reader') expect(new Set(states), each.name).toEqual(new Set([insufficientPrivilege]));
      expect(await kept(), each.name).toEqual(before);
    }
  });

  it.each(services)(
    'cannot be called or attached to a table by the role %s if they are trigger functions',
    async (role) => {
      const triggers = (await definers()).filter(({ isTrigger }) => isTrigger);
      expect(triggers.length).toBeGreaterThan(0);
      for (const { name } of triggers) {
        const states = await statesOf(role, [
          `select ${name}()`,
          'create temporary table own (id uuid)',
          `create trigger own after insert on own for each row execute function ${name}()`,
        ]);
        expect(states[0], name).toBeDefined();
        // A role that cannot create temporary tables has no table to which it could attach the trigger.
        expect([insufficientPrivilege, '42P01'], name).toContain(states[2]);
      }
    },
  );

  it('reject an audit log entry that is larger than any request', async () => {
    const detail = `jsonb_build_object('x', repeat('x', 9000000))`;
    const call = `select append_audit(null, 'POST', '/v1/x', 'x', 201::int2, '', ${detail})`;
    expect(await statesOf('api', [call])).toEqual(['23514']);
    expect((await kept()).isWhole).toBe(true);
  });

  it('drop partitions for the engine role after the shortest retention', async () => {
    await asOwner(`select make_job_days(now() - interval '9 days', now() - interval '9 days' + interval '1 s')`);
    const day = `to_char((now() - interval '9 days') at time zone 'UTC', '"ended_jobs_"YYYYMMDD')::name`;
    expect(await statesOf('engine', [`select drop_job_day(${day})`])).toEqual([undefined]);
    await query(database.url, 'update runs set ended_at = now()');
    const week = `to_char(date_trunc('week', now() - interval '5 weeks', 'UTC') at time zone 'UTC', '"batches_"YYYYMMDD')`;
    expect(await statesOf('engine', [`select drop_feed_week(${week}::name)`])).toEqual([undefined]);
  });
});

describe('the advisory lock of migrations', () => {
  const numberOf = async () => {
    const rows = await asOwner('select number from migration_lock');
    return z.tuple([z.object({ number: z.string() })]).parse(rows)[0].number;
  };

  it.each(services)(
    'has a number that the role %s cannot read, so that only the owner can take the lock',
    async (role) => {
      const texts = [
        'select number from migration_lock',
        'do $$ begin lock table migration_lock in access share mode; end $$',
      ];
      expect(await statesOf(role, texts)).toEqual([insufficientPrivilege, insufficientPrivilege]);
    },
  );

  it('gets a new number with each migration, so that a reader who holds the earlier ones does not block the owner', async () => {
    const owner = roles.urlFor('owner', database.url);
    const before = await numberOf();
    await migrate(owner);
    expect(await numberOf()).not.toBe(before);
    const reader = new pg.Client({ connectionString: roles.urlFor('reader', database.url) });
    await reader.connect();
    try {
      for (const number of ['120351215609202', before]) await reader.query('select pg_advisory_lock($1)', [number]);
      const waits: string[] = [];
      expect(await migrate(owner, { onWait: (why) => waits.push(why) })).toEqual([]);
      expect(waits).toEqual([]);
    } finally {
      await reader.end();
    }
  });
});
