import { afterEach, describe, expect, it } from 'vitest';
import type { Clock } from '../../shared/ports/clock.ts';
import type { ChangeKind } from '../../shared/ports/change-feed.ts';
import { notifyChange, type OpenChangeFeed } from '../../shared/postgres/connection/change-feed.ts';
import { startTcpProxy, type TcpProxy } from '../faults/support/tcp-proxy.ts';
import { describeChangeFeed } from '../support/conformance/change-feed.conformance.ts';
import { databaseForFile } from '../support/file-database.ts';
import { listeningOn, nextOf } from '../support/listening.ts';
import { passTime } from '../support/pass-time.ts';
import { createSettableClock } from '../support/settable-clock.ts';

const database = databaseForFile();

const kinds = [
  ...(['registry', 'clients', 'regions', 'run-starts', 'schedules', 'occurrences', 'runs', 'feeds', 'nodes'] as const),
  'hosts' as const,
];

function insertStart(dueIn: string): string {
  return `insert into run_starts (partition_id, due_at, id, campaign, revision)
    values (1, now() + interval '${dueIn}', gen_random_uuid(), gen_random_uuid(), 1)`;
}

function insertSchedule(dueIn: string): string {
  return `insert into schedules (id, name, client, definition, state, high_water, next_check_at)
    values (gen_random_uuid(), 'a schedule', gen_random_uuid(), '{}', 'active', now(), now() + interval '${dueIn}')`;
}

const insertRun = `insert into runs (id, campaign, revision, scheduled_for, state, deadline_at)
  values (gen_random_uuid(), gen_random_uuid(), 1, now(), 'preparing', now())`;

const insertFeed = `with r as (${insertRun} returning id)
  insert into feeds (feed, run, country, segment, snapshot) select gen_random_uuid(), id, 'SG', 'all', 's1' from r`;

const insertNode = `insert into job_nodes (owner, kind, region, expires_at)
  values (gen_random_uuid()::text, 'dispatcher', 'local', now() + interval '10 seconds')`;

const insertHost = `insert into host_circuits (endpoint, host, state, cause, next_at)
  values (gen_random_uuid(), 'down.example', 'open', 'refused', now())`;

const insertOccurrence = (state: 'fired' | 'buffered') => `with s as (${insertSchedule('1 hour')} returning id)
  insert into occurrences (schedule, scheduled_for, kind, state, open, target, due_at, region, owner)
  select id, now(), 'planned', '${state}', true, gen_random_uuid(), now(), 'local', 'a' from s`;

/** Changes of rows after which triggers send a notification. */
const statements = {
  registry: 'update installation set registry_revision = registry_revision + 1',
  clients: 'update installation set clients_revision = clients_revision + 1',
  regions: 'update regions set active = not active',
  'run-starts': insertStart('2 seconds'),
  schedules: insertSchedule('2 seconds'),
  runs: insertRun,
  feeds: insertFeed,
  nodes: insertNode,
  hosts: insertHost,
  occurrences: insertOccurrence('buffered'),
};

/** Changes of existing rows. */
const later: Record<string, [before: string, change: string, kind: ChangeKind]> = {
  'a schedule that is due earlier': [
    insertSchedule('1 hour'),
    'update schedules set next_check_at = now()',
    'schedules',
  ],
  'a resumed schedule': [
    `${insertSchedule('1 second')}; update schedules set state = 'paused'`,
    `update schedules set state = 'active', next_check_at = now() + interval '1 second'`,
    'schedules',
  ],
  'a run that changes its state': [insertRun, `update runs set state = 'running'`, 'runs'],
  'a process that leaves': [insertNode, 'delete from job_nodes', 'nodes'],
  'a dispatcher that leaves': [insertNode, `update job_nodes set expires_at = now() - interval '1 ms'`, 'nodes'],
  'a host whose circuit is closing': [insertHost, `update host_circuits set state = 'closing'`, 'hosts'],
  'a host whose circuit is closed': [insertHost, 'delete from host_circuits', 'hosts'],
  'a released feed': [`${insertFeed}; update feeds set owner = 'a'`, 'update feeds set owner = null', 'feeds'],
};

