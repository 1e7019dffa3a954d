import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { runToEnd } from '../campaign-times.ts';
import { startInstallation, type Installation } from '../installation.ts';
import { median, ratioByRound, rounded, type Row, type Table } from '../results.ts';
import type { Servers } from '../servers.ts';
import { machineMs } from '../stub/call-log.ts';
import type { Stub } from '../stub/stub.ts';
import { addWaitingRuns } from './waiting-runs.ts';

const countries = ['SG', 'ID', 'VN', 'MY', 'TH'];
const chain = [
  { action: 'award-reward', params: { rewardId: 'ride-5' } },
  { action: 'send-message', params: { rewardId: 'ride-5' } },
];
/** Of 100 users each: what slots and the time of calls allow a campaign in each of its steps. */
const batchesPerSecond = 400;
const latencyMs = 200;
/** As many as 100 workers leave: they share the slots that there are. */
const totalsSlots = 64;
const warmUpUsers = 100_000;
/** So long after its start, and after its trigger's, a campaign's rate is taken over this time. */
const settleMs = 3000;
const windowMs = 15_000;
const pollMs = 20;
/** More than it can do in the time that it is looked at. */
const users = 4_000_000;
const smallUsers = 1000;

interface Beside {
  rate: number;
  /** From the start of another trigger on, in place of the one that knew the crowd. */
  restarted: number;
  /** From a campaign of ten batches' start to its last answer. */
  smallMs: number;
  /** From a campaign's cancellation to its end. */
  cancelMs: number;
}

/** What does a campaign notice of so many runs that only wait? */
export async function measureRuns(
  servers: Servers,
  { counts, rounds }: { counts: readonly number[]; rounds: number },
): Promise<Table> {
  const measured = new Map(counts.map((count) => [count, new Array<Beside>()]));
  for (let round = 1; round <= rounds; round++) {
    await eachCount(servers, counts, (count, beside) => {
      measured.get(count)?.push(beside);
      console.error(`round ${round}, ${count} runs that wait: ${JSON.stringify(beside)}`);
    });
  }
  const alone = measured.get(counts[0] ?? 0) ?? [];
  return {
    title: `A campaign that could do ${batchesPerSecond} batches a second beside so many runs that wait in five countries`,
    rows: [...measured].map(([count, ofCount]) => rowOf(count, ofCount, alone)),
  };
}

/** In one installation, whose crowd grows. */
async function eachCount(
  { infrastructure, stub }: Servers,
  counts: readonly number[],
  onMeasured: (count: number, beside: Beside) => void,
): Promise<void> {
  const slots = (batchesPerSecond * latencyMs) / 1000;
  const type = { url: `${stub.url}/batches/full/${latencyMs}`, answerForm: 'full' as const, concurrency: slots };
  const installation = await startInstallation({
    infrastructure,
    countries,
    partitionsPerShard: 6,
    segmentationUrl: stub.url,
    actionTypes: { 'award-reward': type, 'send-message': type },
    workerSlots: [2 * slots],
  });
  const writer = new pg.Pool({ connectionString: installation.databaseUrl, max: 1 });
  try {
    await runToEnd(installation, stub, campaign(warmUpUsers), warmUpUsers);
    let there = 0;
    for (const count of counts) {
      await addWaitingRuns(writer, { runs: count - there, countries, chain, slots: totalsSlots });
      there = count;
      onMeasured(count, await measureBeside(installation, stub));
    }
  } finally {
    await writer.end();
    await installation.stop();
  }
}

const campaign = (ofUsers: number) => ({ name: 'beside', countries: ['SG'], segment: String(ofUsers), chain });

async function measureBeside(installation: Installation, stub: Stub): Promise<Beside> {
  const { api, services } = installation;
  const large = await api.start(campaign(users));
  const rate = await rateOf(stub, large);
  const startedAt = machineMs();
  const small = await api.start(campaign(smallUsers));
  await until(async () => (await stub.answers(small, chain.length)).length === smallUsers / 100);
  const smallMs = machineMs() - startedAt;
  for (const trigger of services.processes('trigger')) await services.end(trigger);
  await services.start('trigger');
  const restarted = await rateOf(stub, large);
  const run = await api.run(large);
  const cancelledAt = machineMs();
  await api.control(run?.runId ?? '', 'cancel');
  await until(async () => (await api.run(large))?.endedAt);
  return { rate, restarted, smallMs, cancelMs: machineMs() - cancelledAt };
}

/** Batches a second through the campaign's last step, from a few seconds after now on. */
async function rateOf(stub: Stub, campaignId: string): Promise<number> {
  await until(async () => (await stub.answers(campaignId, chain.length)).length > 0);
  await wait(settleMs);
  const fromMs = machineMs();
  await wait(windowMs);
  const answers = await stub.answers(campaignId, chain.length);
  return (answers.filter((at) => at >= fromMs && at < fromMs + windowMs).length * 1000) / windowMs;
}

async function until(isSo: () => Promise<unknown>): Promise<void> {
  while (!(await isSo())) await wait(pollMs);
}

function rowOf(count: number, rounds: readonly Beside[], alone: readonly Beside[]): Row {
  const of = (what: keyof Beside, all = rounds) => all.map((beside) => beside[what]);
  return {
    'runs that wait': count,
    'batches/s': rounded(median(of('rate'))),
    ratio: rounded(ratioByRound(of('rate'), of('rate', alone))),
    'after a restart of the trigger': rounded(median(of('restarted'))),
    'ratio then': rounded(ratioByRound(of('restarted'), of('restarted', alone))),
    'small campaign, ms': rounded(median(of('smallMs'))),
    'cancelled to ended, ms': rounded(median(of('cancelMs'))),
  };
}
