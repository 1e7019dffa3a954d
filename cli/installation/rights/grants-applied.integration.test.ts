import { Readable } from 'node:stream';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { prepareStore } from '../../../services/connectors/store/postgres/prepare-store.ts';
import { migrate } from '../../../shared/postgres/connection/migrate.ts';
import { createEmptyTestDatabase, type TestDatabase } from '../../../test/support/postgres-database.ts';
import { createTestTerminal } from '../../frame/test-terminal.ts';
import { runProgram } from '../../program.ts';

const refused = { code: '42501' };
const roles = ['owner', 'engine', 'api', 'sandbox', 'connectors'] as const;

let database: TestDatabase;
let prefix: string;

async function query(url: string, ...texts: string[]): Promise<object[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    let rows: object[] = [];
    for (const text of texts) ({ rows } = await client.query<object>(text));
    return rows;
  } finally {
    await client.end();
  }
}

const passwordOf = (role: string) => `the-password-of-${role}`;

function urlOf(role: (typeof roles)[number]): string {
  return database.url.replace(/\/\/([^/@]*@)?/, `//${prefix}_${role}:${passwordOf(role)}@`);
}

async function muster(environment: NodeJS.ProcessEnv, ...args: string[]) {
  const terminal = createTestTerminal();
  const onInterrupt = () => new AbortController().signal;
  const code = await runProgram(args, { terminal, environment, input: Readable.from([]), onInterrupt });
  return { code, ...terminal.written };
}

const passwords = () =>
  Object.fromEntries(roles.map((role) => [`MUSTER_${role.toUpperCase()}_PASSWORD`, passwordOf(role)]));

const apply = () => muster({ DATABASE_URL: database.url, ...passwords() }, 'grants', '--apply', '--prefix', prefix);

beforeAll(async () => {
  database = await createEmptyTestDatabase();
  prefix = new URL(database.url).pathname.slice(1);
});

afterAll(async () => {
  const server = new URL(database.url);
  await database.drop();
  server.pathname = '/postgres';
  await query(server.href, `drop role ${[...roles, 'reader'].map((role) => `${prefix}_${role}`).join(', ')}`);
});

describe('muster grants --apply', () => {
  it('creates the roles with passwords before the first migration, and can be repeated', async () => {
    for (let times = 0; times < 2; times++) {
      const { code, out, notes } = await apply();
      expect([code, out], notes).toEqual([0, roles.map((role) => `${prefix}_${role}\n`).join('')]);
    }
    await migrate(urlOf('owner'));
    const granted = await muster({ DATABASE_URL: urlOf('owner') }, 'migrate', '--roles', prefix);
    expect(granted.code, granted.notes).toBe(0);
    for (const role of roles) expect(await query(urlOf(role), 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(await query(urlOf('engine'), 'select from batches')).toEqual([]);
    await expect(query(urlOf('api'), 'delete from batches')).rejects.toMatchObject(refused);
  });

  it('gives the sandbox its own schema, and no rights on the tables of Muster', async () => {
    await query(urlOf('sandbox'), 'create table own (id int)', 'insert into own values (1)');
    expect(await query(urlOf('sandbox'), 'select id from own')).toEqual([{ id: 1 }]);
    await expect(query(urlOf('sandbox'), 'select from public.campaigns')).rejects.toMatchObject(refused);
    await expect(query(urlOf('sandbox'), 'create table public.own (id int)')).rejects.toMatchObject(refused);
    // A second run does not change the tables of the sandbox.
    expect((await apply()).code).toBe(0);
    expect(await query(urlOf('sandbox'), 'select id from own')).toEqual([{ id: 1 }]);
  });

  it('gives the connectors a schema in which they create their tables, and no other rights', async () => {
    await prepareStore(urlOf('connectors'));
    expect(await query(urlOf('connectors'), 'select from connectors.snapshots')).toEqual([]);
    await expect(query(urlOf('connectors'), 'select from public.campaigns')).rejects.toMatchObject(refused);
    await expect(query(urlOf('engine'), 'select from connectors.snapshots')).rejects.toMatchObject(refused);
  });

  it('names the missing variable if the environment has no passwords', async () => {
    const { code, notes } = await muster({ DATABASE_URL: database.url }, 'grants', '--apply');
    expect(code).not.toBe(0);
    expect(notes).toContain('MUSTER_OWNER_PASSWORD');
  });
});
