import { setTimeout as wait } from 'node:timers/promises';
import { startCpuMeter } from '../cpu.ts';
import { percentile, rounded, type Row, type Table } from '../results.ts';
import type { Servers } from '../servers.ts';
import { withReceiver } from './calls.ts';
import type { Firing } from './installation.ts';
import { leadTimeMs, meters, microsPerJob, startWarm, warmUp, withFiring } from './lags.ts';
import type { Receiver } from './receiver.ts';

const quietPerSecond = 50;
/** Time after all jobs are due, until jobs of each key are being called. */
const settlingMs = 1000;

interface Case {
  name: string;
  jobs: number;
  /**
   * Number of ordering keys. The jobs are due at one instant, and each key's jobs are called one after the other. Null
   * means jobs without keys, called concurrently.
   */
  keys: number | null;
}

const cases: readonly Case[] = [
  { name: 'no keys', jobs: 200_000, keys: null },
  { name: '10,000 keys', jobs: 200_000, keys: 10_000 },
  { name: '1,000 keys', jobs: 100_000, keys: 1000 },
  { name: '100 keys', jobs: 100_000, keys: 100 },
  { name: 'one key, 100,000 wait behind it', jobs: 100_000, keys: 1 },
];

/** Measures the calls per second of jobs that are ordered by keys, and how they affect another client. */
export async function measureOrdered(servers: Servers, seconds: number): Promise<Table> {
  const rows: Row[] = [];
  for (const each of cases) {
    rows.push(
      await withReceiver((receiver) =>
        withFiring(servers, (firing) => measureCase(each, { servers, firing, receiver, seconds })),
      ),
    );
    console.error(JSON.stringify(rows.at(-1)));
  }
  return { title: 'A backlog ordered by keys, and another client meanwhile', rows };
}

interface Measured {
  servers: Servers;
  firing: Firing;
  receiver: Receiver;
  seconds: number;
}

async function measureCase({ name, jobs, keys }: Case, { servers, firing, receiver, seconds }: Measured): Promise<Row> {
  await startWarm(firing, receiver);
  const inMs = leadTimeMs(jobs) * (keys === null ? 1 : 2);
  const { fromMs } = await firing.addJobs({ jobs, overMs: 0, inMs, url: receiver.url, keys });
  await firing.addJobs({
    jobs: seconds * quietPerSecond,
    overMs: seconds * 1000,
    inMs: Math.max(1000, fromMs + settlingMs - Date.now()),
    url: `${receiver.url}quiet/`,
    client: 'quiet',
  });
  await wait(Math.max(0, fromMs + settlingMs - Date.now()));
  const before = await firing.ended('jobs');
  const cpu = startCpuMeter({ ...meters(servers, firing), receiver: () => [receiver.pid] });
  await wait(seconds * 1000);
  const done = (await firing.ended('jobs')) - before;
  const micros = Object.entries(microsPerJob(cpu(), Math.max(1, done)));
  const { quiet } = await receiver.lags();
  return {
    case: name,
    'done/s': rounded(done / seconds),
    'per key/s': keys === null ? '' : rounded(done / seconds / keys),
    left: warmUp.jobs + jobs - before - done,
    'another, p50, ms': rounded(percentile(quiet, 0.5)),
    'p99, ms': rounded(percentile(quiet, 0.99)),
    ...Object.fromEntries(micros.map(([process, sum]) => [`${process} µs`, Math.round(sum)])),
  };
}
