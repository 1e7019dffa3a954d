import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { connectionsOf } from '../../shared/postgres/connection/connections.ts';
import { runMuster } from '../test-muster.ts';
import { computeSize, type Load } from './compute-size.ts';
import { figures } from './figures.ts';

const page = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), 'utf8');

const load: Load = {
  usersADay: 10_000_000,
  hours: 1,
  steps: 2,
  cappedSteps: 0,
  latencyMs: 50,
  failedPercent: 2,
  receiptsPercent: 100,
  idLength: 12,
  workerConcurrency: 200,
  jobsADay: 0,
  jobsASecond: 0,
  keepDays: { users: 14, receipts: 7, steps: 30, failures: 90, jobs: 30, cap: 7 },
};

describe('the size of an installation', () => {
  it('is computed from the figures that the docs publish', () => {
    const row = /^\| \*\*Muster\*\*[^|]*\|(.*)\|$/m.exec(page('performance.md'))?.[1] ?? '';
    const published = [...row.matchAll(/\((\d+)\)/g)].map(([, us]) => Number(us));
    expect(figures.batch.map(({ us }) => us)).toEqual(published);
    const { worker, Postgres, trigger, Kafka } = figures.batchByProcess;
    expect(page('performance.md')).toContain(
      `worker ${worker}, Postgres ${Postgres}, trigger ${trigger}, Kafka ${Kafka}`,
    );
    for (const [what, size] of Object.entries(figures.kept))
      expect(page('data.md')).toMatch(new RegExp(`^\\| ${what} .*\\| ${size} bytes`, 'm'));
    for (const service of ['api', 'scheduler', 'trigger', 'worker', 'dispatcher'] as const)
      expect(page('postgres.md')).toMatch(new RegExp(`^\\| ${service} +\\| +${connectionsOf(service)} \\|`, 'm'));
  });

  it('matches the example in the docs for 10,000,000 users an hour: 28 batches a second, 3 slots a step', () => {
    const size = computeSize(load);
    expect(size.batchesASecond).toBeCloseTo(27.8, 1);
    expect(size.slots).toBe(3);
    expect(size.processes).toEqual({ api: 2, scheduler: 2, trigger: 2, worker: 2, dispatcher: 2 });
  });

  it('has enough workers for the slots, and partitions for all workers', () => {
    const size = computeSize({ ...load, latencyMs: 10_000, workerConcurrency: 50 });
    expect(size.slots).toBe(556);
    expect(size.processes.worker).toBe(23);
    expect(size.partitionsPerShard).toBe(35);
  });

  it('interpolates the cost between two measured latencies and stays constant beyond the longest', () => {
    const coresAt = (latencyMs: number) => computeSize({ ...load, latencyMs }).cores.worker;
    expect(coresAt(35)).toBeCloseTo((coresAt(20) + coresAt(50)) / 2);
    expect(coresAt(500)).toBe(coresAt(50));
    expect(computeSize({ ...load, steps: 4 }).cores.worker).toBeCloseTo(2 * coresAt(50));
  });

  it('reserves half of each core, and assumes cores half as fast as the measured ones', () => {
    const perBatch = (figures.batch.at(-1)?.us ?? 0) * (figures.batchByProcess.worker / 213);
    expect(computeSize(load).cores.worker).toBeCloseTo((27.8 * perBatch * 2) / 1e6 / 0.5, 2);
  });

  it('has connections for each process and some for operators', () => {
    // Connections of api, scheduler, trigger, worker and dispatcher, two processes of each.
    expect(computeSize(load).connections).toBe(20 + 2 * (30 + 11 + 15 + 6 + 6));
  });

  it('includes receipts and failures in the WAL volume', () => {
    const logWith = (changes: Partial<Load>) => computeSize({ ...load, ...changes }).disk.logADay;
    const withoutBoth = logWith({ receiptsPercent: 0, failedPercent: 0 });
    expect(logWith({ failedPercent: 0 }) - withoutBoth).toBeCloseTo(10_000_000 * figures.log.receipt);
    expect(logWith({ receiptsPercent: 0 }) - withoutBoth).toBeCloseTo(200_000 * figures.log.failure);
  });

  it('counts effects of capped steps for the longest cap, one day and one week, and their CPU', () => {
    const capped = computeSize({ ...load, cappedSteps: 1 });
    expect(computeSize(load).disk.effects).toBe(0);
    expect(capped.disk.effects).toBe(10_000_000 * figures.kept.effect * (7 + 1 + 7));
    // On cores half as fast as the measured ones, at most half busy.
    const added = (27.8 * figures.cappedStepUs * 2) / 1e6 / 0.5;
    expect(capped.cores.Postgres - computeSize(load).cores.Postgres).toBeCloseTo(added, 2);
    const ofUuids = computeSize({ ...load, cappedSteps: 1, idLength: 36 }).disk.effects;
    expect(ofUuids / capped.disk.effects).toBeCloseTo((22 + 24 * 0.8) / 22);
  });

  it('keeps receipts for their own retention plus one week, because whole weeks are dropped', () => {
    const keptWith = (receipts: number) => computeSize({ ...load, keepDays: { ...load.keepDays, receipts } }).disk;
    expect(keptWith(7).receipts).toBe(10_000_000 * figures.kept.receipt * (7 + 7));
    expect(keptWith(90).receipts / keptWith(7).receipts).toBeCloseTo(97 / 14);
    expect(keptWith(90).failures).toBe(keptWith(7).failures);
  });

  it('grows with the length of user ids, in tables and in the WAL', () => {
    const diskWith = (idLength: number) => computeSize({ ...load, idLength }).disk;
    const [short, long] = [diskWith(12), diskWith(36)];
    expect(long.users / short.users).toBeCloseTo((18 + 24) / 18);
    expect(long.receipts / short.receipts).toBeCloseTo((118 + 24 * 2.7) / 118);
    expect(long.logADay).toBeGreaterThan(1.2 * short.logADay);
    expect(Object.values(computeSize({ ...load, idLength: 1 }).disk).every((bytes) => bytes >= 0)).toBe(true);
  });

  it('names the limits of one database that the load exceeds', async () => {
    expect(computeSize(load).exceeds).toEqual([]);
    const exceeds = (usersADay: number) => computeSize({ ...load, usersADay }).exceeds;
    expect(exceeds(2_000_000_000)).toEqual(['logBytesASecond']);
    expect(exceeds(6_000_000_000)).toEqual(['logBytesASecond', 'keptBytes']);
    expect(exceeds(100_000_000_000)).toEqual(['cores', 'logBytesASecond', 'keptBytes', 'connections']);
    const { out } = await runMuster(['size', '--users', '2000000000', '--hours', '1'], {});
    expect(out).toContain('More than one database can carry: more than 100 MiB of log a second while users are sent');
    expect((await runMuster(['size'], {})).out).not.toContain('More than one database');
  });

  it('has at most as many steps with a cap as steps', async () => {
    const { code, notes } = await runMuster(['size', '--capped-steps', '3'], {});
    expect(code).not.toBe(0);
    expect(notes).toContain('--capped-steps 3: has to be at most --steps, which is 2');
    expect((await runMuster(['size', '--capped-steps', '2'], {})).out).toContain('effects of caps 6.1 GiB');
  });

  it('is printed as tables, and as JSON with --json', async () => {
    const { code, out, notes } = await runMuster(['size', '--users', '10000000', '--jobs', '1000000'], {});
    expect(code).toBe(0);
    expect(out).toMatch(/worker +2 +/);
    expect(out).toContain('partitions of each shard');
    expect(notes).toContain('measure with your endpoints');
    const asData = await runMuster(['--json', 'size'], {});
    expect(JSON.parse(asData.out)).toMatchObject({ partitionsPerShard: 3 });
  });
});
