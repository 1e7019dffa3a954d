import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import pg from 'pg';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createClient, createJob } from '../../sdk/generated/sdk.gen.ts';
import { findFreePorts } from '../../shared/infrastructure/free-ports.ts';
import { treeWithout } from '../faults/support/tree-without.ts';
import { faultControls } from '../mutations/fault-controls.ts';
import { countries, rewardThenMessage, startInstallation, type Installation } from './installation.ts';

const names = ['api', 'scheduler', 'trigger', 'worker-1', 'dispatcher-1'];
const within = { timeout: 60_000, interval: 200 };

/** Databases that refuse to write: a leader that became a standby, or one behind a wrong name. */
describe('row 63: a read-only database', () => {
  let muster: Installation;
  let ports: number[];

  async function begin(root?: string): Promise<void> {
    ports = await findFreePorts(names.length);
    muster = await startInstallation({
      workers: 1,
      dispatchers: 1,
      sandbox: { SANDBOX_SEGMENTS: 'lapsed-riders=1000' },
      engineOf: Object.fromEntries(names.map((name, place) => [name, { HEALTH_PORT: String(ports[place]) }])),
      ...(root !== undefined && { root }),
    });
  }
  afterEach(() => muster.stop());

  async function databaseOf(name: string): Promise<string> {
    const answer = await fetch(`http://127.0.0.1:${ports[names.indexOf(name)]}/readyz`);
    const { parts } = (await answer.json()) as { parts: Record<string, string> };
    return `${answer.status} ${parts['database']}`;
  }

  const job = (client: Installation['api']['client']) => ({
    client,
    body: { client: 'orders', idempotencyKey: randomUUID(), delaySeconds: 86_400, url: 'http://127.0.0.1:9/hook' },
  });

  /** Makes the database writable or read-only, and ends all sessions, as a failover to another server does. */
  async function mayBeWritten(yes: boolean): Promise<void> {
    const [server, name] = [new pg.Client(muster.database.url), new URL(muster.database.url).pathname.slice(1)];
    await server.connect();
    await server.query('set session characteristics as transaction read write');
    await server.query(`alter database ${name} set default_transaction_read_only = ${yes ? 'off' : 'on'}`);
    await server.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name like 'muster-%'`);
    await server.end();
  }

  it('makes every service not ready and every write a 503, and all work continues afterwards', async () => {
    await begin();
    const { client } = muster.api;
    await createClient({
      client,
      body: { name: 'orders', endpoint: { egress: { allow: [{ cidr: '127.0.0.0/8' }] } } },
    });
    // The installation counts as started when its API answers. Other services may still be starting.
    for (const name of names) await vi.waitFor(async () => expect(await databaseOf(name), name).toBe('200 ok'), within);

    await mayBeWritten(false);
    const readOnly = '503 the database may only be read: a standby, or default_transaction_read_only is on';
    for (const name of names) await vi.waitFor(async () => expect(await databaseOf(name), name).toBe(readOnly), within);
    const wanted = job(client);
    const refused = await createJob({ ...wanted, throwOnError: false });
    expect(refused.error).toMatchObject({ problem: { status: 503, code: 'database-unavailable' } });

    await mayBeWritten(true);
    for (const name of names) await vi.waitFor(async () => expect(await databaseOf(name), name).toBe('200 ok'), within);
    const accepted = await vi.waitFor(() => createJob(wanted), within);
    expect(accepted.response.status).toBe(201);
    const campaign = { name: 'After it', countries, segment: 'lapsed-riders', chain: rewardThenMessage };
    const ended = await muster.api.awaitEnd(await muster.api.run(campaign));
    expect(ended.state).toBe('completed');
  });

  it('passes as healthy if services do not check for write access (control)', async () => {
    const tree = await treeWithout(faultControls.readOnlyIsNotReady);
    try {
      await begin(tree);
      const { client } = muster.api;
      await createClient({
        client,
        body: { name: 'orders', endpoint: { egress: { allow: [{ cidr: '127.0.0.0/8' }] } } },
      });
      await mayBeWritten(false);
      const refusal = async () => (await createJob({ ...job(client), throwOnError: false })).error;
      await vi.waitFor(async () => expect(await refusal()).toBeDefined(), within);
      for (const name of names)
        await vi.waitFor(async () => expect(await databaseOf(name), name).toBe('200 ok'), within);
      await mayBeWritten(true);
    } finally {
      await rm(tree, { recursive: true });
    }
  });
});
