import type { ClientBase } from 'pg';
import { schemaOfTables, searchPathIn, type DatabaseAddress } from '../../../runtime/configuration/database-url.ts';

/** Settings of Postgres by name. Times are in ms. */
export type SessionSettings = Readonly<Record<string, string | number>>;

/**
 * Settings that statements and result parsers rely on. Servers, databases and roles may have other defaults: a
 * `datestyle` whose times pg cannot read, floats that lose digits, another schema, timeouts that are too short.
 */
const reliedSettings: SessionSettings = {
  client_encoding: 'UTF8',
  datestyle: 'ISO,YMD',
  intervalstyle: 'postgres',
  timezone: 'UTC',
  extra_float_digits: 1,
  bytea_output: 'hex',
  search_path: schemaOfTables,
  // Otherwise `NULL` in an array literal is a text, and a backslash in a constant is an escape.
  array_nulls: 'on',
  standard_conforming_strings: 'on',
  // At `read committed`, a statement that waits for a row continues with its new version. At stricter levels it fails.
  default_transaction_isolation: 'read committed',
  // Pools set their own timeouts. Default timeouts of the server would end migrations, lock waits, and idle sessions
  // that listen for notifications.
  statement_timeout: 0,
  idle_in_transaction_session_timeout: 0,
  lock_timeout: 0,
  idle_session_timeout: 0,
};

/** Settings of one connection, for one of the two ways to send them. */
export interface Session {
  /** The startup parameter `options`, which takes no round trip. */
  readonly options?: string;
  /** Settings for `sendSettings`. Undefined if `options` has them. */
  readonly settings: SessionSettings | undefined;
}

/**
 * Returns the settings of a session: those that all sessions rely on, and `own`. A pooler refuses or drops startup
 * parameters. Behind a pooler in session mode (`?pooler=session`), each new connection therefore waits for a statement
 * instead.
 * @param options startup options of the URL. These settings win over them, except over a `search_path`
 */
export function sessionOf(
  { isPooled, options }: Pick<DatabaseAddress, 'isPooled' | 'options'>,
  own: SessionSettings,
): Session {
  const settings = { ...reliedSettings, ...own };
  if (isPooled) return options === '' ? { settings } : { options, settings };
  const wins = ([name]: [string, unknown]) => name !== 'search_path' || searchPathIn(options) === undefined;
  const parts = Object.entries(settings)
    .filter(wins)
    .map(([name, value]) => `-c ${name}=${String(value).replaceAll(' ', '\\ ')}`);
  return { options: [options, ...parts].join(' ').trim(), settings: undefined };
}

/** Sends the settings that `options` could not carry. The caller awaits it before the connection's first statement. */
export async function sendSettings(client: ClientBase, { settings }: Session): Promise<void> {
  if (settings === undefined) return;
  await client.query(`select set_config(name, value, false) from unnest($1::text[], $2::text[]) as s (name, value)`, [
    Object.keys(settings),
    Object.values(settings).map(String),
  ]);
}
