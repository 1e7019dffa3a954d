import type { Pool } from 'pg';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  createEmptyTestDatabase,
  createTestDatabase,
  type TestDatabase,
} from '../../../test/support/postgres-database.ts';
import { passTime } from '../../../test/support/pass-time.ts';
import { createSettableClock } from '../../../test/support/settable-clock.ts';
import { packageVersion } from '../../runtime/version.ts';
import { applyConfig } from './installation.ts';
import { createPool } from '../connection/pool.ts';
import { goOnTakingPart, takePart, untilDatabaseAnswers } from './take-part.ts';

const lines: string[] = [];
const logger = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) });
const clock = createSettableClock();
const file = { segmentation: { url: 'http://segments.test/' }, actionTypes: {} };
const other = { ...file, segmentation: { url: 'http://sandbox.test/' } };

describe('a process that joins an installation', () => {
  let database: TestDatabase;
  let pool: Pool;
  const open = (url: string) => createPool({ connectionString: url, applicationName: 'take-part-test', logger });
  const join = (with_ = file) => takePart({ pool, file: with_, clock, logger });
  beforeEach(async () => {
    database = await createTestDatabase();
    pool = open(database.url);
    lines.length = 0;
  });
  afterEach(async () => {
    await pool.end();
    await database.drop();
  });

  it('gets the same installation id as all others, even if several join at once', async () => {
    const ids = await Promise.all([join(), join(), join()]);
    expect(new Set(ids).size).toBe(1);
    expect(await takePart({ pool, clock, logger })).toBe(ids[0]);
  });

  it('is refused if the schema is older than its version, with the command to run', async () => {
    const empty = await createEmptyTestDatabase();
    const emptyPool = open(empty.url);
    await expect(takePart({ pool: emptyPool, file, clock, logger })).rejects.toThrow(
      /schema lacks 20261122000000_schema.*: run `muster migrate`/,
    );
    await emptyPool.end();
    await empty.drop();
  });

  it('joins with a warning if the schema is newer', async () => {
    await pool.query(
      `insert into knex_migrations (name, batch, migration_time) values ('29990101000000_later', 9, now())`,
    );
    await join();
    expect(lines.join()).toContain('29990101000000_later');
  });

  it('is refused if the schema is too new for its version, with the oldest allowed version', async () => {
    await pool.query(
      `insert into schema_versions (version, oldest, migrations) values ('99.1.0', '99.0.0', '{29990101000000_later}')`,
    );
    await expect(join()).rejects.toThrow(
      `this is Muster ${packageVersion}, and Muster 99.1.0 has changed the database's schema: ` +
        '99.0.0 is the oldest that may work on it. Start 99.0.0 or newer',
    );
  });

  it('is refused if its file contradicts the installation, until the installation is changed', async () => {
    await join();
    const contradiction =
      'segmentation.url: the installation has "http://segments.test/", this file says "http://sandbox.test/"';
    await expect(join(other)).rejects.toThrow(contradiction);
    await expect(join(other)).rejects.toThrow('muster config apply');
    expect(await applyConfig(pool, other)).toEqual([contradiction]);
    await expect(join(other)).resolves.toBeTypeOf('string');
    await expect(join()).rejects.toThrow('segmentation.url');
  });

  it('writes nothing when it joins again, and is refused after the installation was changed', async () => {
    const deps = { pool, file, seed: { actionTypes: {}, partitionsPerShard: 1 }, clock, logger };
    const written = async () => (await pool.query<{ xmin: string }>('select xmin from installation')).rows[0]?.xmin;
    const first = await goOnTakingPart(deps, undefined);
    const before = await written();
    const second = await goOnTakingPart(deps, first);
    expect([second.id, await written()]).toEqual([first.id, before]);
    await applyConfig(pool, other);
    await expect(goOnTakingPart(deps, second)).rejects.toThrow('muster config apply');
    await applyConfig(pool, file);
    await expect(goOnTakingPart(deps, second)).resolves.toEqual(first);
    await pool.query(`update knex_migrations set name = 'another'`);
    await expect(goOnTakingPart(deps, second)).rejects.toThrow('schema lacks');
  });

  it('is refused at once with a wrong password or database', async () => {
    const url = new URL(database.url);
    url.pathname = '/no_such_database';
    const wrong = open(url.href);
    await expect(takePart({ pool: wrong, file, clock, logger })).rejects.toThrow(
      'DATABASE_URL: database "no_such_database" does not exist',
    );
    await wrong.end();
  });

  it('waits while the database restarts, but not after another error', async () => {
    const fail = (code: string) => () => Promise.reject(Object.assign(new Error('gone'), { code }));
    const asks = [fail('57P01'), fail('ECONNREFUSED'), () => Promise.resolve('read')];
    const reading = untilDatabaseAnswers({ clock, logger }, () => asks.shift()?.() ?? Promise.resolve('too often'));
    await passTime(clock, 2000);
    expect(await reading).toBe('read');
    await expect(untilDatabaseAnswers({ clock, logger }, fail('28P01'))).rejects.toThrow('DATABASE_URL: gone');
  });
});
