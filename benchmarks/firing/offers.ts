import { setTimeout as wait } from 'node:timers/promises';
import { startCpuMeter } from '../cpu.ts';
import type { Table } from '../results.ts';
import type { Servers } from '../servers.ts';
import { leadOf, meters, patienceMs, perJob, perSecondOf, rowOf, warmUp, withFiring, type Lags } from './lags.ts';
import type { Firing } from './installation.ts';
import { watchTopic } from './topic-watch.ts';

const rates = [1000, 5000, 20_000];
/**
 * No dispatcher claims what is offered here. After ten seconds the sweep would offer it again, which no installation
 * with dispatchers has to bear.
 */
export const offerSeconds = 8;
/** It is never called. */
const nowhere = 'http://127.0.0.1:1/';
const crowdMs = 1000;

/** How late are jobs on the topic? */
export async function measureOffers(servers: Servers, seconds: number): Promise<Table> {
  const rows = [];
  for (const rate of rates) {
    const lags = await withFiring(servers, (firing) => takeOffersTurn(servers, firing, { rate, seconds }));
    rows.push(rowOf(`${rate} due/s`, lags));
    console.error(JSON.stringify(rows.at(-1)));
  }
  return { title: 'Onto the topic', rows };
}

/** All are due within a second: how long until the last of them is on the topic? */
export async function measureCrowd(servers: Servers, jobs: number): Promise<Table> {
  const lags = await withFiring(servers, (firing) =>
    takeOffersTurn(servers, firing, { rate: (jobs * 1000) / crowdMs, seconds: crowdMs / 1000 }),
  );
  return { title: `${jobs} due in one second, onto the topic`, rows: [rowOf('the crowd', lags)] };
}

/** One turn of an installation that may have others: it is left as it was found. */
export async function takeOffersTurn(
  servers: Servers,
  firing: Firing,
  { rate, seconds }: { rate: number; seconds: number },
): Promise<Lags> {
  const jobs = rate * seconds;
  const watch = await watchTopic(firing);
  try {
    const scheduler = await firing.start('scheduler');
    // Code that was never run is several times as slow, and no scheduler is young for long.
    await firing.addJobs({ ...warmUp, url: nowhere });
    await watch.collect(warmUp.jobs, patienceMs);
    await firing.removeDue();
    watch.beginAnew();
    const { fromMs } = await firing.addJobs({ jobs, overMs: seconds * 1000, inMs: leadOf(jobs), url: nowhere });
    await wait(fromMs - Date.now());
    const cpu = startCpuMeter(meters(servers, firing));
    const lagsMs = await watch.collect(jobs, patienceMs);
    const lags = { perSecond: perSecondOf(jobs, fromMs), lagsMs, cpu: perJob(cpu(), jobs) };
    await firing.end(scheduler);
    await firing.removeDue();
    return lags;
  } finally {
    await watch.stop();
  }
}
