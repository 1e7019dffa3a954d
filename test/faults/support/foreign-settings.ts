import pg from 'pg';
import { connectClient } from '../../../shared/postgres/connection/servers/servers.ts';
import { migrate } from '../../../shared/postgres/connection/migrate.ts';
import { atDatabase } from '../../../shared/runtime/configuration/database-url.ts';

/** Settings that a database or a role may legally have. German dates are `29.11.2026`. */
const formats = {
  datestyle: 'German, DMY',
  intervalstyle: 'iso_8601',
  timezone: 'America/St_Johns',
  extra_float_digits: '-15',
  bytea_output: 'escape',
};

/** Time-outs that are shorter than Muster's statements, transactions, waits and pauses. */
const timeOuts = {
  statement_timeout: '30ms',
  idle_in_transaction_session_timeout: '30ms',
  lock_timeout: '1ms',
  idle_session_timeout: '300ms',
};

const setAll = (of: string, settings: Readonly<Record<string, string>>) =>
  Object.entries(settings).map(([name, value]) => `alter ${of} set ${name} = ${pg.escapeLiteral(value)}`);

/** Gives a database foreign settings. The user of the URL keeps the usual time-outs, because the harness relies on them. */
export async function setForeignDefaults(databaseUrl: string): Promise<void> {
  const database = new URL(databaseUrl).pathname.slice(1);
  await runAll(databaseUrl, [
    ...setAll(`database ${database}`, { ...formats, ...timeOuts }),
    ...Object.keys(timeOuts).map((name) => `alter role current_user in database ${database} set ${name} = 0`),
  ]);
}

/** Gives the same settings to the roles of an installation, and ends their sessions, so that all begin anew with them. */
export async function setForeignRoles(databaseUrl: string): Promise<void> {
  const prefix = new URL(databaseUrl).pathname.slice(1);
  const names = ['engine', 'api'].map((role) => `${prefix}_${role}`);
  const ended = names.map((name) => `select pg_terminate_backend(pid) from pg_stat_activity where usename = '${name}'`);
  await runAll(databaseUrl, [
    ...names.flatMap((name) => setAll(`role ${name}`, { ...formats, ...timeOuts })),
    ...ended,
  ]);
}

/** Creates an empty database anew, with the newest schema, in the German collation of ICU. */
export async function recreateInGerman(databaseUrl: string): Promise<void> {
  const database = new URL(databaseUrl).pathname.slice(1);
  await runAll(atDatabase(databaseUrl, 'postgres'), [
    `drop database ${database} with (force)`,
    `create database ${database} template template0 encoding 'UTF8' locale_provider icu icu_locale 'de-u-kn-true'`,
  ]);
  await migrate(databaseUrl);
}

async function runAll(url: string, statements: readonly string[]): Promise<void> {
  const client = await connectClient(url);
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
