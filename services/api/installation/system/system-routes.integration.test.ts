import { describe, expect, it } from 'vitest';
import { systemShape } from '../../../../shared/contracts/access/system.ts';
import { createProcessBeats } from '../../../../shared/postgres/registry/process-beats.ts';
import { noteSettings } from '../../../../shared/postgres/registry/service-settings.ts';
import { packageVersion } from '../../../../shared/runtime/version.ts';
import { apiOnPostgres } from '../../../../test/support/api-on-postgres.ts';

const on = apiOnPostgres();

const read = async (secret?: string) => {
  const headers = { authorization: `Bearer ${secret ?? ''}` };
  const answer = secret ? on.api.server.inject({ url: '/v1/system', headers }) : on.ask('GET', '/v1/system');
  return systemShape.parse((await answer).json());
};

async function keyOf(body: object): Promise<string> {
  const made: { secret: string } = (await on.ask('POST', '/v1/api-keys', body)).json();
  return made.secret;
}

describe('the system', () => {
  it('shows the version, the platform, and the settings of the services that started last', async () => {
    await noteSettings(on.pool, 'scheduler', { QUOTA_OPEN_RUNS: 7 });
    const system = await read();
    expect(system.api).toMatchObject({ version: packageVersion, region: 'local' });
    expect(system.database.version).toMatch(/^\d+/);
    expect(system.database.migration).toContain('schema');
    expect(system.database.schemaVersion).toBe(packageVersion);
    expect(system.settings).toEqual([{ name: 'QUOTA_OPEN_RUNS', service: 'scheduler', value: '7' }]);
    expect(system.configuration?.map(({ name }) => name)).toContain('MUSTER_SECRETS_KEY');
  });

  it('shows until when partitions exist, and whether the database archives its write-ahead log', async () => {
    // The clock is in a year for which no partitions were created.
    expect((await read()).partitions).toEqual({
      runsUntil: '2025-12-29T00:00:00.000Z',
      jobsUntil: '2026-01-01T00:00:00.000Z',
      cannotMake: [],
    });
    await on.pool.query(`select make_feed_partitions(now(), now() + interval '14 days')`);
    await on.pool.query(`select make_job_days(now(), now() + interval '1 day')`);
    const { partitions, logArchive } = await read();
    expect(partitions).toMatchObject({ runsUntil: '2026-01-19T00:00:00.000Z', jobsUntil: '2026-01-02T00:00:00.000Z' });
    expect(logArchive).toEqual({
      state: 'off',
      lastArchivedAt: null,
      waitingBytes: null,
      lastFailedAt: null,
      lastFailed: null,
    });
    // A week counts as missing if the partition of one table is missing.
    await on.pool.query('drop table receipts_20260112');
    expect((await read()).partitions.runsUntil).toBe('2026-01-12T00:00:00.000Z');
  });

  it('counts running processes by service, version and region, until they stop or send no heartbeats', async () => {
    const { pool } = on;
    const { clock, logger } = on.deps;
    const begin = (owner: string, service: string, region: string) => {
      const beats = createProcessBeats({ pool, owner, service, region, clock, logger });
      beats.start();
      return beats;
    };
    const running = [
      begin('worker@a/1', 'worker', 'sg'),
      begin('worker@b/2', 'worker', 'sg'),
      begin('api@c/3', 'api', 'id'),
    ];
    await on.passTime(0);
    await pool.query(`update processes set version = '0.0.9' where owner = 'worker@b/2'`);
    const listedProcesses = async () =>
      (await read()).processes.map(({ service, version, region, names }) => [service, version, region, names.join()]);
    const [api, old, worker] = [
      ['api', packageVersion, 'id', 'api@c'],
      ['worker', '0.0.9', 'sg', 'worker@b'],
      ['worker', packageVersion, 'sg', 'worker@a'],
    ];
    expect(await listedProcesses()).toEqual([api, old, worker]);

    await running[0]?.stop();
    await on.passTime(120_000);
    expect(await listedProcesses()).toEqual([api, old]);

    // A killed process leaves its row, which expires without further heartbeats.
    await running[1]?.stop();
    await pool.query(`insert into processes (owner, service, version, region, node, zone_data, expires_at)
      values ('worker@b/2', 'worker', '0.0.9', 'sg', '24.1.0', '2026c', now() + interval '90 s')`);
    await on.passTime(91_000);
    expect(await listedProcesses()).toEqual([api]);
    await pool.query(`update processes set expires_at = expires_at - interval '1 day' where service = 'worker'`);
    await on.passTime(31_000);
    expect(await on.rowsOf('processes')).toHaveLength(1);
    await running[2]?.stop();
    expect(await listedProcesses()).toEqual([]);
  });

  it('shows the largest difference between clocks, and the clocks that are certainly wrong', async () => {
    const { pool } = on;
    const { clock, logger } = on.deps;
    // Starts a process whose clock is ahead by the given time, and whose requests to the database take the given time.
    const begin = (owner: string, aheadMs: number, wayMs = 0) => {
      let asks = 0;
      const own: typeof clock = {
        ...clock,
        now: () => new Date(clock.nowMs() + aheadMs),
        monotonicMs: () => clock.monotonicMs() + (asks += wayMs),
      };
      const beats = createProcessBeats({ pool, owner, service: 'worker', region: 'sg', clock: own, logger });
      beats.start();
      return beats;
    };
    const running = [begin('worker@right/1', 3), begin('worker@late/2', -61_000)];
    await on.passTime(0);
    expect((await read()).clocks).toEqual({ known: 0, apartMs: null, offCount: 0, off: [] });
    await on.passTime(1000);
    const late = { name: 'worker@late', service: 'worker', region: 'sg', aheadMs: -61_000, withinMs: 0 };
    expect((await read()).clocks).toEqual({ known: 2, apartMs: 61_003, offCount: 1, off: [late] });
    const [runtime] = (await read()).runtimes;
    expect(runtime).toEqual({
      zoneData: process.versions['tz'],
      node: process.versions.node,
      processes: 2,
      names: ['worker@late', 'worker@right'],
    });

    // The request took so long that the clock may be right.
    await running[1]?.stop();
    running.push(begin('worker@slow/3', 0, 4000));
    await on.passTime(1000);
    const { known, offCount, off } = (await read()).clocks;
    expect({ known, offCount, off }).toEqual({ known: 2, offCount: 0, off: [] });
    await Promise.all(running.map((beats) => beats.stop()));
  });

  it('shows the configuration only to operators of the installation', async () => {
    const viewer = await keyOf({ name: 'looks', role: 'viewer' });
    const scoped = await keyOf({ name: 'of SG', role: 'operator', scope: { countries: ['SG'] } });
    expect((await read(viewer)).configuration).toBeNull();
    expect((await read(scoped)).configuration).toBeNull();
  });
});
