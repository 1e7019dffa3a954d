import type { Pool } from 'pg';

/**
 * Returns a connection string whose sessions read the time from a table: they find other functions `now()` and
 * `clock_timestamp()` first. The second one advances by a microsecond at each call.
 */
export function onSettableClock(url: string): string {
  const withOptions = new URL(url);
  withOptions.searchParams.set('options', '-c search_path=public,settable_clock,pg_catalog');
  return withOptions.toString();
}

/**
 * Makes the clock of a database settable for sessions that use `onSettableClock`, for column defaults, and for
 * functions with their own search path.
 * @param pool a pool on the normal clock
 */
export async function makeClockSettable(pool: Pool): Promise<void> {
  await pool.query(`
    create schema settable_clock;
    create table settable_clock.moment (at timestamptz not null);
    insert into settable_clock.moment values (now());
    create function settable_clock.now() returns timestamptz stable language sql
      as 'select at from settable_clock.moment';
    create sequence settable_clock.ticks;
    create function settable_clock.clock_timestamp() returns timestamptz volatile language sql as
      'select at + nextval(''settable_clock.ticks'') * interval ''1 microsecond'' from settable_clock.moment';
    do $$ declare row_default record; own_path regprocedure; begin
      for own_path in select oid from pg_proc where pronamespace = 'public'::regnamespace and prosecdef loop
        execute format('alter routine %s set search_path = settable_clock, public, pg_catalog, pg_temp', own_path);
      end loop;
      for row_default in
        select c.oid::regclass as name, quote_ident(a.attname) as field from pg_attrdef d
        join pg_class c on c.oid = d.adrelid and not c.relispartition
        join pg_attribute a on (a.attrelid, a.attnum) = (d.adrelid, d.adnum)
        where pg_get_expr(d.adbin, d.adrelid) = 'now()'
      loop
        execute format('alter table only %s alter %s set default settable_clock.now()', row_default.name,
          row_default.field);
      end loop;
    end $$;
  `);
}

/** @param pool a pool on the normal clock */
export async function setClock(pool: Pool, atMs: number): Promise<void> {
  await pool.query(
    `with restarted as (select setval('settable_clock.ticks', 1)) update settable_clock.moment set at = $1 from restarted`,
    [new Date(atMs)],
  );
}
