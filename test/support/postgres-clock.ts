import type { Pool } from 'pg';

/**
 * A connection string whose sessions take the time from a table: `now()` and `clock_timestamp()` are found there first.
 */
export function onSettableClock(url: string): string {
  const withOptions = new URL(url);
  withOptions.searchParams.set('options', '-c search_path=settable_clock,public,pg_catalog');
  return withOptions.toString();
}

/** Makes the clock of a database settable, for sessions that ask for it. @param pool an ordinary one */
export async function makeClockSettable(pool: Pool): Promise<void> {
  await pool.query(`
    create schema settable_clock;
    create table settable_clock.moment (at timestamptz not null);
    insert into settable_clock.moment values (now());
    create function settable_clock.now() returns timestamptz stable language sql as 'select at from settable_clock.moment';
    create function settable_clock.clock_timestamp() returns timestamptz stable language sql as 'select at from settable_clock.moment';
  `);
}

/** @param pool an ordinary one */
export async function setClock(pool: Pool, atMs: number): Promise<void> {
  await pool.query('update settable_clock.moment set at = $1', [new Date(atMs)]);
}
