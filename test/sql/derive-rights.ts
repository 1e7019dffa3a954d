import { globSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from 'pg';
import { describeStatement } from './describe-statement.ts';
import { reachableFiles } from './reachable-files.ts';

/** A statement, and the file that runs it, relative to the repository's top. */
export interface RunStatement {
  file: string;
  text: string;
}

/** Rights of a role: verbs by table, and functions that run with the rights of their owner. */
export interface RoleRights {
  tables: Record<string, string>;
  functions: string[];
}

/** Processes of each role. */
const processesOf = {
  engine: ['scheduler', 'trigger', 'worker', 'dispatcher'],
  api: ['api'],
} as const;

/** Columns and functions that open something or answer another caller. Roles that only read do not get them. */
const notForReaders = [
  'api_key_secrets',
  'sessions',
  'session_links',
  'report_links',
  'idempotency_keys',
  'migration_lock',
];

/**
 * Effects inside of plpgsql functions. Postgres does not report them before a run, so tests run the functions under
 * these roles.
 */
const doneInside: Readonly<Record<string, Readonly<Record<string, readonly Verb[]>>>> = {
  advance_key: {
    ordering_key_wakes: ['select', 'insert', 'delete'],
    jobs: ['select', 'update'],
    job_claims: ['select'],
  },
  refuse_ended_jobs: { ended_jobs: ['select'] },
  beginning_of_days: {},
  reserve_effects: {
    caps: ['select'],
    capped_effects: ['select', 'insert', 'update'],
    feeds: ['select'],
    runs: ['select'],
    batches: ['select'],
    batch_steps: ['select'],
    user_failures: ['select'],
  },
  reserve_budgets: {
    budgets: ['select', 'update'],
    feeds: ['select'],
    runs: ['select'],
    batches: ['select'],
    batch_steps: ['select'],
    budget_reservations: ['select', 'insert', 'update', 'delete'],
    budget_figures: ['select'],
  },
};

/** `lock` means that rows are locked but not changed. The right to update one column is enough for this. */
type Verb = (typeof verbs)[number] | 'lock';

/** Verbs in the order of their bits in Postgres's record of a statement. */
const verbs = ['insert', 'select', 'update', 'delete'] as const;
const displayedOrder: readonly Verb[] = ['select', 'insert', 'update', 'lock', 'delete'];

export interface Derived {
  rights: Record<'engine' | 'api' | 'reader', RoleRights>;
  /** Statements that the processes of the role run. */
  textsOf: Record<keyof typeof processesOf, string[]>;
  problems: string[];
}

/** Derives the rights of each role from the statements of the files that its processes load. */
export async function deriveRights(
  client: Client,
  root: string,
  statements: readonly RunStatement[],
): Promise<Derived> {
  const needs = await readNeeds(client, statements);
  const problems = new Set<string>();
  const of = (role: keyof typeof processesOf): string[] => {
    const files = reachableFiles(processesOf[role].flatMap((name) => entriesOf(join(root, 'services', name))));
    return statements.filter(({ file }) => files.has(join(root, file))).map(({ text }) => text);
  };
  const textsOf = { engine: of('engine'), api: of('api') };
  const [engine, api] = [gather(textsOf.engine, needs, problems), gather(textsOf.api, needs, problems)];
  return { rights: { engine, api, reader: await readersRights(client) }, textsOf, problems: [...problems] };
}

/** Returns the entry files of a service: its `main.ts`, and for the API each `routes.ts`, which it finds by name. */
function entriesOf(service: string): string[] {
  return ['main.ts', ...globSync('**/routes.ts', { cwd: service })].map((file) => join(service, file));
}

interface Need {
  tables: Map<string, Set<Verb>>;
  functions: Set<string>;
}

interface Needs {
  /** First column of each table. */
  firstColumns: Map<string, string>;
  byText: Map<string, Need>;
  /** Rights of functions in SQL that run with the rights of their caller. */
  byFunction: Map<string, Need>;
  /** Functions that run with the rights of their owner. */
  definers: Set<string>;
  /** Functions whose bodies Postgres does not analyse. */
  unread: Set<string>;
}

function gather(texts: readonly string[], needs: Needs, problems: Set<string>): RoleRights {
  const tables = new Map<string, Set<Verb>>();
  const functions = new Set<string>();
  const add = (need: Need | undefined): void => {
    for (const [table, done] of need?.tables ?? []) tables.set(table, (tables.get(table) ?? new Set()).union(done));
    for (const name of need?.functions ?? []) {
      if (functions.has(name)) continue;
      functions.add(name);
      if (needs.definers.has(name)) continue;
      const inside = doneInside[name];
      if (inside) for (const [table, done] of Object.entries(inside)) add(needOf(table, done));
      else if (needs.unread.has(name)) problems.add(`what ${name} does is not said in test/sql/derive-rights.ts`);
      else add(needs.byFunction.get(name));
    }
  };
  for (const text of texts) add(needs.byText.get(text));
  return {
    tables: Object.fromEntries(
      [...tables].sort(byName).map(([table, done]) => [table, displayed(done, needs.firstColumns.get(table))]),
    ),
    functions: [...functions].filter((name) => needs.definers.has(name)).sort(),
  };
}

function needOf(table: string, done: Iterable<Verb>): Need {
  return { tables: new Map([[table, new Set(done)]]), functions: new Set() };
}

function byName([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1;
}

function displayed(done: ReadonlySet<Verb>, firstColumn = ''): string {
  const needed = displayedOrder.filter((verb) => done.has(verb) && (verb !== 'lock' || !done.has('update')));
  return needed.map((verb) => (verb === 'lock' ? `update (${firstColumn})` : verb)).join(', ');
}

async function readNeeds(client: Client, statements: readonly RunStatement[]): Promise<Needs> {
  const { rows: functions } = await client.query<{
    name: string;
    args: string;
    body: string;
    language: string;
    isDefiner: boolean;
  }>(
    `select p.proname as name, pg_get_function_identity_arguments(p.oid) as args, p.prosrc as body,
       l.lanname as language, p.prosecdef as "isDefiner"
     from pg_proc p join pg_language l on l.oid = p.prolang where p.pronamespace = 'public'::regnamespace`,
  );
  const named = await readNames(client);
  const byText = new Map<string, Need>();
  for (const text of new Set(statements.map(({ text }) => text))) {
    const locked = /^\s*lock table (\w+)/.exec(text)?.[1];
    if (locked !== undefined) byText.set(text, needOf(locked, ['update']));
    if (!isPlanned(text)) continue;
    const { params } = await describeStatement(client, text);
    const types = params.map((type) => `(select format_type(${type}, null))`);
    byText.set(text, await needIn(client, named, { args: await typesAsText(client, types), body: text }));
  }
  const byFunction = new Map<string, Need>();
  for (const { name, args, body, language } of functions) {
    if (language === 'sql' && body.trim() !== '') byFunction.set(name, await needIn(client, named, { args, body }));
  }
  return {
    firstColumns: named.firstColumns,
    byText,
    byFunction,
    definers: new Set(functions.filter(({ isDefiner }) => isDefiner).map(({ name }) => name)),
    unread: new Set(functions.filter(({ language }) => language === 'plpgsql').map(({ name }) => name)),
  };
}

/** True for statements that Postgres plans, unlike locks and settings. */
export function isPlanned(text: string): boolean {
  return /^\s*(select|insert|update|delete|with|values|merge)\b/i.test(text);
}

async function typesAsText(client: Client, types: readonly string[]): Promise<string> {
  if (types.length === 0) return '';
  const { rows } = await client.query<{ all: string }>(`select concat_ws(', ', ${types.join(', ')}) as all`);
  return rows[0]?.all ?? '';
}

/** Names by the object ids of Postgres. */
interface Names {
  tables: Map<string, string>;
  functions: Map<string, string>;
  firstColumns: Map<string, string>;
}

async function readNames(client: Client): Promise<Names> {
  const named = async (text: string) => {
    const { rows } = await client.query<{ of: string; name: string }>(text);
    return new Map(rows.map(({ of, name }) => [of, name]));
  };
  return {
    tables: await named(
      `select oid::text as of, relname as name from pg_class where relnamespace = 'public'::regnamespace`,
    ),
    functions: await named(
      `select oid::text as of, proname as name from pg_proc where pronamespace = 'public'::regnamespace`,
    ),
    firstColumns: await named(
      `select c.relname as of, a.attname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
       where c.relnamespace = 'public'::regnamespace and a.attnum = 1`,
    ),
  };
}

/**
 * Derives the rights as Postgres does. Postgres stores the statement as the body of a function, with the rights for
 * each table (`RTEPERMISSIONINFO`), including those in subqueries and behind `with`. A view counts as one table.
 */
async function needIn(client: Client, named: Names, { args, body }: { args: string; body: string }): Promise<Need> {
  await client.query('begin');
  await client.query(`create function pg_temp.asked_for(${args}) returns void language sql begin atomic ${body}; end`);
  const { rows } = await client.query<{ tree: string }>(
    `select prosqlbody::text as tree from pg_proc where proname = 'asked_for' and prosqlbody is not null`,
  );
  await client.query('rollback');
  const tree = rows[0]?.tree ?? '';
  const tables = new Map<string, Set<Verb>>();
  for (const [, oid = '', bits = '', updated = ''] of tree.matchAll(permissions)) {
    const table = named.tables.get(oid);
    const requested = verbs.filter((_, bit) => (Number(bits) & (1 << bit)) !== 0);
    const done = requested.map((verb): Verb => (verb === 'update' && updated === '' ? 'lock' : verb));
    if (table !== undefined) tables.set(table, (tables.get(table) ?? new Set<Verb>()).union(new Set(done)));
  }
  const called = [...tree.matchAll(/:funcid (\d+)/g)].map(([, oid = '']) => named.functions.get(oid));
  return { tables, functions: new Set(called.filter((name) => name !== undefined)) };
}

const permissions = /RTEPERMISSIONINFO :relid (\d+) :inh \w+ :requiredPerms (\d+) [^{}]*?:updatedCols \(b([^)]*)\)/g;

async function readersRights(client: Client): Promise<RoleRights> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v') and not relispartition
       and relname <> all ($1) order by relname`,
    [notForReaders],
  );
  return { tables: Object.fromEntries(rows.map(({ name }) => [name, 'select'])), functions: [] };
}
