import { setTimeout as wait } from 'node:timers/promises';
import { startCpuMeter } from '../cpu.ts';
import type { Table } from '../results.ts';
import type { Servers } from '../servers.ts';
import {
  leadTimeMs,
  meters,
  timeoutMs,
  microsPerJob,
  perSecondOf,
  rowOf,
  warmUp,
  withFiring,
  type Lags,
} from './lags.ts';
import type { Firing } from './installation.ts';
import { watchTopic } from './topic-watch.ts';

const rates = [1000, 5000, 20_000];
/**
 * Length of a measurement. No dispatcher claims jobs in this part, so after ten seconds the sweep would offer them
 * again. That load does not occur in an installation with dispatchers.
 */
export const offerSeconds = 8;
/** URL of the jobs, which are never called. */
const unusedUrl = 'http://127.0.0.1:1/';
const crowdMs = 1000;

/** Measures how late jobs appear on the topic. */
export async function measureOffers(servers: Servers, seconds: number): Promise<Table> {
  const rows = [];
  for (const rate of rates) {
    const lags = await withFiring(servers, (firing) => measureOffersTurn(servers, firing, { rate, seconds }));
    rows.push(rowOf(`${rate} due/s`, lags));
    console.error(JSON.stringify(rows.at(-1)));
  }
  return { title: 'Onto the topic', rows };
}

/** Measures jobs that are all due within one second: the time until the last of them is on the topic. */
export async function measureCrowd(servers: Servers, jobs: number): Promise<Table> {
  const lags = await withFiring(servers, (firing) =>
    measureOffersTurn(servers, firing, { rate: (jobs * 1000) / crowdMs, seconds: crowdMs / 1000 }),
  );
  return { title: `${jobs} due in one second, onto the topic`, rows: [rowOf('the crowd', lags)] };
}

/**
 * Takes one turn in an installation. Ends the scheduler and removes its jobs afterwards, so that further turns can
 * follow.
 */
export async function measureOffersTurn(
  servers: Servers,
  firing: Firing,
  { rate, seconds }: { rate: number; seconds: number },
): Promise<Lags> {
  const jobs = rate * seconds;
  const watch = await watchTopic(firing);
  try {
    const scheduler = await firing.start('scheduler');
    // Code that has not run yet is several times as slow, and in production a scheduler is new only for a short time.
    await firing.addJobs({ ...warmUp, url: unusedUrl });
    await watch.collect(warmUp.jobs, timeoutMs);
    await firing.removeDue();
    watch.beginAnew();
    const { fromMs } = await firing.addJobs({ jobs, overMs: seconds * 1000, inMs: leadTimeMs(jobs), url: unusedUrl });
    await wait(fromMs - Date.now());
    const cpu = startCpuMeter(meters(servers, firing));
    const lagsMs = await watch.collect(jobs, timeoutMs);
    const lags = { perSecond: perSecondOf(jobs, fromMs), lagsMs, cpu: microsPerJob(cpu(), jobs) };
    await firing.end(scheduler);
    await firing.removeDue();
    return lags;
  } finally {
    await watch.stop();
  }
}
