import { setTimeout as wait } from 'node:timers/promises';
import { startCpuMeter } from '../cpu.ts';
import type { Table } from '../results.ts';
import type { Servers } from '../servers.ts';
import type { Firing } from './installation.ts';
import {
  leadTimeMs,
  meters,
  timeoutMs,
  microsPerJob,
  perSecondOf,
  rowOf,
  startWarm,
  warmUp,
  withFiring,
  type Lags,
} from './lags.ts';
import { startReceiver, type Receiver } from './receiver.ts';

const rates = [1000, 5000];
const fewJobsMs = 12_000;
const quietPerSecond = 50;
const quietLeadMs = 1000;

/** Measures how late jobs arrive at their receiver. */
export async function measureCalls(servers: Servers, seconds: number): Promise<Table> {
  const rows = [];
  for (const rate of rates) {
    rows.push(rowOf(`${rate} due/s`, await withReceiver((receiver) => callAll(servers, receiver, { rate, seconds }))));
    console.error(JSON.stringify(rows.at(-1)));
  }
  return { title: 'Called and recorded', rows };
}

async function callAll(
  servers: Servers,
  receiver: Receiver,
  { rate, seconds }: { rate: number; seconds: number },
): Promise<Lags> {
  return await withFiring(servers, async (firing) => {
    await startWarm(firing, receiver);
    const jobs = rate * seconds;
    const { fromMs } = await firing.addJobs({
      jobs,
      overMs: seconds * 1000,
      inMs: leadTimeMs(jobs),
      url: receiver.url,
    });
    await wait(fromMs - Date.now());
    const cpu = startCpuMeter(metersOf(servers, firing, receiver));
    await firing.untilEnded(warmUp.jobs + jobs, timeoutMs);
    const lagsMs = (await receiver.lags()).jobs;
    return { perSecond: perSecondOf(jobs, fromMs), lagsMs, cpu: microsPerJob(cpu(), jobs) };
  });
}

/**
 * Measures a burst: all jobs of one client are due within a second. Jobs of another client are due steadily, from
 * before the burst until after its last call.
 */
export async function measureBurst(servers: Servers, jobs: number): Promise<Table> {
  const rows = await withReceiver((receiver) =>
    withFiring(servers, async (firing) => {
      await startWarm(firing, receiver);
      const quiet = (fewJobsMs / 1000) * quietPerSecond;
      const { fromMs } = await firing.addJobs({ jobs, overMs: 1000, inMs: leadTimeMs(jobs), url: receiver.url });
      const beginsMs = fromMs - quietLeadMs;
      const others = { jobs: quiet, overMs: fewJobsMs, inMs: beginsMs - Date.now(), url: `${receiver.url}quiet/` };
      await firing.addJobs({ ...others, client: 'quiet' });
      await wait(fromMs - Date.now());
      const cpu = startCpuMeter(metersOf(servers, firing, receiver));
      await firing.untilEnded(warmUp.jobs + jobs, timeoutMs);
      const crowd = { perSecond: perSecondOf(jobs, fromMs), cpu: microsPerJob(cpu(), jobs) };
      await firing.untilEnded(warmUp.jobs + jobs + quiet, timeoutMs);
      const lags = await receiver.lags();
      return [
        rowOf(`the crowd of ${jobs}`, { ...crowd, lagsMs: lags.jobs }),
        rowOf('another client', { perSecond: quietPerSecond, cpu: {}, lagsMs: lags.quiet }),
      ];
    }),
  );
  return { title: 'A burst, and another client meanwhile', rows };
}

function metersOf(servers: Servers, firing: Firing, receiver: Receiver) {
  return { ...meters(servers, firing), receiver: () => [receiver.pid] };
}

export async function withReceiver<Result>(work: (receiver: Receiver) => Promise<Result>): Promise<Result> {
  const receiver = await startReceiver();
  try {
    return await work(receiver);
  } finally {
    await receiver.stop();
  }
}
