import type { Pool } from 'pg';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createPool } from '../../shared/postgres/connection/pool.ts';
import { createChangeFeed, notifyChange } from '../../shared/postgres/connection/change-feed.ts';
import { migrate } from '../../shared/postgres/connection/migrate.ts';
import { connectClient } from '../../shared/postgres/connection/servers/servers.ts';
import { checkServers } from '../../shared/postgres/connection/servers/check-servers.ts';
import { requireWritable } from '../../shared/postgres/connection/right-server.ts';
import { systemClock } from '../../shared/runtime/system-clock.ts';
import { until } from '../faults/support/until.ts';
import { startPostgresPair, type PostgresPair } from '../support/postgres-pair.ts';

const logger = pino({ level: 'silent' });

describe('two Postgres servers in DATABASE_URL, a leader and a standby', () => {
  let pair: PostgresPair;
  const closing: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    pair = await startPostgresPair();
  });
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });
  afterAll(() => pair.end());

  const open = (connectionString = pair.databaseUrl): Pool => {
    const pool = createPool({ connectionString, applicationName: 'pair', max: 3, logger });
    closing.push(() => pool.end());
    return pool;
  };
  const portOf = async (pool: Pool) => {
    const { rows } = await pool.query<{ port: string }>(`select current_setting('port') as port`);
    return `127.0.0.1:${rows[0]?.port ?? ''}`;
  };
  /** Names the standby first, so that a client that does not check the server would use it. */
  const standbyFirst = () =>
    pair.databaseUrl.replace(`${pair.one.name},${pair.two.name}`, `${pair.two.name},${pair.one.name}`);

  it('receive migrations and writes on the leader, whichever is named first', async () => {
    expect((await migrate(standbyFirst())).length).toBeGreaterThan(0);
    const pool = open(standbyFirst());
    await requireWritable(pool);
    expect(await portOf(pool)).toBe(pair.one.name);
    expect(await portOf(open(`${standbyFirst()}?target_session_attrs=any`))).toBe(pair.two.name);
    expect(await checkServers(pair.databaseUrl)).toBe(`${pair.one.name} leads, ${pair.two.name} is a standby`);
  });

  it('are followed by pools and the change feed to the new leader and back, automatically', async () => {
    const pool = open();
    const changes = createChangeFeed({
      connectionString: pair.databaseUrl,
      applicationName: 'pair',
      clock: systemClock,
      logger,
    });
    closing.push(() => changes.stop());
    let received = 0;
    changes.on('jobs', () => received++);
    changes.start();
    const isReceived = async () => {
      await until('the listener listens', () => changes.isConnected());
      const before = received;
      await notifyChange('jobs', pool);
      await until('a notification arrives', () => received > before);
    };
    await pool.query('create table kept (n int)');
    await isReceived();

    for (const [leader, next] of [
      [pair.one, pair.two],
      [pair.two, pair.one],
    ] as const) {
      expect(await portOf(pool)).toBe(leader.name);
      await pool.query('insert into kept values (1)');
      await leader.stop();
      await until('the one that is left is no leader yet', () =>
        pool.query('select 1').then(
          () => false,
          (error: unknown) => String(error).includes(`${next.name}: is a standby`),
        ),
      );
      await next.promote();
      await until('the pool is at the new leader', async () => (await portOf(pool)) === next.name);
      await isReceived();
      await leader.follow();
      // The server that was the leader last is asked first.
      await Promise.all(Array.from({ length: 3 }, () => pool.query('select 1')));
      expect(await portOf(open())).toBe(next.name);
    }
    expect((await pool.query('select from kept')).rowCount).toBe(2);
  });

  it('break a held connection to the old leader once another server leads', async () => {
    const pool = open();
    const [held, leader] = [await pool.connect(), await portOf(pool)];
    const [old, next] = leader === pair.one.name ? [pair.one, pair.two] : [pair.two, pair.one];
    const broken = new Promise<Error>((resolve) => held.once('error', resolve));
    // The old leader continues and accepts writes, like a server that is cut off from the others.
    await next.promote();
    old.freezeDoor();
    try {
      // One new connection is enough for the pool to learn the new leader.
      const found = await connectClient(pair.databaseUrl);
      closing.push(() => found.end());
      expect((await broken).message).toBe(`Connection lost: ${next.name} leads now`);
      held.release(true);
      expect(await portOf(pool)).toBe(next.name);
      await expect(checkServers(pair.databaseUrl)).resolves.toContain(`${next.name} leads`);
    } finally {
      old.thawDoor();
    }
    await expect(checkServers(pair.databaseUrl)).rejects.toThrow(`${pair.one.name} leads, ${pair.two.name} leads`);
  });
});
