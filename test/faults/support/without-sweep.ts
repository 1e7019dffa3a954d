import pg from 'pg';

/** Loaded before a process's own code (`--import`), the sweep of jobs finds nothing: its statement has no rows. */
const query: unknown = Reflect.get(pg.Client.prototype, 'query');
const swept = /^sweep-(due|lapsed)$/;

function withoutSweep(this: pg.Client, asked: unknown, ...more: unknown[]): unknown {
  if (typeof query !== 'function') throw new TypeError('a client of Postgres has no query');
  return Reflect.apply(query, this, [isSweep(asked) ? { ...asked, text: `${asked.text} limit 0` } : asked, ...more]);
}

function isSweep(asked: unknown): asked is { name: string; text: string } {
  if (typeof asked !== 'object' || asked === null || !('name' in asked) || typeof asked.name !== 'string') return false;
  return swept.test(asked.name);
}

Reflect.set(pg.Client.prototype, 'query', withoutSweep);
