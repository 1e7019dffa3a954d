import { startCpuMeter, withDescendants } from '../cpu.ts';
import { percentile, publishTables, rounded, type Row } from '../results.ts';
import { withServers, type Servers } from '../servers.ts';
import { databaseSettings } from '../warm-database.ts';
import { startFiring, type Firing } from './installation.ts';
import { startReceiver } from './receiver.ts';
import { watchTopic } from './topic-watch.ts';

/**
 * How late are callbacks that are due: on the topic, and at their receiver; and what does a burst of a hundred thousand in one second do to
 * another client? Jobs are put into the table beforehand: accepting them is another question.
 */
const question =
  'Lag of callbacks that are due, onto the topic and to the receiver, and a burst of 100,000 in one second';
const rates = [1000, 5000, 20_000];
const calledRates = [1000, 5000];
const burstJobs = 100_000;
const quietRate = 50;
/** Jobs have to be in the table before the first is due: this, and some of it for each of them. */
const leadMs = 4000;
const leadPerJobMs = 0.1;
const patienceMs = 120_000;

interface Lags {
  perSecond: number;
  lagsMs: number[];
}

export async function benchmarkFiring({ quick }: { quick: boolean }): Promise<void> {
  const seconds = quick ? 5 : 15;
  await withServers({ ...databaseSettings }, async (servers) => {
    const offered: Row[] = [];
    for (const rate of rates) {
      offered.push(rowOf(`${rate} due/s`, await measureOffers(servers, rate, seconds)));
      console.error(JSON.stringify(offered.at(-1)));
    }
    const called: Row[] = [];
    for (const rate of calledRates) {
      called.push(rowOf(`${rate} due/s`, await measureCalls(servers, rate, seconds)));
      console.error(JSON.stringify(called.at(-1)));
    }
    const burst = await measureBurst(servers, quick ? burstJobs / 5 : burstJobs);
    publishTables('firing', question, [
      { title: 'Onto the topic', rows: offered },
      { title: 'Called and recorded', rows: called },
      { title: 'A burst, and another client meanwhile', rows: burst },
    ]);
  });
}

async function measureOffers(servers: Servers, rate: number, seconds: number): Promise<Lags & { cpu: Row }> {
  return await withFiring(servers, async (firing) => {
    const watch = await watchTopic(firing);
    try {
      await firing.start('scheduler');
      const { fromMs } = await firing.addJobs({
        jobs: rate * seconds,
        overMs: seconds * 1000,
        inMs: leadOf(rate * seconds),
        url: 'http://127.0.0.1:1/',
      });
      const cpu = startCpuMeter(meters(servers, firing));
      const lagsMs = await watch.collect(rate * seconds, patienceMs);
      return { perSecond: perSecondOf(lagsMs.length, fromMs), lagsMs, cpu: perJob(cpu(), lagsMs.length) };
    } finally {
      await watch.stop();
    }
  });
}

async function measureCalls(servers: Servers, rate: number, seconds: number): Promise<Lags & { cpu: Row }> {
  const receiver = await startReceiver();
  try {
    return await withFiring(servers, async (firing) => {
      await Promise.all([firing.start('scheduler'), firing.start('dispatcher')]);
      const job = { jobs: rate * seconds, overMs: seconds * 1000, inMs: leadOf(rate * seconds), url: receiver.url };
      const { fromMs } = await firing.addJobs(job);
      const cpu = startCpuMeter(meters(servers, firing));
      await firing.untilEnded(job.jobs, patienceMs);
      const lagsMs = receiver.lagsOf('jobs');
      return { perSecond: perSecondOf(lagsMs.length, fromMs), lagsMs, cpu: perJob(cpu(), lagsMs.length) };
    });
  } finally {
    receiver.stop();
  }
}

/** One client's crowd is due within a second, another's jobs come steadily all the while. */
async function measureBurst(servers: Servers, jobs: number): Promise<Row[]> {
  const receiver = await startReceiver();
  try {
    return await withFiring(servers, async (firing) => {
      await Promise.all([firing.start('scheduler'), firing.start('dispatcher')]);
      const quietMs = 15_000;
      const quiet = (quietMs / 1000) * quietRate;
      const { fromMs } = await firing.addJobs({ jobs, overMs: 1000, inMs: leadMs + leadOf(jobs), url: receiver.url });
      await firing.addJobs({
        jobs: quiet,
        overMs: quietMs,
        inMs: leadMs,
        url: `${receiver.url}quiet/`,
        client: 'quiet',
      });
      const cpu = startCpuMeter(meters(servers, firing));
      await firing.untilEnded(jobs + quiet, patienceMs);
      const [crowd, others] = [receiver.lagsOf('jobs'), receiver.lagsOf('quiet')];
      return [
        rowOf(`the crowd of ${jobs}`, {
          perSecond: perSecondOf(jobs, fromMs),
          lagsMs: crowd,
          cpu: perJob(cpu(), jobs + quiet),
        }),
        rowOf('another client', { perSecond: quietRate, lagsMs: others, cpu: {} }),
      ];
    });
  } finally {
    receiver.stop();
  }
}

function leadOf(jobs: number): number {
  return leadMs + jobs * leadPerJobMs;
}

async function withFiring<Result>(
  { infrastructure }: Servers,
  work: (firing: Firing) => Promise<Result>,
): Promise<Result> {
  const firing = await startFiring(infrastructure);
  try {
    return await work(firing);
  } finally {
    await firing.stop();
  }
}

function meters({ infrastructure }: Servers, firing: Firing) {
  return {
    scheduler: () => firing.pids('scheduler'),
    dispatcher: () => firing.pids('dispatcher'),
    postgres: () => withDescendants(infrastructure.postgres.pid()),
    kafka: () => infrastructure.kafkaNodes.map((node) => node.pid()),
  };
}

function perJob(micros: Readonly<Record<string, number>>, jobs: number): Row {
  return Object.fromEntries(Object.entries(micros).map(([name, sum]) => [`${name} µs`, Math.round(sum / jobs)]));
}

function perSecondOf(jobs: number, fromMs: number): number {
  return rounded((jobs / Math.max(1, Date.now() - fromMs)) * 1000);
}

function rowOf(name: string, { perSecond, lagsMs, cpu }: Lags & { cpu: Row }): Row {
  const at = (share: number) => rounded(percentile(lagsMs, share));
  const early = lagsMs.filter((lag) => lag < 0).length;
  return { case: name, 'done/s': perSecond, 'p50, ms': at(0.5), 'p99, ms': at(0.99), 'max, ms': at(1), early, ...cpu };
}
