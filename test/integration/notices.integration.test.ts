import { afterEach, describe, expect, it } from 'vitest';
import type { Clock } from '../../shared/ports/clock.ts';
import type { NoticeKind } from '../../shared/ports/notices.ts';
import { tellOf, type HeardNotices } from '../../shared/postgres/connection/notices.ts';
import { startTcpProxy, type TcpProxy } from '../faults/support/tcp-proxy.ts';
import { describeNotices } from '../support/conformance/notices.conformance.ts';
import { databaseForFile } from '../support/file-database.ts';
import { listeningOn, nextOf } from '../support/listening.ts';
import { passTime } from '../support/pass-time.ts';
import { createSettableClock } from '../support/settable-clock.ts';

const database = databaseForFile();

/** Changes of rows that tell by themselves. */
const changes = {
  registry: 'update installation set registry_revision = registry_revision + 1',
  clients: 'update installation set clients_revision = clients_revision + 1',
  regions: 'update regions set active = not active',
};

const opened: { notices: HeardNotices; proxy: TcpProxy }[] = [];
afterEach(async () => {
  for (const { notices, proxy } of opened.splice(0)) {
    await notices.stop();
    await proxy.close();
  }
});

/** Through a line that can be cut. */
async function listening(clock?: Clock) {
  await database.empty();
  await database.pool.query(`insert into regions (name) values ('local'), ('other') on conflict do nothing`);
  const url = new URL(database.url);
  const proxy = await startTcpProxy({ host: url.hostname, port: Number(url.port) });
  url.hostname = '127.0.0.1';
  url.port = String(proxy.port);
  const notices = await listeningOn(url.toString(), clock);
  opened.push({ notices, proxy });
  return { notices, proxy };
}

describeNotices('of Postgres', async () => {
  const { notices, proxy } = await listening();
  return {
    notices,
    change: (kind) => tellOf(kind, database.pool),
    interrupt: () => proxy.listen(false),
    restore: () => proxy.listen(true),
  };
});

describe('notices of Postgres, beyond their twin', () => {
  it.each(['registry', 'clients', 'regions'] as const)('tell that %s has changed', async (kind) => {
    const { notices } = await listening();
    const told = nextOf(notices, kind);
    await database.pool.query(changes[kind]);
    await expect(told).resolves.toBeUndefined();
  });

  it('come with the commit, once for all rows, and not for what was rolled back', async () => {
    const { notices } = await listening();
    const heard: NoticeKind[] = [];
    notices.on('regions', () => void heard.push('regions'));
    const client = await database.pool.connect();
    try {
      for (const end of ['rollback', 'commit']) {
        await client.query('begin');
        await client.query(changes.regions);
        await client.query(end);
      }
    } finally {
      client.release();
    }
    const last = nextOf(notices, 'clients');
    await database.pool.query(changes.clients);
    await last;
    expect(heard).toEqual(['regions']);
  });

  it('are known not to come where the server says nothing any more, and come again by another connection', async () => {
    const clock = createSettableClock();
    const { notices, proxy } = await listening(clock);
    const lost = nextOf(notices, 'clients');
    proxy.hold({ toServer: true, toClient: true });
    await passTime(clock, 30_000);
    expect(notices.isHearing()).toBe(true);
    await passTime(clock, 10_000);
    await lost;
    expect(notices.isHearing()).toBe(false);
    const restored = nextOf(notices, 'clients');
    proxy.hold({ toServer: false, toClient: false });
    await passTime(clock, 1000);
    await restored;
    expect(notices.isHearing()).toBe(true);
  });
});
