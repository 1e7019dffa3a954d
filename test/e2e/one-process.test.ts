import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import pg from 'pg';
import { examineInstallation } from '../../cli/installation/doctor/examine-installation.ts';
import { violations } from '../support/evidence.ts';
import { poolSizes } from '../../shared/postgres/connection/connections.ts';
import { countries, rewardThenMessage, startInstallation, type Installation } from './installation.ts';

describe('all services in one process', () => {
  let muster: Installation;

  beforeAll(async () => {
    muster = await startInstallation({
      workers: 'all-in-one',
      sandbox: {
        SANDBOX_SEGMENTS: 'lapsed-riders=20000',
        SANDBOX_REWARDS_FAILURE_SHARE: '0.02',
        SANDBOX_REWARDS_LATENCY_MS: '50',
      },
    });
  });
  afterAll(() => muster.stop());

  it('execute a campaign at its time and not before (P5)', async () => {
    // The time is in the future, because a campaign with a past time is refused at its start.
    const due = new Date(Date.now() + 10_000).toISOString();
    const runId = await muster.api.run({
      name: 'In ten seconds',
      countries,
      segment: 'lapsed-riders',
      chain: rewardThenMessage,
      schedule: { type: 'at', time: due },
    });
    await muster.api.awaitEnd(runId);

    const report = await muster.api.report(runId);
    expect(report.scheduledFor).toBe(due);
    expect(new Date(report.startedAt ?? 0).getTime()).toBeGreaterThanOrEqual(new Date(due).getTime());
    expect(violations(await muster.evidence(runId, 'lapsed-riders'))).toEqual([]);
  });

  it('open no more connections than documented, under the documented names', async () => {
    const client = new pg.Client({ connectionString: muster.database.url });
    await client.connect();
    const { rows: found } = await client.query<{ name: string; many: number }>(`
      select application_name as name, count(*)::int as many from pg_stat_activity
      where datname = current_database() and application_name like 'muster-%'
        and application_name <> 'muster-sandbox'
      group by 1`);
    await client.end();
    const published = Object.entries(poolSizes).flatMap(([service, pools]) =>
      // Each process has one more connection, on which it listens for changes.
      Object.entries(pools).map(([name, size]) => [name, size + (name === `muster-${service}` ? 1 : 0)] as const),
    );
    const most = new Map<string, number>(published);
    expect(found.filter(({ name, many }) => many > (most.get(name) ?? 0))).toEqual([]);
    expect(found.map(({ name }) => name)).toEqual(expect.arrayContaining(['muster-worker', 'muster-trigger-feeds']));
  });

  it('run with the same shared settings, according to muster doctor', async () => {
    const checks = await examineInstallation({ DATABASE_URL: muster.database.url });
    const found = 'QUOTA_OPEN_RUNS: the same in api, scheduler, this command';
    expect(checks.find(({ name }) => name === 'settings')).toMatchObject({ ok: true, found });
  });

  it('report to the API how long uploaded lists are kept', async () => {
    const client = new pg.Client({ connectionString: muster.database.url });
    await client.connect();
    const { rows } = await client.query(`select name, value from service_settings where service = 'trigger'`);
    await client.end();
    expect(rows).toEqual([{ name: 'RETENTION_AUDIENCES_DAYS', value: '30' }]);
  });

  it('end in order with exit code 0 during a campaign, which continues after the restart', async () => {
    const runId = await muster.api.run({ name: 'Cut', countries, segment: 'lapsed-riders', chain: rewardThenMessage });
    const service = muster.services.get('all');
    await service?.end('SIGTERM');
    expect(await service?.exited).toBe(0);

    await muster.restart('all');
    await muster.api.awaitEnd(runId);
    expect(violations(await muster.evidence(runId, 'lapsed-riders'))).toEqual([]);
  });
});