/** Changes that regular polling finds in time, or that do not concern any listener. */
const unimportant = [
  insertStart('1 minute'),
  insertSchedule('1 minute'),
  `update schedules set next_check_at = next_check_at + interval '1 second'`,
  `update runs set waiting_cause = 'something', state = state`,
  `update feeds set stalled_until = now() + interval '1 second', owner = null`,
  'update feeds set complete = true, owner = null',
  `update job_nodes set expires_at = now() + interval '20 seconds', figures = '{"queued": 1}'`,
  `update host_circuits set next_at = now() + interval '1 second', state = state`,
  insertOccurrence('fired'),
];

const opened: { changes: OpenChangeFeed; proxy: TcpProxy }[] = [];
afterEach(async () => {
  for (const { changes, proxy } of opened.splice(0)) {
    await changes.stop();
    await proxy.close();
  }
});

/** Returns a change feed whose connection the test can cut. */
async function listening(clock?: Clock) {
  await database.empty();
  await database.pool.query(`insert into regions (name) values ('local'), ('other') on conflict do nothing`);
  const url = new URL(database.url);
  const proxy = await startTcpProxy({ host: url.hostname, port: Number(url.port) });
  url.hostname = '127.0.0.1';
  url.port = String(proxy.port);
  const changes = await listeningOn(url.toString(), clock);
  opened.push({ changes, proxy });
  return { changes, proxy };
}

describeChangeFeed('of Postgres', async () => {
  const { changes, proxy } = await listening();
  return {
    changes,
    change: (kind) => notifyChange(kind, database.pool),
    interrupt: () => proxy.listen(false),
    restore: () => proxy.listen(true),
  };
});

describe('the change feed on Postgres', () => {
  it.each(kinds)('notifies of changes to %s', async (kind) => {
    const { changes } = await listening();
    const notified = nextOf(changes, kind);
    await database.pool.query(statements[kind]);
    await expect(notified).resolves.toBeUndefined();
  });

  it.each(Object.keys(later))('notifies of %s', async (name) => {
    const { changes } = await listening();
    const [before = '', change = '', kind = 'runs'] = later[name] ?? [];
    await database.pool.query(before);
    const marked = nextOf(changes, 'clients');
    await database.pool.query(statements.clients);
    await marked;
    const notification = nextOf(changes, kind);
    await database.pool.query(change);
    await expect(notification).resolves.toBeUndefined();
  });

  it('sends no notification for a change that regular polling finds in time', async () => {
    const { changes } = await listening();
    const before = nextOf(changes, 'clients');
    const there = [insertFeed, insertSchedule('1 hour'), insertNode, insertHost];
    await database.pool.query([...there, statements.clients].join('; '));
    await before;
    const received: ChangeKind[] = [];
    for (const kind of kinds) changes.on(kind, () => void received.push(kind));
    const last = nextOf(changes, 'regions');
    for (const change of unimportant) await database.pool.query(change);
    await database.pool.query(statements.regions);
    await last;
    expect(received.filter((kind) => kind !== 'regions')).toEqual([]);
  });

  it('notifies on commit, once for all rows, and not on rollback', async () => {
    const { changes } = await listening();
    const receipt: ChangeKind[] = [];
    changes.on('regions', () => void receipt.push('regions'));
    const client = await database.pool.connect();
    try {
      for (const end of ['rollback', 'commit']) {
        await client.query('begin');
        await client.query(statements.regions);
        await client.query(end);
      }
    } finally {
      client.release();
    }
    const last = nextOf(changes, 'clients');
    await database.pool.query(statements.clients);
    await last;
    expect(receipt).toEqual(['regions']);
  });

  it('detects a silent server as disconnected and continues on another connection', async () => {
    const clock = createSettableClock();
    const { changes, proxy } = await listening(clock);
    const lost = nextOf(changes, 'clients');
    proxy.hold({ toServer: true, toClient: true });
    await passTime(clock, 30_000);
    expect(changes.isConnected()).toBe(true);
    await passTime(clock, 10_000);
    await lost;
    expect(changes.isConnected()).toBe(false);
    const restored = nextOf(changes, 'clients');
    proxy.hold({ toServer: false, toClient: false });
    await passTime(clock, 1000);
    await restored;
    expect(changes.isConnected()).toBe(true);
  });
});
